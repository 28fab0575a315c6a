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
            let theirs =
                |x| reference::canonical_with_symmetry(pieces, numbering, Group::D4, sets, x).0;
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
