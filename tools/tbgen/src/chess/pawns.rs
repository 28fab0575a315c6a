//! Placements of pawns, and their order.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use tbindex::{Bitboard, Color, Material, Piece, PieceType, Position, Square, Symmetry};

/// The squares of all pawns, white's first. They make a sub-problem of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Pawns(pub(crate) [Bitboard; 2]);

impl Pawns {
    /// The pawns of a position.
    pub(crate) fn among(position: &Position) -> Pawns {
        let mut pawns = Pawns::default();
        for (piece, square) in position.occupied() {
            if piece.kind == PieceType::Pawn {
                pawns.add(piece.color, square);
            }
        }
        pawns
    }

    pub(crate) fn add(&mut self, color: Color, square: Square) {
        self.0[color as usize].0 |= 1 << square.number();
    }

    pub(crate) fn remove(&mut self, color: Color, square: Square) {
        self.0[color as usize].0 &= !(1 << square.number());
    }

    pub(crate) fn of(&self, color: Color) -> Bitboard {
        self.0[color as usize]
    }

    pub(crate) fn occupied(&self) -> Bitboard {
        self.0[0] | self.0[1]
    }

    /// These pawns with another square for each, and the same colours.
    pub(crate) fn image(self, symmetry: Symmetry) -> Pawns {
        Pawns(self.0.map(|set| symmetry.apply_to_set(set)))
    }

    /// These pawns with files mirrored.
    pub(crate) fn mirrored(self) -> Pawns {
        self.image(Symmetry::FlipHorizontal)
    }

    /// These pawns seen from the other side of the board, with exchanged colours.
    pub(crate) fn turned(self) -> Pawns {
        let Pawns([white, black]) = self.image(Symmetry::FlipVertical);
        Pawns([black, white])
    }

    /// The one that is solved of this placement and its mirror image.
    pub(crate) fn canonical(self) -> Pawns {
        self.max(self.mirrored())
    }

    /// The pawns but for those that are one step from promotion.
    pub(crate) fn without_promoting(self) -> Pawns {
        let Pawns([white, black]) = self;
        let (seventh, second) = (Bitboard(0x00ff_0000_0000_0000), Bitboard(0xff00));
        Pawns([white & !seventh, black & !second])
    }

    /// The pawns with their squares.
    pub(crate) fn pieces(&self) -> Vec<(Piece, Square)> {
        let of = |color| {
            let pawn = Piece::new(color, PieceType::Pawn);
            self.of(color).iter().map(move |square| (pawn, square))
        };
        Color::ALL.into_iter().flat_map(of).collect()
    }

    /// The sum of the ranks that the pawns have gone. No move of a pawn makes it less.
    fn advance(&self) -> usize {
        let gone = |(piece, square): (Piece, Square)| match piece.color {
            Color::White => square.index() / 8,
            Color::Black => 7 - square.index() / 8,
        };
        self.pieces().into_iter().map(gone).sum()
    }
}

/// Placements of a material's pawns, one of each pair of mirror images, the most advanced first. There is one,
/// an empty one, if there are no pawns.
#[derive(Debug)]
pub(crate) struct Placements {
    all: Vec<Pawns>,
    numbers: HashMap<Pawns, usize>,
    levels: Vec<Range<usize>>,
}

impl Placements {
    /// All placements.
    pub(crate) fn new(material: &Material) -> Placements {
        let mut all = vec![Pawns::default()];
        for color in Color::ALL {
            // Like pawns are put down in the order of their squares, each on one behind the last.
            let mut placed: Vec<(Pawns, u8)> = all.into_iter().map(|pawns| (pawns, 8)).collect();
            for _ in 0..material.count(Piece::new(color, PieceType::Pawn)) {
                let with = |(pawns, least): (Pawns, u8)| {
                    let free = (least..56).map(Square::new);
                    let free = free.filter(move |&square| !pawns.occupied().contains(square));
                    free.map(move |square| {
                        let mut pawns = pawns;
                        pawns.add(color, square);
                        (pawns, square.number() + 1)
                    })
                };
                placed = placed.into_iter().flat_map(with).collect();
            }
            all = placed.into_iter().map(|(pawns, _)| pawns).collect();
        }
        all.retain(|pawns| *pawns == pawns.canonical());
        Placements::of(all)
    }

    /// The number of placements, mirror images included.
    pub(crate) fn count(material: &Material) -> u64 {
        let mut free = 48;
        let mut all = 1;
        for color in Color::ALL {
            for number in 1..=material.count(Piece::new(color, PieceType::Pawn)) as u64 {
                all = all * free / number;
                free -= 1;
            }
        }
        all
    }

    /// Some placements, each canonical and there once.
    pub(crate) fn of(mut all: Vec<Pawns>) -> Placements {
        all.sort_by_key(|pawns| (Reverse(pawns.advance()), *pawns));
        let numbers = all.iter().enumerate().map(|(k, &pawns)| (pawns, k));
        let mut levels: Vec<Range<usize>> = Vec::new();
        for (k, pawns) in all.iter().enumerate() {
            match levels.last_mut() {
                Some(level) if all[level.start].advance() == pawns.advance() => level.end = k + 1,
                _ => levels.push(k..k + 1),
            }
        }
        Placements {
            numbers: numbers.collect(),
            levels,
            all,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    pub(crate) fn get(&self, number: usize) -> Pawns {
        self.all[number]
    }

    /// The number of a placement or of its mirror image, and whether it is that of the mirror image.
    ///
    /// # Panics
    /// If neither is there.
    pub(crate) fn find(&self, pawns: Pawns) -> (usize, bool) {
        self.look_for(pawns).expect("a placement that is there")
    }

    /// The placement that is there, or `None` if neither is.
    pub(crate) fn look_for(&self, pawns: Pawns) -> Option<(usize, bool)> {
        let canonical = pawns.canonical();
        let number = *self.numbers.get(&canonical)?;
        Some((number, canonical != pawns))
    }

    /// The numbers of placements that don't depend on one another. Each of these ranges depends on those before.
    pub(crate) fn levels(&self) -> &[Range<usize>] {
        &self.levels
    }
}
