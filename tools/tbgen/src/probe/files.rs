//! Tables in folders: own files of both metrics, and Syzygy files.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use syzygy_tables::batch::rows::Endgames;
use tbindex::{CastlingRights, Material};

use crate::chess::board::{Board, men_of, position_of, to_cozy};
use crate::chess::error::ProbeError;
use crate::chess::game::{AnyBoard, GamePosition};
use crate::chess::piece_set::Endgame;
use crate::probe::answer::TablesError;
use crate::probe::verify::value_with_en_passant;
use crate::storage::packed::PackedFile;
use crate::storage::table_file::{FileError, TableFile};
use crate::table::value::{Metric, Outcome, Value};

/// A file, which is opened when it is first needed.
#[derive(Debug)]
struct OwnFile {
    path: PathBuf,
    packed: bool,
    file: OnceLock<Result<Own, Arc<FileError>>>,
}

/// An open file of this generator.
#[derive(Debug)]
pub(super) enum Own {
    Table(TableFile),
    Packed(PackedFile),
}

/// The tables in some folders.
#[derive(Debug)]
pub(crate) struct Files {
    folders: Vec<PathBuf>,
    own: HashMap<(Endgame, Metric), OwnFile>,
    /// The materials that were asked for, with their moves.
    pub(super) endgames: Endgames,
    pub(super) syzygy: Arc<syzygy_tables::Tables>,
}

/// The kinds of own files: the metric, whether they are packed, and the extension of their names.
const KINDS: [(Metric, bool, &str); 4] = [
    (Metric::Dtz, false, Metric::Dtz.extension()),
    (Metric::Dtm, false, Metric::Dtm.extension()),
    (Metric::Dtz, true, Metric::Dtz.packed_extension()),
    (Metric::Dtm, true, Metric::Dtm.packed_extension()),
];

impl Files {
    /// Lists the files of folders. Where two have the same table, that of the first is taken.
    pub(crate) fn open(folders: &[impl AsRef<Path>]) -> Result<Files, TablesError> {
        let mut syzygy = syzygy_tables::Tables::new();
        let mut files = Files {
            folders: Vec::new(),
            own: HashMap::new(),
            endgames: Endgames::default(),
            syzygy: Arc::default(),
        };
        for folder in folders {
            let folder = folder.as_ref();
            let added = syzygy.add_folder(folder).and_then(|_| files.add(folder));
            added.map_err(|source| TablesError::Folder {
                folder: folder.display().to_string(),
                source: Arc::new(source),
            })?;
            files.folders.push(folder.to_owned());
        }
        files.syzygy = Arc::new(syzygy);
        Ok(files)
    }

    /// Whether there are own files.
    pub(super) fn has_own(&self) -> bool {
        !self.own.is_empty()
    }

    /// Whether there are no files.
    pub(super) fn is_empty(&self) -> bool {
        !self.has_own() && self.syzygy.materials().next().is_none()
    }

    pub(super) fn add_syzygy(&mut self, file: syzygy_tables::TableFile) {
        // A prober of batches, which shares them, has borrowed or owns the tables as long as it lives.
        let syzygy = Arc::get_mut(&mut self.syzygy).expect("nobody else has them");
        syzygy.add_file(file);
    }

    fn add(&mut self, folder: &Path) -> std::io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let (stem, end) = (path.file_stem(), path.extension());
            let mut kinds = KINDS.into_iter();
            let kind = kinds.find(|(.., extension)| end.is_some_and(|end| end == *extension));
            let name = stem.and_then(OsStr::to_str);
            let endgame = name.and_then(|name| match name.contains('[') {
                true => name.parse::<Endgame>().ok(),
                false => name.parse::<Material>().ok().map(Endgame::from),
            });
            if let (Some(endgame), Some((metric, packed, _))) = (endgame, kind) {
                let key = (endgame.normal().own(), metric);
                let file = OnceLock::new();
                let there = self.own.get(&key);
                // Of one folder, a file that is not packed is taken.
                let in_folder = |own: &OwnFile| own.packed && own.path.parent() == path.parent();
                if there.is_none_or(in_folder) {
                    self.own.insert(key, OwnFile { path, packed, file });
                }
            }
        }
        Ok(())
    }

    /// The value of a position by a metric, and whether the plies are exact. Own files come before Syzygy files.
    pub(crate) fn value(
        &self,
        metric: Metric,
        position: &GamePosition,
    ) -> Result<(Value, bool), TablesError> {
        match position.board() {
            AnyBoard::Chess(board) => {
                let own = value_with_en_passant(metric, board.cozy(), &mut |board| {
                    self.own_value(metric, board)
                });
                match (own, metric) {
                    (Err(own @ TablesError::Missing { .. }), Metric::Dtz) => {
                        self.syzygy_value(board, own)
                    }
                    (own, _) => Ok((own?, true)),
                }
            }
            AnyBoard::ShortRange(board, _) => {
                let endgame = position.endgame();
                let (own, position) = (endgame.own(), endgame.in_own_letters(&board.position()));
                // When all short-range pieces are captured, the table is one of chess.
                let board = to_cozy(&position, None, CastlingRights::NONE)
                    .filter(|_| own.piece_set.is_chess());
                let value = match board {
                    Some(board) => self.own_value(metric, &board)?,
                    None => match self.own(metric, own)? {
                        Own::Table(file) => file.value(&position)?,
                        Own::Packed(_) => return Err(TablesError::Illegal(position.to_string())),
                    },
                };
                Ok((value, true))
            }
        }
    }

    /// The value of a board without the right to capture en passant, by own files. Packed ones answer for a batch of one.
    fn own_value(&self, metric: Metric, board: &cozy_chess::Board) -> Result<Value, TablesError> {
        if board.occupied().len() == 2 {
            return Ok(Value::DRAW);
        }
        let men = men_of(board);
        let pieces = men.as_slice().iter().map(|man| man.0);
        let material = Material::from_pieces(pieces).map_err(ProbeError::from)?;
        match self.own(metric, material.into())? {
            Own::Packed(_) => self.packed_value(metric, board),
            Own::Table(file) => Ok(file.value(&position_of(board))?),
        }
    }

    /// The value of a position by Syzygy files, and whether the plies are exact. If there are none of its pieces, it is the own
    /// table that is missing.
    fn syzygy_value(&self, board: &Board, own: TablesError) -> Result<(Value, bool), TablesError> {
        let (of_board, _) = syzygy_tables::Material::of(board.cozy());
        let (outcome, dtz) = match self.syzygy.probe(board.cozy()) {
            Err(syzygy_tables::Error::Missing { material, kind }) => {
                if !self.syzygy.materials().any(|there| there == of_board) {
                    return Err(own);
                }
                let name = material.to_string();
                let endgame: Material = name.parse().map_err(ProbeError::from)?;
                let files = format!("{name}.{} in {}", kind.extension(), self.places());
                let endgame = endgame.into();
                return Err(TablesError::Missing { endgame, files });
            }
            Err(syzygy_tables::Error::TooManyPieces(_)) => return Err(own),
            found => found?,
        };
        // A checkmated side has −1 there.
        let plies = match outcome == Outcome::Loss && !board.can_move() {
            true => 0,
            false => dtz.plies.unsigned_abs() as u16,
        };
        Ok((Value { outcome, plies }, dtz.exact))
    }

    /// The file of a table, opened if it was not yet.
    pub(super) fn own(&self, metric: Metric, endgame: Endgame) -> Result<&Own, TablesError> {
        let key = endgame.normal().own();
        let own = self.own.get(&(key, metric));
        let OwnFile { path, packed, file } = own.ok_or_else(|| self.missing(key, metric))?;
        let file = file.get_or_init(|| {
            Ok(match packed {
                true => Own::Packed(PackedFile::open_as(path, key, metric)?),
                false => Own::Table(TableFile::open_as(path, key, metric)?),
            })
        });
        Ok(file.as_ref().map_err(Arc::clone)?)
    }

    pub(super) fn missing(&self, endgame: Endgame, metric: Metric) -> TablesError {
        let endgame = endgame.normal();
        let files = match metric {
            // Captures from Syzygy files lead to Syzygy files.
            Metric::Dtz if self.own.contains_key(&(endgame, metric)) => {
                format!("{endgame}.rtbw and {endgame}.rtbz")
            }
            Metric::Dtz => {
                format!("{endgame}.tbg, nor {endgame}.rtbw and {endgame}.rtbz, nor {endgame}.tbgp,")
            }
            Metric::Dtm => format!("{endgame}.tbm, nor {endgame}.tbmp,"),
            Metric::HelpWhite | Metric::HelpBlack => format!("{endgame}.{},", metric.extension()),
        };
        let files = format!("{files} in {}", self.places());
        TablesError::Missing { endgame, files }
    }

    /// The names of the folders.
    fn places(&self) -> String {
        let folders = self.folders.iter();
        let folders: Vec<String> = folders.map(|folder| folder.display().to_string()).collect();
        folders.join(" or ")
    }
}
