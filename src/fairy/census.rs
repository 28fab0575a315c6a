//! Counting all 2²⁴ pieces.

use super::{Classifier, PieceFacts};
use crate::board::{Leaper, Symmetry};

/// Pieces counted by the reasons why they are bound.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// All pieces.
    pub pieces: u64,
    /// The free ones; the others are bound.
    pub free: u64,
    /// Pieces with a lattice of rank 2 that no half-plane confines, by the index of the lattice. The pieces with
    /// index 1 are the free ones.
    pub by_lattice_index: [u64; 9],
    /// Pieces with a lattice of rank 2 that a half-plane confines.
    pub half_plane_full_rank: u64,
    /// Pieces with a lattice of rank 0 or 1.
    pub degenerate: u64,
    /// Pieces within a published mask.
    pub within_a_mask: u64,
    /// Pieces that are bound, though they are within no published mask.
    pub bound_but_in_no_mask: u64,
    /// Pieces that are connected on the board.
    pub board_connected: u64,
    /// Pieces that are connected on the board, though bound on the plane. There are some only on boards of
    /// one file or one rank.
    pub board_connected_but_bound: u64,
    /// Pieces that are free on the plane, but not connected on the board.
    pub free_but_board_disconnected: u64,
}

impl Tally {
    /// Counts a piece `times` times.
    #[doc(hidden)]
    pub fn add(&mut self, facts: &PieceFacts, times: u64) {
        let when = |condition: bool| if condition { times } else { 0 };
        let masked = facts.masks != 0;
        self.pieces += times;
        self.free += when(facts.free);
        match facts.lattice_index {
            None => self.degenerate += times,
            Some(_) if facts.half_plane => self.half_plane_full_rank += times,
            Some(index) => self.by_lattice_index[index as usize] += times,
        }
        self.within_a_mask += when(masked);
        self.bound_but_in_no_mask += when(!facts.free && !masked);
        self.board_connected += when(facts.board_connected);
        self.board_connected_but_bound += when(facts.board_connected && !facts.free);
        self.free_but_board_disconnected += when(facts.free && !facts.board_connected);
    }

    /// Adds another tally to this one.
    fn merge(&mut self, other: &Tally) {
        self.pieces += other.pieces;
        self.free += other.free;
        for (sum, count) in self.by_lattice_index.iter_mut().zip(other.by_lattice_index) {
            *sum += count;
        }
        self.half_plane_full_rank += other.half_plane_full_rank;
        self.degenerate += other.degenerate;
        self.within_a_mask += other.within_a_mask;
        self.bound_but_in_no_mask += other.bound_but_in_no_mask;
        self.board_connected += other.board_connected;
        self.board_connected_but_bound += other.board_connected_but_bound;
        self.free_but_board_disconnected += other.free_but_board_disconnected;
    }
}

/// All 2²⁴ pieces counted, with their connectedness on one board.
///
/// ```
/// use tbindex::fairy::{Census, Classifier, Grid};
/// let census = Census::new(&Classifier::new(Grid::CHESS), &|_| {});
/// let all = &census.pieces;
/// assert_eq!((all.pieces, all.free), (16_777_216, 16_614_446));
/// assert_eq!(all.by_lattice_index[5], 2); // the two pinwheels
/// assert_eq!(census.classes.pieces, 2_105_872);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Census {
    /// The tally of all pieces.
    pub pieces: Tally,
    /// The tally of the classes of pieces that are images of each other.
    pub classes: Tally,
    /// The tallies of the pieces with 0, 1, … 24 moves.
    pub pieces_by_moves: [Tally; 25],
    /// The tallies of the classes with 0, 1, … 24 moves. A class has the images of a piece under the
    /// [symmetries](super::Grid::symmetries) of the board.
    pub classes_by_moves: [Tally; 25],
}

impl Census {
    /// Counts all pieces on the classifier's board, in parallel with the feature `rayon`.
    ///
    /// Images of each other have the same answers. So only one piece of each class of images is classified,
    /// and it is counted as often as it has images. On a square board these are the images under the eight
    /// symmetries, on others the images under the four that keep the board.
    ///
    /// `progress` is called from any thread with the number of pieces just done, 2²⁴ in all.
    #[must_use]
    pub fn new(classifier: &Classifier, progress: &(dyn Fn(u64) + Sync)) -> Census {
        let images = HalfImages::new(classifier.grid.symmetries());
        let run = |mut census: Census, high: u32| {
            census.count_run(classifier, &images, high);
            progress(RUN as u64);
            census
        };
        let runs = 0..Leaper::COUNT / RUN as u32;
        #[cfg(feature = "rayon")]
        let counted = {
            use rayon::iter::{IntoParallelIterator, ParallelIterator};
            runs.into_par_iter()
                .fold(Census::empty, run)
                .reduce(Census::empty, Census::merged)
        };
        #[cfg(not(feature = "rayon"))]
        let counted = runs.fold(Census::empty(), run);
        Census {
            pieces: sum(&counted.pieces_by_moves),
            classes: sum(&counted.classes_by_moves),
            ..counted
        }
    }

    fn empty() -> Census {
        Census {
            pieces: Tally::default(),
            classes: Tally::default(),
            pieces_by_moves: Default::default(),
            classes_by_moves: Default::default(),
        }
    }

    #[cfg(feature = "rayon")]
    fn merged(mut self, other: Census) -> Census {
        for (sum, tally) in self.pieces_by_moves.iter_mut().zip(&other.pieces_by_moves) {
            sum.merge(tally);
        }
        for (sum, tally) in self
            .classes_by_moves
            .iter_mut()
            .zip(&other.classes_by_moves)
        {
            sum.merge(tally);
        }
        self
    }

    /// Counts the pieces whose upper twelve bits are `high` and that are the first of their class.
    fn count_run(&mut self, classifier: &Classifier, images: &HalfImages, high: u32) {
        let mut firsts = Vec::with_capacity(RUN);
        let mut sizes = Vec::with_capacity(RUN);
        images.firsts_of_run(high, &mut firsts, &mut sizes);
        let mut facts = vec![PieceFacts::default(); firsts.len()];
        classifier.classify_into(&firsts, &mut facts);
        for (facts, size) in facts.iter().zip(sizes) {
            let moves = facts.moves as usize;
            self.pieces_by_moves[moves].add(facts, size.into());
            self.classes_by_moves[moves].add(facts, 1);
        }
    }
}

fn sum(tallies: &[Tally; 25]) -> Tally {
    tallies.iter().fold(Tally::default(), |mut sum, tally| {
        sum.merge(tally);
        sum
    })
}

/// The number of pieces with the same upper half, which make a run.
const RUN: usize = 1 << 12;

/// The images of pieces under some symmetries, by halves.
#[derive(Debug)]
pub struct HalfImages {
    /// For each symmetry but the identity, the images of the lower halves and of the upper ones.
    of_halves: Vec<(Vec<u32>, Vec<u32>)>,
}

impl HalfImages {
    /// The images under these symmetries.
    #[must_use]
    pub fn new(symmetries: &[Symmetry]) -> HalfImages {
        let image = |bits: u32, symmetry| Leaper::new(bits).image(symmetry).bits();
        let of_halves = symmetries
            .iter()
            .filter(|&&symmetry| symmetry != Symmetry::Identity)
            .map(|&symmetry| {
                let halves = 0..RUN as u32;
                (
                    halves.clone().map(|low| image(low, symmetry)).collect(),
                    halves.map(|high| image(high << 12, symmetry)).collect(),
                )
            })
            .collect();
        HalfImages { of_halves }
    }

    /// The pieces of a run with no smaller image, and how many different images each has.
    fn firsts_of_run(&self, high: u32, firsts: &mut Vec<Leaper>, sizes: &mut Vec<u8>) {
        let start = high << 12;
        // For each piece: the number of images that are smaller, and the number of those that are the piece
        // itself. The inner loop runs along the tables and has no branch, so that it compiles to vector
        // instructions.
        let mut smaller = [0u32; RUN];
        let mut equal = [1u32; RUN];
        for (lows, highs) in &self.of_halves {
            let high_image = highs[high as usize];
            let pieces = start..;
            for (((low_image, piece), smaller), equal) in
                lows.iter().zip(pieces).zip(&mut smaller).zip(&mut equal)
            {
                let image = low_image | high_image;
                *smaller += u32::from(image < piece);
                *equal += u32::from(image == piece);
            }
        }
        let order = self.order();
        for (piece, (smaller, equal)) in (start..).zip(smaller.into_iter().zip(equal)) {
            if smaller == 0 {
                firsts.push(Leaper::new(piece));
                sizes.push(order / equal as u8);
            }
        }
    }

    /// The number of symmetries.
    fn order(&self) -> u8 {
        self.of_halves.len() as u8 + 1
    }

    /// The piece's image with the smallest number, and how many different images it has.
    #[must_use]
    pub fn first(&self, piece: Leaper) -> (Leaper, u8) {
        let (low, high) = (piece.bits() as usize % RUN, piece.bits() as usize / RUN);
        let (mut first, mut equal) = (piece.bits(), 1);
        for (lows, highs) in &self.of_halves {
            let image = lows[low] | highs[high];
            first = first.min(image);
            equal += u8::from(image == piece.bits());
        }
        (Leaper::new(first), self.order() / equal)
    }
}
