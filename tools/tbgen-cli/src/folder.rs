//! Folders of tables: which are there, and of which kind.

use std::ffi::OsStr;
use std::fs::{DirEntry, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tbgen::{Endgame, Metric, PackedFile, Table, TableFile};
use tbindex::store::{Overwrite, PartialFile};

use super::refuse;

/// The kind of the table files in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FolderKind {
    /// This generator's own, or none.
    Own,
    Syzygy,
}

/// Makes a folder, if it is not there.
pub(crate) fn make_folder(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("can't make the folder {}", folder.display()))
}

/// The bytes of a file.
pub(crate) fn size(path: &Path) -> Result<u64> {
    let found = std::fs::metadata(path).map(|found| found.len());
    found.with_context(|| format!("can't look at {}", path.display()))
}

/// The paths of all that is in a folder.
pub(crate) fn paths_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let entries = entries.with_context(|| format!("can't read {}", folder.display()))?;
    Ok(entries.iter().map(DirEntry::path).collect())
}

/// Whether a file with a name is a table of this generator's own, packed or not.
fn is_own(name: &Path) -> bool {
    let ends = Metric::ALL.map(|metric| [Some(metric.extension()), metric.packed_extension()]);
    let extension = name.extension().and_then(OsStr::to_str);
    extension.is_some() && ends.as_flattened().contains(&extension)
}

/// Whether a file with a name is a Syzygy file.
pub(crate) fn is_syzygy(name: &Path) -> bool {
    name.extension()
        .is_some_and(|end| end == "rtbw" || end == "rtbz")
}

/// Whether a folder has tables of this generator's own, and whether it has Syzygy files.
fn kinds_in(folder: &Path) -> Result<(bool, bool)> {
    let paths = paths_in(folder)?;
    let has = |kind: fn(&Path) -> bool| paths.iter().any(|path| kind(path));
    Ok((has(is_own), has(is_syzygy)))
}

/// Finds out which kind of table files is in a folder.
pub(crate) fn kind_of(folder: &Path) -> Result<FolderKind> {
    match kinds_in(folder)? {
        (true, true) => bail!(
            "{} has both tables of tbgen (*.tbg, *.tbm) and Syzygy files (*.rtbw, *.rtbz): give each kind a folder of its own",
            folder.display()
        ),
        (false, true) => Ok(FolderKind::Syzygy),
        _ => Ok(FolderKind::Own),
    }
}

/// Keeps runs that make files of the other kind from a folder, as long as the result is kept.
///
/// # Errors
/// If there are files of that kind, or a run makes some.
pub(crate) fn keep_kind(folder: &Path, to_write: FolderKind) -> Result<Option<File>> {
    // Some systems can't lock a folder. Runs that are one after the other are kept apart there, too.
    let Ok(lock) = File::open(folder) else {
        return check_kind(folder, to_write).map(|()| None);
    };
    let (locked, other) = match to_write {
        FolderKind::Own => (lock.try_lock_shared(), "Syzygy files"),
        FolderKind::Syzygy => (lock.try_lock(), "tables of tbgen"),
    };
    if let Err(TryLockError::WouldBlock) = locked {
        let folder = folder.display();
        return refuse(format!(
            "{folder}: another process makes {other} there: give each kind a folder of its own"
        ));
    }
    check_kind(folder, to_write)?;
    Ok(Some(lock))
}

/// Refuses to write table files into a folder that has files of the other kind: nobody could tell which are meant.
pub(crate) fn check_kind(folder: &Path, to_write: FolderKind) -> Result<()> {
    // A file that can't be read is noticed when it is written.
    let (own, syzygy) = kinds_in(folder).unwrap_or_default();
    let (there, kind) = match to_write {
        FolderKind::Own => (syzygy, "Syzygy files (*.rtbw, *.rtbz)"),
        FolderKind::Syzygy => (own, "tables of tbgen (*.tbg, *.tbm)"),
    };
    if there {
        let folder = folder.display();
        return refuse(format!(
            "{folder} has {kind}: give each kind a folder of its own"
        ));
    }
    Ok(())
}

/// Opens the table of an endgame in a folder. One of another endgame or metric under its name is an error.
pub(crate) fn open_table(folder: &Path, endgame: Endgame, metric: Metric) -> Result<TableFile> {
    let path = Table::path(folder, endgame, metric);
    Ok(TableFile::open_as(&path, endgame, metric)?)
}

/// Opens the packed table of an endgame in a folder, as [`open_table`] does.
pub(crate) fn open_packed(folder: &Path, endgame: Endgame, metric: Metric) -> Result<PackedFile> {
    let path = Table::packed_path(folder, endgame, metric);
    let path = path.with_context(|| format!("there are no packed tables by {}", metric.name()))?;
    Ok(PackedFile::open_as(&path, endgame, metric)?)
}

/// Removes what killed runs have left of tables in a folder. A file that another process is writing now is locked, and stays.
pub(crate) fn remove_stale(folder: &Path) -> Result<()> {
    for path in paths_in(folder)? {
        let name = path.file_name().and_then(|name| name.to_str());
        let target = name.and_then(|name| name.strip_prefix('.')?.strip_suffix(".partial"));
        if let Some(target) = target.filter(|target| is_own(Path::new(target))) {
            // Taken over and dropped, it is gone. If it can't be, it is in use, or not ours.
            drop(PartialFile::create(folder.join(target), Overwrite::Replace));
        }
    }
    Ok(())
}

/// Says that another run is waited for, which makes a file.
pub(crate) fn note_waiting(path: &Path) {
    note!("{}: another process makes it: waiting", path.display());
}

/// The endgames of the tables in folders of a metric, packed or not, those that others need first.
pub(crate) fn tables_in(folders: &[PathBuf], metric: Metric) -> Result<Vec<Endgame>> {
    let mut all = Vec::new();
    let paths = folders.iter().map(|folder| paths_in(folder));
    let paths: Vec<Vec<PathBuf>> = paths.collect::<Result<_>>()?;
    for path in paths.concat() {
        let extension = path.extension().and_then(OsStr::to_str);
        let ends = [Some(metric.extension()), metric.packed_extension()];
        if extension.is_some() && ends.contains(&extension) {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let endgame = super::parse_endgame(&name)
                .map_err(anyhow::Error::msg)
                .with_context(|| format!("{} is not named after an endgame", path.display()))?;
            all.push(endgame.normal());
        }
    }
    all.sort_by_key(|endgame| (endgame.material.piece_count(), endgame.to_string()));
    all.dedup();
    Ok(all)
}

/// The names of the materials in a folder of Syzygy files, in the order of their numbers of pieces.
pub(crate) fn syzygy_names(folder: &Path) -> Result<Vec<String>> {
    let mut all = Vec::new();
    for path in paths_in(folder)?.iter().filter(|path| is_syzygy(path)) {
        let name = path.file_stem().unwrap_or_default();
        all.push(name.to_string_lossy().into_owned());
    }
    all.sort_by_key(|name| (name.len(), name.clone()));
    all.dedup();
    Ok(all)
}
