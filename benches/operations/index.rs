//! The scalar index beside the look-up of each piece: `index/OPERATION/NUMBERING/nPIECES/CODE`.

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use tbindex::{Equivalence, Group, Layout, LikePieces, Numbering, Symmetry, Word, reference};
use tbindex_bench::race::{contender, race};

use crate::numbers;

/// As many indices as stay in the first-level cache.
const COUNT: usize = 1024;

/// One index at a time: the lowest bit of each answer goes into the next question, so that the calls
/// can neither overlap nor be made into vectors. The loop itself costs about two cycles a call.
fn chain<W: Word>(indices: &[W], f: impl Fn(W) -> W) {
    let next = |last, &index| f(index ^ (last & W::ONE));
    black_box(black_box(indices).iter().fold(W::ZERO, next));
}

/// The canonical index as a careful generator computes it by looking up: the code of the leading piece says which symmetry
/// folds it, and only if the leading piece is on the diagonal is the other candidate tried. Of a like pair, pieces 0 and 1,
/// the first has the greater code.
struct Folding {
    pieces: usize,
    numbering: Numbering,
    is_pair: bool,
    /// By the code of the leading piece.
    folds: [Symmetry; 64],
}

impl Folding {
    fn new(pieces: usize, numbering: Numbering, is_pair: bool) -> Folding {
        let image = |symmetry: Symmetry, code| {
            reference::IMAGE[numbering as usize][symmetry as usize][code]
        };
        let fold = |code| Symmetry::ALL.into_iter().min_by_key(|&s| image(s, code));
        Folding {
            pieces,
            numbering,
            is_pair,
            folds: std::array::from_fn(|code| fold(code).expect("eight")),
        }
    }

    fn canonical<W: Word>(&self, index: W) -> W {
        let flip = |symmetry, x| reference::flip(self.pieces, self.numbering, symmetry, x);
        let lead = |x| usize::from(self.code(x, self.pieces - 1));
        let folded = flip(self.folds[lead(index)], index);
        let diagonal = &reference::IMAGE[self.numbering as usize][Symmetry::FlipDiagonal as usize];
        let sorted = self.sorted(folded);
        match usize::from(diagonal[lead(folded)]) == lead(folded) {
            true => sorted.min(self.sorted(flip(Symmetry::FlipDiagonal, folded))),
            false => sorted,
        }
    }

    fn code<W: Word>(&self, index: W, piece: usize) -> u8 {
        let digit = |at: usize| (index >> (3 * at) as u32).low_byte() & 7;
        digit(self.pieces + piece) << 3 | digit(piece)
    }

    fn sorted<W: Word>(&self, index: W) -> W {
        if !self.is_pair || self.code(index, 0) >= self.code(index, 1) {
            return index;
        }
        let half = 3 * self.pieces as u32;
        let first = W::from(7) | W::from(7) << half;
        let rest = index & !(first | first << 3);
        rest | (index & first) << 3 | (index >> 3) & first
    }
}

/// Times an operation beside the reference, by which it is checked first.
fn compare<W: Word>(
    c: &mut Criterion,
    name: &str,
    indices: &[W],
    ours: impl Fn(W) -> W,
    theirs: impl Fn(W) -> W,
) {
    for &index in indices {
        assert_eq!(ours(index), theirs(index), "{name} of {index:#o}");
    }
    let loopless = contender("loopless", || chain(indices, &ours));
    let reference = contender("reference", || chain(indices, &theirs));
    let work = Throughput::Elements(COUNT as u64);
    race(c, format!("index/{name}"), work, [loopless, reference]);
}

fn of_pieces<W: Word + TryFrom<u64>>(c: &mut Criterion, pieces: usize) {
    let indices: Vec<W> = numbers(COUNT, 6 * pieces as u32);
    for numbering in Numbering::ALL {
        let of = format!("{numbering}/n{pieces}");
        let layout = Layout::<W>::new(pieces, numbering);
        for symmetry in [
            Symmetry::FlipVertical,
            Symmetry::FlipDiagonal,
            Symmetry::Rotate90,
        ] {
            let ours = |x| layout.flip(symmetry, x);
            let theirs = |x| reference::flip(pieces, numbering, symmetry, x);
            compare(c, &format!("{symmetry}/{of}"), &indices, ours, theirs);
        }
        for (name, sets) in [("canonical", &[][..]), ("canonical_like_pair", &[0b11])] {
            let like = LikePieces::try_new(sets, pieces).expect("a sound pair");
            let same = Equivalence::new(layout, Group::D4, like);
            let folding = Folding::new(pieces, numbering, !sets.is_empty());
            let theirs = |x| folding.canonical(x);
            let ours = |x| same.canonical(x);
            compare(c, &format!("{name}/{of}"), &indices, ours, theirs);
        }
    }
}

pub(crate) fn all(c: &mut Criterion) {
    of_pieces::<u32>(c, 3);
    of_pieces::<u32>(c, 5);
    of_pieces::<u64>(c, 10);
}
