//! Placements of pawns, their order, and the moves of pawns, which lead from one placement to another.

use std::cmp::Reverse;
use std::ops::Range;

use rustc_hash::FxHashMap;
use tbindex::{
    Bitboard, Color, Conversion, Material, Piece, PieceType, Position, Square, Symmetry,
};

use crate::chess::piece_set::TYPES;

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
            self.of(color).into_iter().map(move |square| (pawn, square))
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
    pub(crate) all: Vec<Pawns>,
    numbers: FxHashMap<Pawns, usize>,
    /// The numbers of placements that don't depend on one another. Each of these ranges depends on those before.
    pub(crate) levels: Vec<Range<usize>>,
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
}

/// A move of a pawn, wherever the other pieces are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PawnStep {
    /// The material after the move, with the colours as they are here.
    pub(crate) material: Material,
    /// The pawns after the move.
    pub(crate) pawns: Pawns,
    pub(crate) to: Square,
    /// The piece that the pawn becomes.
    pub(crate) promoted: Option<Piece>,
    /// The kind of the piece that is captured, if it is no pawn.
    pub(crate) captured: Option<PieceType>,
    /// Whether anything is captured.
    pub(crate) capture: bool,
    /// The square that the pawn passes on its first move, if it takes two steps.
    pub(crate) passed: Option<Square>,
}

/// The square some ranks and files on, seen from a side.
fn on(square: Square, side: Color, files: i8, ranks: i8) -> Option<Square> {
    square.offset(files, if side == Color::White { ranks } else { -ranks })
}

pub(crate) fn last_rank(square: Square) -> bool {
    matches!(square.index() / 8, 0 | 7)
}

/// The squares straight ahead of a pawn to which it can go, with these squares occupied: one, or two if it has not moved yet,
/// and what it passes on the second.
pub(crate) fn steps_ahead(
    from: Square,
    side: Color,
    occupied: Bitboard,
) -> impl Iterator<Item = (Square, Option<Square>)> {
    let free = |square: Option<Square>| square.filter(|&to| !occupied.contains(to));
    let first = free(on(from, side, 0, 1));
    let may_go_on = first.is_some() && on(from, side, 0, -2).is_none();
    let second = free(on(from, side, 0, 2)).filter(|_| may_go_on);
    let first_step = first.map(|to| (to, None));
    first_step.into_iter().chain(second.map(|to| (to, first)))
}

/// Where a pawn of `side` that passes a square on its first move begins, and where it ends.
pub(crate) fn passed_by(passed: Square, side: Color) -> Option<[Square; 2]> {
    let start = on(passed, side, 0, -1)?;
    let is_first = on(start, side, 0, -1).is_some() && on(start, side, 0, -2).is_none();
    is_first.then_some([start, on(passed, side, 0, 1)?])
}

/// All moves of a side's pawns, en passant left out.
pub(crate) fn steps(material: &Material, pawns: Pawns, side: Color) -> Vec<PawnStep> {
    let mut all = Vec::new();
    for from in pawns.of(side) {
        let mut without = pawns;
        without.remove(side, from);
        let mut add = |to: Square, captured: Option<PieceType>, passed: Option<Square>| {
            let mut after = without;
            if captured == Some(PieceType::Pawn) {
                after.remove(!side, to);
            }
            let step =
                |conversion: Option<Conversion>, pawns: Pawns, promoted: Option<Piece>| PawnStep {
                    material: conversion.map_or(*material, |conversion| {
                        material.after(conversion).expect("the pieces are there")
                    }),
                    pawns,
                    to,
                    promoted,
                    captured: captured.filter(|&kind| kind != PieceType::Pawn),
                    capture: captured.is_some(),
                    passed,
                };
            if last_rank(to) {
                all.extend(TYPES.map(|kind| {
                    let conversion = Conversion::Promotion {
                        by: side,
                        to: kind,
                        captured,
                    };
                    step(Some(conversion), after, Some(Piece::new(side, kind)))
                }));
            } else {
                after.add(side, to);
                let conversion = captured.map(|kind| Conversion::Capture {
                    captured: Piece::new(!side, kind),
                });
                all.push(step(conversion, after, None));
            }
        };
        for (to, passed) in steps_ahead(from, side, pawns.occupied()) {
            add(to, None, passed);
        }
        for to in [-1, 1]
            .into_iter()
            .filter_map(|files| on(from, side, files, 1))
        {
            if pawns.of(!side).contains(to) {
                add(to, Some(PieceType::Pawn), None);
            } else if !pawns.of(side).contains(to) {
                let there = |kind: &PieceType| material.count(Piece::new(!side, *kind)) > 0;
                for kind in TYPES.into_iter().filter(there) {
                    add(to, Some(kind), None);
                }
            }
        }
    }
    all
}

/// The captures en passant after a pawn of `side` has passed a square: the pawns after each.
pub(crate) fn en_passant(pawns: Pawns, side: Color, passed: Square) -> Vec<Pawns> {
    let Some(to) = on(passed, side, 0, 1) else {
        return Vec::new();
    };
    let capturers = [-1, 1].into_iter().filter_map(|files| to.offset(files, 0));
    capturers
        .filter(|&from| pawns.of(!side).contains(from))
        .map(|from| {
            let mut after = pawns;
            after.remove(side, to);
            after.remove(!side, from);
            after.add(!side, passed);
            after
        })
        .collect()
}

/// For each pawn of `side` that may just have made two steps, by the squares of the pawns: where it began, and what it passed.
pub(crate) fn passed_squares(pawns: Pawns, side: Color) -> impl Iterator<Item = [Square; 2]> {
    pawns.of(side).into_iter().filter_map(move |to| {
        let passed = on(to, side, 0, -1)?;
        let [start, _] = passed_by(passed, side)?;
        let is_free = |square| !pawns.occupied().contains(square);
        (is_free(start) && is_free(passed)).then_some([start, passed])
    })
}

/// The pawns after each capture en passant of a pawn of `side` that stands where it may just have made two steps.
pub(crate) fn steps_en_passant(pawns: Pawns, side: Color) -> Vec<Pawns> {
    passed_squares(pawns, side)
        .flat_map(|[_, passed]| en_passant(pawns, side, passed))
        .collect()
}

/// Whether a pawn of `side` may just have passed a square with a pawn of the other side beside it.
pub(crate) fn may_have_passed(pawns: Pawns, side: Color) -> bool {
    !steps_en_passant(pawns, side).is_empty()
}
