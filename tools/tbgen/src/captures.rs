//! Captures, which lead from a table to smaller ones.
//!
//! A capture is played backwards like any other move. In the position after the capture, put the captured
//! piece on the square of the capturing piece, and let the capturing piece move away from there. So a set
//! of positions of the smaller table becomes a set of impossible positions of this one, with two pieces on
//! a square, and the moves of `slice` do the rest.

use tbindex::{Color, KingMove};

use crate::kings::SLICES;
use crate::lanes::{Lanes, Row};
use crate::sets::Scratch;
use crate::shape::Shape;
use crate::slice::{Image, SPREAD, Slice, bits};

/// Positions of a smaller table, in this table's orientation and order of pieces.
#[derive(Clone, Debug)]
pub(crate) struct Targets {
    /// The piece that was captured: 0 for outer, 1 for inner, 2 for last.
    pub(crate) captured: usize,
    /// For each slice and each square of the first remaining piece, a word with the squares of the second.
    /// If one piece remains there is one word for each slice; if none does, the word's lowest bit counts.
    pub(crate) words: Vec<u64>,
}

impl Targets {
    /// The number of words in a slice of targets.
    pub(crate) fn words_per_slice(shape: &Shape) -> usize {
        shape.slabs()
    }

    pub(crate) fn empty(shape: &Shape, captured: usize) -> Targets {
        Targets {
            captured,
            words: vec![0; SLICES * Targets::words_per_slice(shape)],
        }
    }
}

impl Slice<'_> {
    /// Adds all positions from which `side` captures into the targets.
    #[inline(always)]
    pub(crate) fn captures<L: Lanes>(
        &self,
        side: Color,
        targets: &[Targets],
        scratch: &mut Scratch,
    ) {
        let words = Targets::words_per_slice(self.shape);
        let pieces = self.shape.pieces();
        for target in targets {
            let captured = target.captured;
            let own = &target.words[self.number * words..(self.number + 1) * words];
            for (role, piece) in pieces.iter().enumerate() {
                let moves = piece.is_some_and(|piece| piece.color == side && role != captured);
                if moves && own.iter().any(|&word| word != 0) {
                    let Scratch { rows, dirty, other } = scratch;
                    other.fill(Row::ZERO);
                    let (active, slabs) = share_a_square::<L>(captured, role, own, other);
                    self.piece_moves::<L>(role, other, &active, slabs, rows, dirty);
                }
            }
            for &KingMove {
                to,
                slice,
                symmetry,
                ..
            } in self.kings.moves(self.number, side)
            {
                let there = &target.words[slice * words..(slice + 1) * words];
                let image = Image::new(symmetry);
                self.king_captures::<L>(captured, to.index(), there, image, scratch);
            }
        }
    }

    /// Adds the positions in which a king captures on `to`. `there` has the targets of the slice that it
    /// reaches.
    #[inline(always)]
    fn king_captures<L: Lanes>(
        &self,
        captured: usize,
        to: usize,
        there: &[u64],
        image: Image,
        scratch: &mut Scratch,
    ) {
        let Scratch { rows, dirty, .. } = scratch;
        let alone = self.shape.pieces()[1].is_none();
        for here in 0..there.len() {
            let word = if alone {
                there[0]
            } else if there.len() == 64 {
                image.word(there[image.square_there(here)])
            } else {
                image.word(there[0])
            };
            if word == 0 {
                continue;
            }
            match captured {
                2 => {
                    for r in 0..8 {
                        let lanes = SPREAD[usize::from((word >> (8 * r)) as u8)];
                        let row = &mut rows[here * 8 + r];
                        let x = L::load(&lanes) & L::splat(1 << to);
                        (L::load(row) | x).store(row);
                    }
                    dirty[here] = 0xff;
                }
                1 => {
                    rows[here * 8 + to / 8].0[to % 8] |= word;
                    dirty[here] |= 1 << (to / 8);
                }
                _ => {
                    rows[to * 8 + here / 8].0[here % 8] |= word;
                    dirty[to] |= 1 << (here / 8);
                }
            }
        }
    }
}

/// Writes the positions in which the captured piece shares its square with the one in `role`, and returns
/// the active rows and slabs.
#[inline(always)]
fn share_a_square<L: Lanes>(
    captured: usize,
    role: usize,
    words: &[u64],
    rows: &mut [Row],
) -> ([u8; 64], u64) {
    let mut active = [0u8; 64];
    let mut put = |rows: &mut [Row], slab: usize, inner: usize, word: u64| {
        rows[slab * 8 + inner / 8].0[inner % 8] |= word;
        active[slab] |= u8::from(word != 0) << (inner / 8);
    };
    for (k, &word) in words.iter().enumerate().filter(|&(_, &word)| word != 0) {
        match (captured, role) {
            // The remaining pieces are the outer and the inner one.
            (2, 0) => bits(word).for_each(|inner| put(rows, k, inner, 1 << k)),
            (2, _) => bits(word).for_each(|inner| put(rows, k, inner, 1 << inner)),
            // The outer and the last one.
            (1, 0) => put(rows, k, k, word),
            (1, _) => bits(word).for_each(|last| put(rows, k, last, 1 << last)),
            // The inner and the last one.
            (_, 1) => put(rows, k, k, word),
            (_, _) => bits(word).for_each(|last| put(rows, last, k, 1 << last)),
        }
    }
    let slabs = (0..rows.len() / 8).fold(0, |set, slab| set | u64::from(active[slab] != 0) << slab);
    (active, slabs)
}
