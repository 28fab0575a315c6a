//! The mating power of all pieces, up to their symmetry.

use std::collections::BTreeMap;

use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use rayon::slice::{ParallelSlice, ParallelSliceMut};
use tbindex::bits;
use tbindex::fairy::{Grid, HalfImages};
use tbindex::{Leaper, Symmetry};

use super::{MateSolver, MatingPower};

/// The number of classes that a thread takes at a time, which take some milliseconds.
const SHARE: usize = 64;

/// Classes of pieces that are images of each other, each with the piece with the smallest number.
///
/// On a square board these are the images under the eight symmetries, on others under the four that keep the
/// board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MateClasses {
    symmetries: &'static [Symmetry],
    /// In the order of their numbers.
    pieces: Vec<Leaper>,
    images: Vec<u8>,
}

impl MateClasses {
    /// The classes that have one of these pieces.
    #[must_use]
    pub fn of(grid: &Grid, pieces: impl IntoIterator<Item = Leaper>) -> MateClasses {
        let symmetries = grid.symmetries();
        let halves = HalfImages::new(symmetries);
        // A bit for each piece that is the first of its class.
        let mut firsts = vec![0u64; Leaper::COUNT as usize / 64];
        for piece in pieces {
            let first = halves.first(piece).0.bits();
            firsts[first as usize / 64] |= 1 << (first % 64);
        }
        let pieces = (firsts.into_iter().zip((0..).step_by(64)))
            .flat_map(|(word, at)| bits(word).map(move |bit| Leaper::new(at + bit as u32)));
        let pieces: Vec<Leaper> = pieces.collect();
        MateClasses {
            symmetries,
            images: pieces.iter().map(|&piece| halves.first(piece).1).collect(),
            pieces,
        }
    }

    /// The number of pieces in all classes together.
    #[must_use]
    pub fn piece_count(&self) -> u64 {
        self.images.iter().map(|&images| u64::from(images)).sum()
    }
}

/// The mating power of king and piece against the bare king, for all 2²⁴ pieces or some of them.
///
/// Images of each other achieve the same. So one piece of each class is solved, and counts as often as it has
/// images.
///
/// ```
/// use std::convert::Infallible;
/// use tbindex::Leaper;
/// use tbindex::batch::Backend;
/// use tbindex::fairy::Grid;
/// use tbindex_fairy::{MateCensus, MateClasses, MateSolver};
/// let solver = MateSolver::new(Grid::CHESS, Backend::detect());
/// // Of the pieces with two moves, 36 can give mate.
/// let classes = MateClasses::of(&Grid::CHESS, (0..Leaper::COUNT).map(Leaper::new).filter(|piece| piece.steps().len() == 2));
/// let census = MateCensus::try_new::<Infallible>(&solver, classes, &|_| Ok(()))?;
/// let tally = census.pieces();
/// assert_eq!((tally.pieces, tally.mates), (276, 36));
/// # Ok::<(), Infallible>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MateCensus {
    of: MateClasses,
    powers: Vec<MatingPower>,
}

/// Pieces that are images of each other, and their mating power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MateClass {
    /// The piece with the smallest number.
    pub piece: Leaper,
    /// The number of pieces in the class, 1 to 8.
    pub images: u8,
    /// The power of each of them.
    pub power: MatingPower,
}

impl MateCensus {
    /// Solves the classes on the solver's board, in parallel.
    ///
    /// `progress` is called from any thread with the number of pieces just done. An error from it ends the
    /// work.
    ///
    /// # Errors
    /// The error of `progress`.
    ///
    /// # Panics
    /// If the classes were made for a board with other symmetries.
    pub fn try_new<E: Send>(
        solver: &MateSolver,
        classes: MateClasses,
        progress: &(dyn Fn(u64) -> Result<(), E> + Sync),
    ) -> Result<MateCensus, E> {
        assert_eq!(
            classes.symmetries,
            solver.grid.symmetries(),
            "classes and solver are of boards with the same symmetries"
        );
        let mut powers = vec![MatingPower::default(); classes.pieces.len()];
        let share = |((pieces, images), powers): ((&[Leaper], &[u8]), &mut [MatingPower])| {
            solver.solve_into(pieces, powers);
            progress(images.iter().map(|&images| u64::from(images)).sum())
        };
        let MateClasses { pieces, images, .. } = &classes;
        let shares = pieces.par_chunks(SHARE).zip(images.par_chunks(SHARE));
        shares
            .zip(powers.par_chunks_mut(SHARE))
            .try_for_each(share)?;
        Ok(MateCensus {
            of: classes,
            powers,
        })
    }

    /// The classes in the order of their smallest pieces.
    pub fn classes(&self) -> impl ExactSizeIterator<Item = MateClass> {
        let solved = self.of.pieces.iter().zip(&self.of.images).zip(&self.powers);
        solved.map(|((&piece, &images), &power)| MateClass {
            piece,
            images,
            power,
        })
    }

    /// The power of a piece, or `None` if its class was not solved.
    #[must_use]
    pub fn power(&self, piece: Leaper) -> Option<MatingPower> {
        let images = self.of.symmetries.iter().map(|&by| piece.image(by));
        let first = images.fold(piece, Leaper::min);
        let place = self.of.pieces.binary_search(&first).ok()?;
        Some(self.powers[place])
    }

    /// The tally of all pieces.
    #[must_use]
    pub fn pieces(&self) -> MateTally {
        let mut tally = MateTally::default();
        for class in self.classes() {
            tally.add(&class.power, class.images.into());
        }
        tally
    }
}

/// Pieces counted by their mating power.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MateTally {
    /// All pieces.
    pub pieces: u64,
    /// Pieces that have a checkmate.
    pub mates: u64,
    /// Pieces that win every legal position with White to move.
    pub won_everywhere: u64,
    /// Pieces that win more than half of the legal positions with White to move.
    pub won_more_than_half: u64,
    /// The number of pieces for each length of their longest mate in plies; 0 stands for pieces that can't force a
    /// mate.
    pub longest: BTreeMap<u16, u64>,
}

impl MateTally {
    /// Counts a piece `times` times.
    pub fn add(&mut self, power: &MatingPower, times: u64) {
        let when = |condition: bool| if condition { times } else { 0 };
        self.pieces += times;
        self.mates += when(power.mates > 0);
        self.won_everywhere += when(power.wins_everywhere());
        self.won_more_than_half += when(power.share() > 0.5);
        *self.longest.entry(power.longest).or_default() += times;
    }
}
