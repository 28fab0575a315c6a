//! Answers about many positions at a time, for a fraction of the work of one after the other.
//!
//! Positions are grouped by their material, and looked up in the order of their table's places, so that every block is
//! decoded once. Captures, which an outcome depends on, are batches of the smaller materials, and the moves of a side that a
//! DTZ file doesn't have are batches of the same. A sub-table of which so many numbers are wanted that decoding all of
//! it is cheaper is decoded, and kept for later batches while there is room.

mod board;
mod cache;
mod distances;
mod endgame;
mod failures;
mod moves;
mod numbers;
mod outcomes;
mod placed;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use cozy_chess::Color;
use rayon::prelude::*;

pub use board::PackedBoard;
use cache::Cache;
use endgame::Endgame;
use failures::Failures;
use moves::Position;
use numbers::{FAILED, MOST_TOGETHER};
use outcomes::{Need, outcome};
use placed::Placed;

use crate::error::Error;
use crate::material::Material;
use crate::numbering::PackedSquares;
use crate::tables::Tables;
use crate::value::{Dtz, Wdl};

/// What a position of a round takes besides its answer, and with it about half as much.
const BYTES_PER_POSITION: usize = 40;

/// The number of the reason why a position has no answer; [`BatchProber::reason`] has the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Failure(u16);

/// The outcome and the distance of a position with the fifty-move counter at zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The outcome for the side to move.
    pub wdl: Wdl,
    /// The distance to the next capture, pawn move or mate.
    pub dtz: Dtz,
    /// Whether the side to move is checkmated.
    pub checkmate: bool,
}

impl Answer {
    const DRAW: Answer = Answer {
        wdl: Wdl::Draw,
        dtz: Dtz {
            plies: 0,
            exact: true,
        },
        checkmate: false,
    };

    /// The outcome with a fifty-move counter, in plies, and whether it is certain. A rounded distance may leave open whether the
    /// counter reaches 100; then it is the outcome by the shorter one.
    ///
    /// ```
    /// use syzygy_tables::batch::Answer;
    /// use syzygy_tables::{Dtz, Wdl};
    ///
    /// let dtz = Dtz { plies: 40, exact: false };
    /// let answer = Answer { wdl: Wdl::Win, dtz, checkmate: false };
    /// assert_eq!(answer.with_counter(59), (Wdl::Win, true));
    /// assert_eq!(answer.with_counter(60), (Wdl::Win, false));
    /// assert_eq!(answer.with_counter(61), (Wdl::CursedWin, true));
    /// ```
    #[must_use]
    pub fn with_counter(&self, counter: u32) -> (Wdl, bool) {
        let last = counter.saturating_add(self.dtz.plies.unsigned_abs());
        let late = counter > 0 && last > 100;
        let certain = self.dtz.exact || counter == 0 || last != 100;
        match self.wdl {
            Wdl::Loss if self.checkmate => (Wdl::Loss, true),
            Wdl::Win if late => (Wdl::CursedWin, true),
            Wdl::Loss if late => (Wdl::BlessedLoss, true),
            Wdl::Win | Wdl::Loss => (self.wdl, certain),
            outcome => (outcome, true),
        }
    }
}

/// A prober of batches, from the files of [`Tables`].
///
/// ```no_run
/// use syzygy_tables::batch::{BatchProber, PackedBoard};
/// use syzygy_tables::cozy_chess::Board;
/// use syzygy_tables::{Tables, Wdl};
///
/// let tables = Tables::open("/path/to/syzygy")?;
/// let prober = BatchProber::new(&tables, 512 << 20);
/// let board: Board = "8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1".parse()?;
/// let boards = vec![PackedBoard::try_from(&board)?; 1000];
/// let answers = prober.probe_wdl(&boards);
/// for (reason, count) in prober.failures() {
///     eprintln!("{count} positions have no answer: {reason}");
/// }
/// assert_eq!(answers[999], Ok(Wdl::Loss));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct BatchProber<'t> {
    tables: &'t Tables,
    /// The most positions that are grouped together.
    round: usize,
    cache: Cache,
    failures: Failures,
    endgames: RwLock<HashMap<Material, Arc<Endgame>>>,
}

/// Positions of one material, and their places in the batch.
struct Group {
    endgame: Arc<Endgame>,
    rows: Vec<Placed>,
    numbers: Vec<u32>,
}

impl<'t> BatchProber<'t> {
    /// A prober that takes about so many bytes of memory, 64 MiB at least, beside positions and answers and the files, which
    /// are mapped. One half is for decoded sub-tables.
    #[must_use]
    pub fn new(tables: &'t Tables, memory: usize) -> BatchProber<'t> {
        let memory = memory.max(64 << 20);
        BatchProber {
            tables,
            round: memory / 8 / BYTES_PER_POSITION,
            cache: Cache::new(memory as u64 / 4 * 3),
            failures: Failures::default(),
            endgames: RwLock::default(),
        }
    }

    /// The outcome of each position, with the fifty-move counter at zero. Several threads share the work.
    ///
    /// Wherever [`Tables::probe_wdl`] has an answer, this is the same.
    pub fn probe_wdl(&self, boards: &[PackedBoard]) -> Vec<Result<Wdl, Failure>> {
        self.probe_boards(boards, Wdl::Draw, |endgame, rows| self.wdl(endgame, rows))
    }

    /// The outcome and the distance of each position, with the fifty-move counter at zero. Several threads share the work.
    ///
    /// Wherever [`Tables::probe`] has an answer, this is the same.
    pub fn probe(&self, boards: &[PackedBoard]) -> Vec<Result<Answer, Failure>> {
        self.probe_boards(boards, Answer::DRAW, |endgame, rows| {
            self.answers(endgame, rows)
        })
    }

    /// The outcome of each position of a material with that side to move, as [`probe_wdl`](BatchProber::probe_wdl) has it.
    /// White is the first side of the material's name. Positions that aren't legal have none.
    pub fn probe_wdl_of(
        &self,
        material: Material,
        side: Color,
        positions: &[PackedSquares],
    ) -> Vec<Result<Wdl, Failure>> {
        self.probe_squares(material, side, positions, Wdl::Draw, |endgame, rows| {
            self.wdl(endgame, rows)
        })
    }

    /// The outcome and the distance of each position of a material, as [`probe`](BatchProber::probe) has them.
    /// White is the first side of the material's name. Positions that aren't legal have none.
    pub fn probe_of(
        &self,
        material: Material,
        side: Color,
        positions: &[PackedSquares],
    ) -> Vec<Result<Answer, Failure>> {
        self.probe_squares(material, side, positions, Answer::DRAW, |endgame, rows| {
            self.answers(endgame, rows)
        })
    }

    /// The reason why a position has no answer: a file that is missing or damaged. Of a damaged file, the place that was found
    /// first is named.
    ///
    /// # Panics
    /// If the failure is of another prober.
    #[must_use]
    pub fn reason(&self, failure: Failure) -> Error {
        self.failures.reason(failure.0)
    }

    /// The reasons why positions had no answers, and how many there were for each.
    #[must_use]
    pub fn failures(&self) -> Vec<(Error, u64)> {
        self.failures.all()
    }

    /// Answers for positions of any materials, in rounds.
    fn probe_boards<A: Copy + Send>(
        &self,
        boards: &[PackedBoard],
        of_kings: A,
        job: impl Fn(&Endgame, &[Placed]) -> Vec<Result<A, Failure>> + Sync,
    ) -> Vec<Result<A, Failure>> {
        let mut answers = Vec::with_capacity(boards.len());
        for boards in boards.chunks(self.round) {
            let start = answers.len();
            answers.resize(start + boards.len(), Ok(of_kings));
            let answers = &mut answers[start..];
            let groups = self.group(boards);
            let parts = groups.iter().flat_map(|group| {
                let rows = group.rows.chunks(MOST_TOGETHER);
                rows.zip(group.numbers.chunks(MOST_TOGETHER))
                    .map(|(rows, numbers)| (&group.endgame, rows, numbers))
            });
            let parts: Vec<_> = parts.collect();
            let found: Vec<_> = (parts.par_iter())
                .map(|&(endgame, rows, _)| job(endgame, rows))
                .collect();
            for ((_, _, numbers), found) in parts.into_iter().zip(found) {
                for (&number, answer) in numbers.iter().zip(found) {
                    answers[number as usize] = answer;
                }
            }
        }
        self.count(&answers);
        answers
    }

    /// Groups positions by material; those of two kings are left out.
    fn group(&self, boards: &[PackedBoard]) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let mut by_material = HashMap::new();
        // Of all counts that were met, the group and whether colours are exchanged.
        let mut known: HashMap<u64, Option<(usize, bool)>> = HashMap::new();
        let mut last = (0, None);
        for (number, board) in boards.iter().enumerate() {
            let counts = board.counts();
            if counts != last.0 {
                let found = *known.entry(counts).or_insert_with(|| {
                    let (material, exchanged) = Material::of_pieces(board.pieces())?;
                    let group = *by_material.entry(material).or_insert_with(|| {
                        groups.push(Group {
                            endgame: self.endgame(material),
                            rows: Vec::new(),
                            numbers: Vec::new(),
                        });
                        groups.len() - 1
                    });
                    Some((group, exchanged))
                });
                last = (counts, found);
            }
            if let Some((group, exchanged)) = last.1 {
                let group = &mut groups[group];
                group.rows.push(board.place(&group.endgame, exchanged));
                group.numbers.push(number as u32);
            }
        }
        groups
    }

    /// Answers for positions of one material.
    fn probe_squares<A: Copy + Send>(
        &self,
        material: Material,
        side: Color,
        positions: &[PackedSquares],
        none: A,
        job: impl Fn(&Endgame, &[Placed]) -> Vec<Result<A, Failure>> + Sync,
    ) -> Vec<Result<A, Failure>> {
        let endgame = self.endgame(material);
        let mut answers = vec![Ok(none); positions.len()];
        let parts = positions.par_chunks(MOST_TOGETHER);
        parts
            .zip(answers.par_chunks_mut(MOST_TOGETHER))
            .for_each(|(positions, answers)| {
                let (mut rows, mut legal) = (Vec::with_capacity(positions.len()), Vec::new());
                for (number, &position) in positions.iter().enumerate() {
                    let placed = Placed::new(position, side);
                    match Position::new(&endgame, placed).fault() {
                        None => {
                            rows.push(endgame.normal(placed));
                            legal.push(number);
                        }
                        Some(fault) => {
                            let failed = self.failures.number(Error::Illegal(fault));
                            answers[number] = Err(Failure(failed));
                        }
                    }
                }
                for (number, answer) in legal.into_iter().zip(job(&endgame, &rows)) {
                    answers[number] = answer;
                }
            });
        self.count(&answers);
        answers
    }

    fn wdl(&self, endgame: &Endgame, rows: &[Placed]) -> Vec<Result<Wdl, Failure>> {
        let outcomes = self.outcomes(endgame, rows, Need::Outcome).into_iter();
        outcomes
            .map(|number| match number & FAILED {
                0 => Ok(outcome(number)),
                _ => Err(Failure(number)),
            })
            .collect()
    }

    fn answers(&self, endgame: &Endgame, rows: &[Placed]) -> Vec<Result<Answer, Failure>> {
        let outcomes = self.outcomes(endgame, rows, Need::Capture);
        let distances = self.distances(endgame, rows, &outcomes);
        let all = outcomes.into_iter().zip(distances).zip(rows);
        all.map(|((number, distance), &placed)| {
            if let Some(failure) = distance.failure() {
                return Err(Failure(failure));
            }
            let wdl = outcome(number);
            let plies = i32::from(distance.least);
            let mated = wdl == Wdl::Loss && plies == 1 && {
                let position = Position::new(endgame, placed);
                position.in_check() && !position.can_move_at_all()
            };
            Ok(Answer {
                wdl,
                dtz: Dtz {
                    plies: if wdl < Wdl::Draw { -plies } else { plies },
                    exact: distance.least == distance.most,
                },
                checkmate: mated,
            })
        })
        .collect()
    }

    /// Counts failures by their reasons.
    fn count<A>(&self, answers: &[Result<A, Failure>]) {
        let failures = answers.iter().filter_map(|answer| answer.as_ref().err());
        self.failures.count(failures.map(|failure| failure.0));
    }

    /// A material with its moves.
    fn endgame(&self, material: Material) -> Arc<Endgame> {
        let endgames = self.endgames.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(endgame) = endgames.get(&material) {
            return Arc::clone(endgame);
        }
        drop(endgames);
        let mut endgames = self
            .endgames
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let endgame = endgames.entry(material);
        Arc::clone(endgame.or_insert_with(|| Arc::new(Endgame::new(material))))
    }
}
