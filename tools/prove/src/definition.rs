//! The definitions that the library's formulas are compared with, as terms.
//!
//! They come from two pictures of the board and from the maps of file and rank, one piece at a time, and use
//! nothing of the library but the names of the symmetries.

use itertools::Itertools;
use tbindex::{Equivalence, Group, Numbering, Symmetry, Word};

use crate::term::{Term, add, and, choose, constant, equal, join, least, not, part, widen};

/// The boards of the natural and of the alternate numbering, rank 8 on top, as they were published.
const PICTURES: [[[u8; 8]; 8]; 2] = [
    [
        [0o70, 0o71, 0o72, 0o73, 0o74, 0o75, 0o76, 0o77],
        [0o60, 0o61, 0o62, 0o63, 0o64, 0o65, 0o66, 0o67],
        [0o50, 0o51, 0o52, 0o53, 0o54, 0o55, 0o56, 0o57],
        [0o40, 0o41, 0o42, 0o43, 0o44, 0o45, 0o46, 0o47],
        [0o30, 0o31, 0o32, 0o33, 0o34, 0o35, 0o36, 0o37],
        [0o20, 0o21, 0o22, 0o23, 0o24, 0o25, 0o26, 0o27],
        [0o10, 0o11, 0o12, 0o13, 0o14, 0o15, 0o16, 0o17],
        [0o00, 0o01, 0o02, 0o03, 0o04, 0o05, 0o06, 0o07],
    ],
    [
        [0o64, 0o04, 0o14, 0o24, 0o26, 0o16, 0o06, 0o66],
        [0o05, 0o65, 0o34, 0o44, 0o46, 0o36, 0o67, 0o07],
        [0o15, 0o35, 0o74, 0o54, 0o56, 0o76, 0o37, 0o17],
        [0o25, 0o45, 0o55, 0o75, 0o77, 0o57, 0o47, 0o27],
        [0o21, 0o41, 0o51, 0o71, 0o73, 0o53, 0o43, 0o23],
        [0o11, 0o31, 0o70, 0o50, 0o52, 0o72, 0o33, 0o13],
        [0o01, 0o61, 0o30, 0o40, 0o42, 0o32, 0o63, 0o03],
        [0o60, 0o00, 0o10, 0o20, 0o22, 0o12, 0o02, 0o62],
    ],
];

/// The code of each square, a1 first.
pub(crate) fn code_of_square(numbering: Numbering) -> [u8; 64] {
    std::array::from_fn(|square| PICTURES[numbering as usize][7 - square / 8][square % 8])
}

/// The square of each code.
pub(crate) fn square_of_code(numbering: Numbering) -> [u8; 64] {
    let mut squares = [0; 64];
    for (square, code) in (0..).zip(code_of_square(numbering)) {
        squares[usize::from(code)] = square;
    }
    squares
}

/// The published map of a symmetry, from (file, rank) to (file, rank).
pub(crate) fn image(symmetry: Symmetry, file: u8, rank: u8) -> (u8, u8) {
    match symmetry {
        Symmetry::Identity => (file, rank),
        Symmetry::FlipHorizontal => (7 - file, rank),
        Symmetry::FlipVertical => (file, 7 - rank),
        Symmetry::Rotate180 => (7 - file, 7 - rank),
        Symmetry::FlipDiagonal => (rank, file),
        Symmetry::FlipAntiDiagonal => (7 - rank, 7 - file),
        Symmetry::Rotate90 => (rank, 7 - file),
        Symmetry::Rotate270 => (7 - rank, file),
    }
}

/// The code of each code's image under a symmetry.
pub(crate) fn image_of_code(numbering: Numbering, symmetry: Symmetry) -> [u8; 64] {
    let (codes, squares) = (code_of_square(numbering), square_of_code(numbering));
    squares.map(|square| {
        let (file, rank) = image(symmetry, square % 8, square / 8);
        codes[usize::from(8 * rank + file)]
    })
}

/// The code under the other numbering of each code's square.
pub(crate) fn conversion(from: Numbering) -> [u8; 64] {
    let codes = code_of_square(match from {
        Numbering::Natural => Numbering::Alternate,
        Numbering::Alternate => Numbering::Natural,
    });
    square_of_code(from).map(|square| codes[usize::from(square)])
}

/// The entry of a table for a term, with so many bits. The table has an entry for each value of the term.
pub(crate) fn look_up<const LEN: usize>(at: Term, table: &[u8; LEN], width: u32) -> Term {
    let mut entries: Vec<Term> = table
        .iter()
        .map(|&entry| constant(entry.into(), width))
        .collect();
    for k in 0..LEN.ilog2() {
        let bit = part(at, k, 1);
        entries = entries
            .chunks(2)
            .map(|pair| choose(bit, pair[1], pair[0]))
            .collect();
    }
    entries[0]
}

/// The codes of an index's pieces, six bits each, piece 0 first.
pub(crate) fn codes(index: Term, pieces: usize) -> Vec<Term> {
    (0..pieces)
        .map(|k| {
            let low = part(index, 3 * k as u32, 3);
            let high = part(index, 3 * (pieces + k) as u32, 3);
            join(high, low)
        })
        .collect()
}

/// The index of these codes, with so many bits.
pub(crate) fn index_of(codes: &[Term], width: u32) -> Term {
    let lows = codes.iter().map(|&code| part(code, 0, 3));
    let highs = codes.iter().map(|&code| part(code, 3, 3));
    let index = lows.chain(highs).reduce(|low, high| join(high, low));
    widen(index.expect("an index has pieces"), width)
}

/// The index with every piece's code replaced by the table's entry for it.
pub(crate) fn mapped(index: Term, pieces: usize, table: &[u8; 64]) -> Term {
    let codes: Vec<Term> = codes(index, pieces)
        .into_iter()
        .map(|code| look_up(code, table, 6))
        .collect();
    index_of(&codes, index.width())
}

/// The image of an index under a symmetry.
pub(crate) fn flipped(
    index: Term,
    pieces: usize,
    numbering: Numbering,
    symmetry: Symmetry,
) -> Term {
    mapped(index, pieces, &image_of_code(numbering, symmetry))
}

/// The smallest index in which like pieces have exchanged their squares in any way. Each set of like pieces is a mask of
/// piece numbers.
fn least_arrangement(index: Term, pieces: usize, like: &[u32]) -> Term {
    let mut all = vec![codes(index, pieces)];
    for &set in like {
        let members = (0..pieces).filter(|&k| set >> k & 1 == 1);
        let orders: Vec<Vec<usize>> = members
            .clone()
            .permutations(set.count_ones() as usize)
            .collect();
        let mut arranged = Vec::new();
        for (codes, order) in all.iter().cartesian_product(&orders) {
            let mut codes_of_order = codes.clone();
            for (to, &from) in members.clone().zip(order) {
                codes_of_order[to] = codes[from];
            }
            arranged.push(codes_of_order);
        }
        all = arranged;
    }
    let all = all.iter().map(|codes| index_of(codes, index.width()));
    all.reduce(least).expect("there is an arrangement")
}

/// The members of a group in the order of their codes.
pub(crate) fn members(group: Group) -> Vec<Symmetry> {
    let mut members = group.members().to_vec();
    members.sort_by_key(|&symmetry| symmetry as u8);
    members
}

/// The pieces of an index, and which positions are equivalent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Same<'a> {
    pieces: usize,
    numbering: Numbering,
    group: Group,
    /// Sets of like pieces, each a mask of piece numbers.
    like: &'a [u32],
}

impl<'a> Same<'a> {
    /// The definition of an equivalence whose like pieces are these.
    pub(crate) fn of<W: Word>(same: &Equivalence<W>, like: &'a [u32]) -> Same<'a> {
        Same {
            pieces: same.layout().pieces(),
            numbering: same.layout().numbering(),
            group: same.group(),
            like,
        }
    }

    /// The images of an index under the symmetries, in the order of their codes.
    fn images(self, index: Term) -> Vec<Term> {
        let image = |symmetry| flipped(index, self.pieces, self.numbering, symmetry);
        members(self.group).into_iter().map(image).collect()
    }

    /// The least of an image with like pieces in every order, for each symmetry.
    fn arranged(self, index: Term) -> impl DoubleEndedIterator<Item = Term> + ExactSizeIterator {
        let images = self.images(index).into_iter();
        images.map(move |image| least_arrangement(image, self.pieces, self.like))
    }

    /// The canonical index: the smallest of all images, each with like pieces in every order.
    pub(crate) fn canonical(self, index: Term) -> Term {
        let all = self.arranged(index).reduce(least);
        all.expect("a group has members")
    }

    /// The smallest code of a symmetry that leads to the canonical index, as a byte.
    pub(crate) fn canonical_symmetry(self, index: Term) -> Term {
        let canonical = self.canonical(index);
        let pairs = self.arranged(index).zip(members(self.group)).rev();
        pairs.fold(constant(0, 8), |smallest, (image, symmetry)| {
            let code = constant((symmetry as u8).into(), 8);
            choose(equal(image, canonical), code, smallest)
        })
    }

    /// The number of different images that an index has, as a byte.
    pub(crate) fn orbit_size(self, index: Term) -> Term {
        let images = self.images(index);
        let mut count = constant(0, 8);
        for (k, &image) in images.iter().enumerate() {
            let is_new = images[..k].iter().fold(constant(1, 1), |all, &other| {
                and(all, not(equal(image, other)))
            });
            count = add(count, widen(is_new, 8));
        }
        count
    }
}
