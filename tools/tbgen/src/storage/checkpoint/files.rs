//! The files of a table's checkpoint: their names, and which of them a run goes on from.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use tbindex::store::is_file;

use crate::chess::piece_set::Endgame;
use crate::storage::record_file::{RecordError, is_record_file};
use crate::table::value::Metric;

/// The content of the files of plies.
pub(super) const PLIES: &str = "plies";
/// The content of the files of solved parts.
pub(super) const PARTS: &str = "solved parts";

/// The name of one of several files of plies: its generation, its number in that, and how many these are.
pub(crate) type Name = (u32, u32, u32);

fn beside(checkpoint: &Path, ending: &str) -> PathBuf {
    let mut name = checkpoint.as_os_str().to_owned();
    name.push(format!(".{ending}"));
    PathBuf::from(name)
}

/// One of several files of plies.
pub(crate) fn of_generation(checkpoint: &Path, (generation, number, count): Name) -> PathBuf {
    beside(checkpoint, &format!("{generation}.{number}of{count}"))
}

/// One of the files of solved parts.
pub(super) fn of_solved(checkpoint: &Path, number: u32) -> PathBuf {
    beside(checkpoint, &format!("parts{number}"))
}

/// The plies of a part in work.
pub(crate) fn of_part(checkpoint: &Path, part: usize) -> PathBuf {
    beside(checkpoint, &format!("part{part}"))
}

/// The names of the files beside a checkpoint, without its name and a dot before them.
fn endings(checkpoint: &Path) -> Result<Vec<String>, RecordError> {
    let folder = match checkpoint.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let name = checkpoint.file_name().unwrap_or_default();
    let name = format!("{}.", name.to_string_lossy());
    let mut all = Vec::new();
    let io = RecordError::io(checkpoint, "look beside");
    let entries = match std::fs::read_dir(folder) {
        // A folder that is still to be made has no files.
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(all),
        entries => entries.map_err(io)?,
    };
    for entry in entries {
        let found = entry.map_err(io)?.file_name();
        let ending = found.to_str().and_then(|found| found.strip_prefix(&name));
        all.extend(ending.map(str::to_owned));
    }
    Ok(all)
}

/// The files of the generations of a checkpoint that have begun, which have all of their files. The files of a last one
/// that has not begun are removed.
pub(crate) fn generations(checkpoint: &Path) -> Result<Vec<Name>, RecordError> {
    let endings = endings(checkpoint)?.into_iter();
    let mut names: Vec<Name> = endings.filter_map(|ending| name_of(&ending)).collect();
    names.sort_unstable();
    let mut begun = Vec::new();
    let last = names.last().map(|name| name.0);
    for names in names.chunk_by(|a, b| a.0 == b.0) {
        let (generation, _, count) = names[0];
        let whole = (0..count).map(|number| (generation, number, count));
        if whole.eq(names.iter().copied()) {
            begun.extend(names);
        } else if Some(generation) == last {
            for &name in names {
                // It may be gone; if it stays, this is noticed when it is to be made again.
                let _ = std::fs::remove_file(of_generation(checkpoint, name));
            }
        } else {
            let what = format!(
                "a file of generation {generation} of the checkpoint is missing: remove its other files"
            );
            return Err(RecordError::refused(checkpoint, what));
        }
    }
    Ok(begun)
}

fn name_of(ending: &str) -> Option<Name> {
    let (generation, rest) = ending.split_once('.')?;
    let (number, count) = rest.split_once("of")?;
    let name = [generation, number, count].map(|text| text.parse().ok());
    let [generation, number, count] = name;
    Some((generation?, number?, count?))
}

/// The content of a file beside a checkpoint, if it belongs to it.
fn content_of(ending: &str) -> Option<&'static str> {
    let is_number = |number: &str| number.parse::<u32>().is_ok();
    match ending.strip_prefix("part") {
        Some(rest) if rest.strip_prefix('s').is_some_and(is_number) => Some(PARTS),
        Some(rest) => is_number(rest).then_some(PLIES),
        None => name_of(ending).map(|_| PLIES),
    }
}

/// The files of a checkpoint, and what each has.
pub(super) fn all(checkpoint: &Path) -> Result<Vec<(PathBuf, &'static str)>, RecordError> {
    let endings = endings(checkpoint)?.into_iter();
    let beside =
        endings.filter_map(|ending| Some((beside(checkpoint, &ending), content_of(&ending)?)));
    let mut all = vec![(checkpoint.to_owned(), PLIES)];
    all.extend(beside);
    all.retain(|(path, _)| !matches!(is_file(path), Ok(false)));
    Ok(all)
}

/// The path of the checkpoint of an endgame's table in a folder.
pub(crate) fn checkpoint_path(folder: &Path, endgame: Endgame, metric: Metric) -> PathBuf {
    let ending = ["plies", "mates", "help-white", "help-black"][metric as usize];
    folder.join(format!("{}.{ending}", endgame.normal()))
}

/// The bytes of the checkpoint of an endgame's table in a folder, if there is one. A file that can't be read has none.
#[must_use]
pub fn checkpoint_bytes(folder: &Path, endgame: Endgame, metric: Metric) -> u64 {
    let all = all(&checkpoint_path(folder, endgame, metric));
    let all = all.unwrap_or_default().into_iter();
    all.filter_map(|(path, _)| Some(std::fs::metadata(path).ok()?.len()))
        .sum()
}

/// Removes the files of a table's checkpoint, which is the path in the options of those that solved the table. None of them
/// may use the table any more. A file under the path itself that is no checkpoint stays.
///
/// # Errors
/// If the system refuses.
pub fn remove_checkpoint(checkpoint: &Path) -> Result<(), RecordError> {
    for (path, _) in all(checkpoint)? {
        if path != checkpoint || is_record_file(&path) {
            remove_file(path)?;
        }
    }
    Ok(())
}

/// Removes a file, if it is there.
pub(crate) fn remove_file(path: PathBuf) -> Result<(), RecordError> {
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(RecordError::io(&path, "remove")(error))
        }
        _ => Ok(()),
    }
}
