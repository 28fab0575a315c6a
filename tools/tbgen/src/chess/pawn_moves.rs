//! The moves of pawns, which lead from one placement of pawns to another.

use tbindex::{Color, Conversion, Material, Piece, PieceType, Square};

use crate::chess::pawns::Pawns;
use crate::chess::piece_set::TYPES;

/// A move of a pawn, wherever the other pieces are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
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

fn last_rank(square: Square) -> bool {
    matches!(square.index() / 8, 0 | 7)
}

/// All moves of a side's pawns, en passant left out.
pub(crate) fn steps(material: &Material, pawns: Pawns, side: Color) -> Vec<Step> {
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
                |conversion: Option<Conversion>, pawns: Pawns, promoted: Option<Piece>| Step {
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
        let free = |square: Option<Square>| square.filter(|&to| !pawns.occupied().contains(to));
        if let Some(to) = free(on(from, side, 0, 1)) {
            add(to, None, None);
            if on(from, side, 0, -2).is_none()
                && let Some(further) = free(on(from, side, 0, 2))
            {
                add(further, None, Some(to));
            }
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
    pawns.of(side).iter().filter_map(move |to| {
        let (start, passed) = (on(to, side, 0, -2)?, on(to, side, 0, -1)?);
        let is_first = on(start, side, 0, -1).is_some() && on(start, side, 0, -2).is_none();
        let is_free = |square| !pawns.occupied().contains(square);
        (is_first && is_free(start) && is_free(passed)).then_some([start, passed])
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
