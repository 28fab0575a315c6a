//! Tables in folders: own files of all metrics, and Syzygy files.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;
use syzygy_tables::Kind;
use tbindex::Color;

use crate::chess::board::Board;
use crate::chess::game::GamePosition;
use crate::chess::piece_set::Endgame;
use crate::probe::answer::TablesError;
use crate::storage::packed::PackedFile;
use crate::storage::table_file::{FileError, TableFile};
use crate::table::en_passant::value_with_en_passant;
use crate::table::shape::table_of;
use crate::table::value::{Metric, Value};

/// A file, which is opened when it is first needed.
#[derive(Debug)]
struct OwnFile {
    path: PathBuf,
    packed: bool,
    file: OnceLock<Result<Own, Arc<FileError>>>,
}

/// An open file of this generator.
#[derive(Debug)]
pub(crate) enum Own {
    Table(TableFile),
    Packed(PackedFile),
}

/// The tables in some folders.
#[derive(Debug, Default)]
pub(crate) struct Files {
    folders: Vec<PathBuf>,
    own: FxHashMap<(Endgame, Metric), OwnFile>,
    /// Whether there are own files that are none of helpmates.
    pub(crate) has_own: bool,
    /// Whether there are own files by the distance to mate.
    pub(super) has_mates: bool,
    /// The number of men of the table that has the most, but for helpmates.
    most_men: usize,
    pub(super) syzygy: syzygy_tables::Tables,
}

impl Files {
    /// Lists the files of folders. Where two have the same table, that of the first is taken.
    pub(crate) fn open(folders: &[impl AsRef<Path>]) -> Result<Files, TablesError> {
        let mut files = Files::default();
        for folder in folders {
            let folder = folder.as_ref();
            let added = files.syzygy.add_folder(folder);
            let added = added.and_then(|_| files.add(folder));
            added.map_err(|error| TablesError::Folder {
                folder: folder.display().to_string(),
                error: Arc::new(error),
            })?;
            files.folders.push(folder.to_owned());
        }
        let men = files.syzygy.materials().map(|material| material.len());
        files.most_men = files.most_men.max(men.max().unwrap_or(0));
        Ok(files)
    }

    /// Whether there is an own file of a table.
    pub(crate) fn is_own(&self, metric: Metric, endgame: Endgame) -> bool {
        self.own.contains_key(&(endgame.normal().own(), metric))
    }

    /// Whether there are no files but of helpmates.
    pub(crate) fn is_empty(&self) -> bool {
        !self.has_own && !self.has_syzygy()
    }

    /// The names of the tables but of helpmates, the shortest first.
    pub(crate) fn names(&self) -> Vec<String> {
        let own = (self.own.keys()).filter(|(_, metric)| metric.victim().is_none());
        let own = own.map(|(endgame, _)| endgame.to_string());
        let syzygy = self.syzygy.materials().map(|material| material.to_string());
        let names: BTreeSet<_> = own.chain(syzygy).map(|name| (name.len(), name)).collect();
        names.into_iter().map(|(_, name)| name).collect()
    }

    /// Whether the moves of a position may be known: there are tables of one man less, or a move leads to a position that
    /// needs none.
    pub(crate) fn may_know_moves(&self, position: &GamePosition) -> bool {
        let is_end = |after: &GamePosition| after.is_insufficient() || !after.can_move();
        position.position().occupied().count() <= self.most_men + 1
            || position.moves().iter().any(|step| is_end(&step.after))
    }

    /// Whether there are Syzygy files.
    pub(crate) fn has_syzygy(&self) -> bool {
        self.syzygy.materials().next().is_some()
    }

    pub(crate) fn add_syzygy(&mut self, file: syzygy_tables::TableFile) {
        self.most_men = self.most_men.max(file.material().len());
        self.syzygy.add_file(file);
    }

    fn add(&mut self, folder: &Path) -> std::io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let [stem, end] =
                [path.file_stem(), path.extension()].map(|part| part.and_then(OsStr::to_str));
            let is_packed = |metric: &Metric| end == metric.packed_extension();
            let is_of = |metric: &&Metric| end == Some(metric.extension()) || is_packed(metric);
            let metric = Metric::ALL.iter().find(is_of).filter(|_| end.is_some());
            let endgame = stem.and_then(|name| name.parse::<Endgame>().ok());
            if let (Some(endgame), Some(metric)) = (endgame, metric) {
                let key = (endgame.normal().own(), *metric);
                self.has_mates |= *metric == Metric::Dtm;
                if metric.victim().is_none() {
                    self.has_own = true;
                    self.most_men = self.most_men.max(key.0.material.piece_count());
                }
                // Of one folder, a file that is not packed is taken.
                let in_folder = |own: &OwnFile| own.packed && own.path.parent() == path.parent();
                if self.own.get(&key).is_none_or(in_folder) {
                    let (packed, file) = (is_packed(metric), OnceLock::new());
                    self.own.insert(key, OwnFile { path, packed, file });
                }
            }
        }
        Ok(())
    }

    /// The value of a board without castling rights by own files, for which no batch asks: with short-range pieces, or of
    /// helpmates.
    pub(crate) fn value(&self, metric: Metric, board: &Board) -> Result<Value, TablesError> {
        value_with_en_passant(metric, board, &mut |board| self.stored(metric, board))
    }

    /// Does this for a board without the right to capture en passant.
    fn stored(&self, metric: Metric, board: &Board) -> Result<Value, TablesError> {
        let endgame = board.endgame();
        let (name, exchanged) = table_of(&endgame.material);
        if name.piece_count() == 2 {
            return Ok(Value::DRAW);
        }
        let position = endgame.in_own_letters(&board.position());
        // Where the colours are exchanged, the other side is checkmated.
        let metrics = [metric, metric.exchanged()];
        let file = |exchanged: bool| self.own(metrics[usize::from(exchanged)], endgame);
        if let Own::Table(file) = file(exchanged)? {
            return Ok(file.value(&position)?);
        }
        let symmetric = name == name.swap_colors();
        if let Own::Packed(file) = file(exchanged || symmetric && board.side() == Color::Black)?
            && let Some(place) = file.place(&position)
        {
            return Ok(file.look_up(&[place])?[0]);
        }
        // A packed file has one side to move.
        let worths = board.moves().map(|step| {
            let value = self.value(metric, &step.after)?;
            Ok(metric.after_move(value, step.zeroing()))
        });
        metric.of_moves(board.side(), board.in_check(), worths)
    }

    /// The file of a table, opened if it was not yet.
    pub(crate) fn own(&self, metric: Metric, endgame: Endgame) -> Result<&Own, TablesError> {
        let key = endgame.normal().own();
        let own = self.own.get(&(key, metric));
        let OwnFile { path, packed, file } = own.ok_or_else(|| self.missing(key, metric))?;
        if let Some(file) = file.get() {
            return Ok(file.as_ref().map_err(Arc::clone)?);
        }
        let opened = match packed {
            true => PackedFile::open_as(path, key, metric).map(Own::Packed),
            false => TableFile::open_as(path, key, metric).map(Own::Table),
        };
        match opened {
            // The system may allow later what it refuses now.
            Err(error) if !error.is_damage() => Err(error.into()),
            opened => {
                let file = file.get_or_init(|| opened.map_err(Arc::new));
                Ok(file.as_ref().map_err(Arc::clone)?)
            }
        }
    }

    pub(crate) fn missing(&self, endgame: Endgame, metric: Metric) -> TablesError {
        let endgame = endgame.normal();
        let own = metric.extension();
        let files = match metric.packed_extension() {
            Some(packed) => format!("{endgame}.{own}, nor {endgame}.{packed},"),
            // Captures from Syzygy files lead to Syzygy files.
            None if self.own.contains_key(&(endgame, metric)) => {
                format!("{endgame}.rtbw and {endgame}.rtbz")
            }
            None => format!("{endgame}.{own}, nor {endgame}.rtbw and {endgame}.rtbz,"),
        };
        let files = format!("{files} in {}", self.places());
        TablesError::Missing { endgame, files }
    }

    /// The error of a Syzygy file that is missing, where there is another of the material, or neither.
    pub(crate) fn missing_syzygy(
        &self,
        endgame: Endgame,
        material: syzygy_tables::Material,
        kind: Kind,
    ) -> TablesError {
        if !self.syzygy.has(material) {
            return self.missing(endgame, Metric::Dtz);
        }
        let files = format!("{material}.{} in {}", kind.extension(), self.places());
        TablesError::Missing { endgame, files }
    }

    /// The names of the folders.
    fn places(&self) -> String {
        let folders = self.folders.iter();
        let folders: Vec<String> = folders.map(|folder| folder.display().to_string()).collect();
        folders.join(" or ")
    }
}
