//! A folder of tables, which are opened when they are needed, and the values of moves.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tbgen::{Answer, Board, Endgame, Metric, Outcome, Published, Table, TableFile, Value};
use tbindex::store::{Overwrite, PartialFile};
use tbindex::{Material, Position};

use super::UsageError;

/// The kind of the table files in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FolderKind {
    /// This generator's own, or none.
    Own,
    Syzygy,
}

/// Whether a folder has tables of this generator's own, and whether it has Syzygy files.
fn kinds_in(folder: &Path) -> std::io::Result<(bool, bool)> {
    let (mut own, mut syzygy) = (false, false);
    for entry in std::fs::read_dir(folder)? {
        match entry?.path().extension().and_then(|end| end.to_str()) {
            Some("tbg" | "tbm") => own = true,
            Some("rtbw" | "rtbz") => syzygy = true,
            _ => {}
        }
    }
    Ok((own, syzygy))
}

/// Finds out which kind of table files is in a folder.
pub(crate) fn kind_of(folder: &Path) -> Result<FolderKind> {
    let kinds = kinds_in(folder).with_context(|| format!("can't read {}", folder.display()))?;
    match kinds {
        (true, true) => bail!(
            "{} has both tables of tbgen (*.tbg, *.tbm) and Syzygy files (*.rtbw, *.rtbz): give each kind a folder of its own",
            folder.display()
        ),
        (false, true) => Ok(FolderKind::Syzygy),
        _ => Ok(FolderKind::Own),
    }
}

/// Refuses to write table files into a folder that has files of the other kind: nobody could tell which are meant.
pub(crate) fn check_kind(folder: &Path, to_write: FolderKind) -> Result<()> {
    // What can't be read is noticed when it is written.
    let (own, syzygy) = kinds_in(folder).unwrap_or_default();
    let (there, kind) = match to_write {
        FolderKind::Own => (syzygy, "Syzygy files (*.rtbw, *.rtbz)"),
        FolderKind::Syzygy => (own, "tables of tbgen (*.tbg, *.tbm)"),
    };
    if there {
        let folder = folder.display();
        let message = format!("{folder} has {kind}: give each kind a folder of its own");
        return Err(UsageError(message).into());
    }
    Ok(())
}

/// Opens the table of a material in a folder. One of another material or metric under its name is an error.
pub(crate) fn open_table(folder: &Path, material: &Material, metric: Metric) -> Result<TableFile> {
    let path = Table::path(folder, material, metric);
    let file = TableFile::open(&path)?;
    if file.endgame() != Endgame::from(material.normal()) {
        bail!(
            "{}: this is the table of {}",
            path.display(),
            file.endgame()
        );
    }
    if file.metric() != metric {
        let name = file.metric().name();
        bail!("{}: this is a table by {name}", path.display());
    }
    Ok(file)
}

/// Whether the table of a material is in a folder.
///
/// # Errors
/// If there is something else under its name, or its beginning is damaged.
pub(crate) fn is_there(folder: &Path, material: &Material, metric: Metric) -> Result<bool> {
    if !Table::path(folder, material, metric).exists() {
        return Ok(false);
    }
    open_table(folder, material, metric)
        .context("a table that is there can't be used (--force makes it again)")?;
    Ok(true)
}

/// Removes what killed runs have left of tables in a folder. What another process is writing now is locked, and stays.
pub(crate) fn remove_stale(folder: &Path) -> Result<()> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("can't read {}", folder.display()))?;
    for entry in entries {
        let name = entry?.file_name();
        let target = name.to_str().and_then(|name| {
            let target = name.strip_prefix('.')?.strip_suffix(".partial")?;
            let is_table = target.ends_with(".tbg") || target.ends_with(".tbm");
            is_table.then_some(target)
        });
        if let Some(target) = target {
            // Taken over and dropped, it is gone. If it can't be, it is in use, or not ours.
            drop(PartialFile::create(folder.join(target), Overwrite::Replace));
        }
    }
    Ok(())
}

pub(crate) struct Folder {
    path: PathBuf,
    metric: Metric,
    files: Files,
}

enum Files {
    /// Those that are open.
    Own(BTreeMap<String, TableFile>),
    Syzygy(Box<Published>),
}

/// A value as a person reads it, with what its distance counts to. One that is not exact is one of two.
pub(crate) fn describe(Answer { value, exact }: Answer, metric: Metric) -> String {
    let or = match exact {
        true => String::new(),
        false => format!(" or {}", value.plies + 1),
    };
    let plies = match value.plies {
        1 if exact => "ply",
        _ => "plies",
    };
    let end = match metric {
        Metric::Dtz => "zeroing",
        Metric::Dtm => "mate",
    };
    match value.outcome {
        Outcome::Draw => value.to_string(),
        Outcome::Loss if value.plies == 0 && exact => "checkmate".to_owned(),
        _ => format!("{value}{or} {plies} to {end}"),
    }
}

/// A legal move and its value.
pub(crate) struct Choice {
    /// The move as UCI engines write it, `a1b2`.
    pub(crate) name: String,
    /// Its value for the side that makes it.
    pub(crate) value: Value,
    /// Whether its plies are exact.
    pub(crate) exact: bool,
    pub(crate) capture: bool,
    pub(crate) mates: bool,
    pub(crate) after: Board,
}

impl Folder {
    pub(crate) fn new(path: &Path, metric: Metric) -> Result<Folder> {
        let files = match kind_of(path)? {
            FolderKind::Own => Files::Own(BTreeMap::new()),
            FolderKind::Syzygy if metric == Metric::Dtm => {
                let message = "Syzygy files have no distances to mate: leave out --metric dtm";
                return Err(UsageError(message.to_owned()).into());
            }
            FolderKind::Syzygy => {
                let (files, _) = Published::open(path)
                    .with_context(|| format!("can't read {}", path.display()))?;
                Files::Syzygy(Box::new(files))
            }
        };
        Ok(Folder {
            path: path.to_owned(),
            metric,
            files,
        })
    }

    /// The value of a board.
    pub(crate) fn answer(&mut self, board: &Board) -> Result<Answer> {
        if let Files::Syzygy(files) = &self.files {
            return Ok(files.value(board)?);
        }
        let value = board.value(self.metric, |position| self.stored(position))?;
        Ok(Answer { value, exact: true })
    }

    /// The value of a legal position in which no pawn can be captured en passant.
    fn stored(&mut self, position: &Position) -> Result<Value> {
        let material = position.material()?.normal();
        if material.piece_count() == 2 {
            return Ok(Value::DRAW);
        }
        let name = material.to_string();
        let Files::Own(open) = &mut self.files else {
            bail!("Syzygy files are not asked for positions");
        };
        if !open.contains_key(&name) {
            let file = open_table(&self.path, &material, self.metric);
            let file = file.with_context(|| {
                let other = match self.metric {
                    Metric::Dtz => Metric::Dtm,
                    Metric::Dtm => Metric::Dtz,
                };
                let there =
                    [self.metric, other].map(|by| Table::path(&self.path, &material, by).exists());
                let only = (there == [false, true]).then(|| other.name());
                match only {
                    Some(by) => {
                        format!("the table of {name} is there by {by} only: add --metric {by}")
                    }
                    None => format!("the table of {name} is needed"),
                }
            })?;
            open.insert(name.clone(), file);
        }
        Ok(open[&name].value(position)?)
    }

    /// All legal moves, the best first.
    pub(crate) fn choices(&mut self, board: &Board) -> Result<Vec<Choice>> {
        let mut all = Vec::new();
        for step in board.moves() {
            let Answer { value, exact } = self.answer(&step.after)?;
            all.push(Choice {
                value: self.metric.after_move(value, step.zeroing),
                exact: exact || step.zeroing,
                capture: step.capture,
                mates: value == Value::loss(0),
                name: step.name,
                after: step.after,
            });
        }
        // Of equal moves, mates come first, as a side that mates needn't capture.
        all.sort_by_key(|choice| (-choice.value.preference(), !choice.mates));
        Ok(all)
    }
}

/// The tables of chess in a folder of a metric, those that others need first.
pub(crate) fn tables_in(folder: &Path, metric: Metric) -> Result<Vec<Material>> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("can't read {}", folder.display()))?;
    let mut all = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|end| end == metric.extension())
        {
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            // Those with short-range pieces are none of chess.
            if name.contains('[') {
                continue;
            }
            let material = super::parse_material(&name)
                .map_err(anyhow::Error::msg)
                .with_context(|| format!("{} is not named after a material", path.display()))?;
            all.push(material);
        }
    }
    all.sort_by_key(|material| (material.piece_count(), material.to_string()));
    Ok(all)
}

/// The names of the materials in a folder of Syzygy files, in the order of their numbers of pieces.
pub(crate) fn syzygy_names(folder: &Path) -> Result<Vec<String>> {
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("can't read {}", folder.display()))?;
    let mut all = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|end| end == "rtbw" || end == "rtbz")
        {
            all.extend(
                path.file_stem()
                    .map(|name| name.to_string_lossy().into_owned()),
            );
        }
    }
    all.sort_by_key(|name| (name.len(), name.clone()));
    all.dedup();
    Ok(all)
}
