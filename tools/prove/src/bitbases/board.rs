//! The placements of a domain as bits of memory, and what moves connect them, one by one.

use std::collections::HashSet;

use tbindex::bitbase::{Direction, Domain, Man, Row, Slot, Walk};
use tbindex::{Color, Leaper, Piece, PieceType, Square};

use super::feeds::{Bit, bits_of, complement, input};
use super::pieces::{Pieces, Placement};

/// A leaper whose moves back are not its moves forth: it goes like a gold general, and far to one side.
const CRAB: &str = "....X/.XXX./XXCX./..X../.X...";

/// The man of a letter, `QRBN` or `C` for the crab, white ones capital.
fn man(letter: char) -> Man {
    let color = Color::ALL[usize::from(letter.is_ascii_lowercase())];
    let walk = match PieceType::from_letter(letter) {
        Some(kind) => Walk::Chess(kind),
        None => Walk::Leaper(CRAB.parse().expect("a piece")),
    };
    Man { walk, color }
}

/// A domain with its pieces.
pub(super) struct Board {
    pub(super) domain: Domain,
    pub(super) pieces: Pieces,
}

/// The inputs that feed a position.
pub(super) struct Fed {
    /// The inputs from which moves of men come, or to which they lead.
    pub(super) men: HashSet<u32>,
    /// The classes of those of the king.
    pub(super) kings: HashSet<u32>,
}

impl Board {
    pub(super) fn new(men: &[Man], fixed: &[(Piece, Square)]) -> Board {
        let domain = Domain::of_men(men, fixed).expect("men of a domain");
        let pieces = Pieces::of(&domain);
        Board { domain, pieces }
    }

    /// The board of the men of these letters.
    pub(super) fn of(letters: &str, fixed: &[(Piece, Square)]) -> Board {
        Board::new(&letters.chars().map(man).collect::<Vec<_>>(), fixed)
    }

    /// The number of bits that a slice takes in memory.
    pub(super) fn stride(&self) -> usize {
        512 * self.domain.rows()
    }

    /// Rows of all slices, whose words stand for inputs in their order, where slots are; the others are empty.
    pub(super) fn inputs(&self) -> Vec<Row> {
        self.words(0, self.domain.slices(), input)
    }

    /// Does this for complements of inputs.
    pub(super) fn complements(&self) -> Vec<Row> {
        self.words(0, self.domain.slices(), complement)
    }

    /// Rows of so many slices, whose words stand for complements from a number on.
    pub(super) fn words(&self, first: usize, slices: usize, word: fn(usize) -> u64) -> Vec<Row> {
        let words = self.stride() / 64;
        let used = self.pieces.slots().div_ceil(64) as usize;
        let mut rows = vec![Row::EMPTY; slices * words / 8];
        let all = bytemuck::cast_slice_mut::<Row, u64>(&mut rows);
        for (at, to) in all
            .iter_mut()
            .enumerate()
            .filter(|(at, _)| at % words < used)
        {
            *to = word(first + at);
        }
        rows
    }

    /// The placement of a bit.
    fn placement(&self, bit: u32) -> Placement {
        let (slice, offset) = (bit as usize / self.stride(), bit as usize % self.stride());
        self.pieces.placement(slice, offset as u64)
    }

    fn bit(&self, slot: Slot) -> u32 {
        (slot.slice * self.stride()) as u32 + slot.offset as u32
    }

    /// The placements of a slice, each with its bit.
    pub(super) fn placements(&self, slice: usize) -> impl Iterator<Item = (u32, Placement)> {
        let slots = (0..self.pieces.slots()).map(move |offset| Slot { slice, offset });
        slots.map(|slot| {
            (
                self.bit(slot),
                self.pieces.placement(slot.slice, slot.offset),
            )
        })
    }

    /// The lesser of a bit and that of its twin, if it has one.
    pub(super) fn class(&self, bit: u32) -> u32 {
        match self.domain.has_twins(bit as usize / self.stride()) {
            true => self.least(self.placement(bit)),
            false => bit,
        }
    }

    fn least(&self, placement: Placement) -> u32 {
        let slots = self.pieces.slots_of(placement);
        self.bit(*slots.first().expect("kings in a slice"))
    }

    /// Whether no two pieces of a bit's placement share a square.
    pub(super) fn is_distinct(&self, bit: u32) -> bool {
        self.pieces.is_distinct(self.placement(bit))
    }

    /// The inputs that feed a position by moves of a side. A piece may come from another one's square, as callers take such
    /// placements out of sets.
    pub(super) fn fed(&self, bit: u32, placement: Placement, side: Color, way: Direction) -> Fed {
        let pieces = &self.pieces;
        let occupied = pieces.placed(placement).map(|(_, square)| square).collect();
        let moved = |k: usize| {
            let (man, here) = (pieces.kings_and_men[k], placement.0[k]);
            let there = match (man.walk, way) {
                (Walk::Leaper(leaper), Direction::Forward) => leaper.reversed().attacks(here),
                _ => man.attacks(here, occupied),
            };
            there.into_iter().map(move |square| {
                let mut moved = placement;
                moved.0[k] = square;
                (k, square, moved)
            })
        };
        let own = pieces
            .movers()
            .skip(2)
            .filter(|&k| pieces.kings_and_men[k].color == side);
        let up = |k: usize| 6 * (pieces.movers().end - 1 - k);
        let men = own.flat_map(moved).map(|(k, square, _)| {
            let from = u32::from(placement.0[k].number()) << up(k);
            bit - from + (u32::from(square.number()) << up(k))
        });
        // A king's move back is a king's move.
        let kings = moved(side as usize).filter(|&(.., moved)| pieces.has(moved));
        Fed {
            men: men.collect(),
            kings: kings.map(|(.., moved)| self.least(moved)).collect(),
        }
    }

    /// A placement in words.
    pub(super) fn describe(&self, bit: u32) -> String {
        let squares = self.placement(bit).0.into_iter();
        let squares = squares.take(self.pieces.movers().end);
        let names: Vec<String> = squares.map(|square| square.to_string()).collect();
        format!(
            "slice {}, {}",
            bit as usize / self.stride(),
            names.join(" ")
        )
    }
}

/// The 24 leapers that have one step each.
pub(super) fn single_steps() -> impl Iterator<Item = Man> {
    let steps = (0..24).map(|step| Leaper::new(1 << step));
    steps.map(|leaper| Man {
        walk: Walk::Leaper(leaper),
        color: Color::White,
    })
}

/// The bits of rows, one after the other.
pub(super) fn bits_of_rows(rows: &[Row]) -> Vec<Bit> {
    let words = rows.iter().flat_map(|row| row.0);
    words.flat_map(bits_of).collect()
}
