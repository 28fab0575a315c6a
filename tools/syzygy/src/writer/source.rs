//! Where the writer has its values from.

use cozy_chess::Color;

use crate::file::Class;
use crate::material::Material;
use crate::numbering::{Numbering, PositionRow};
use crate::value::Wdl;

/// The numbers that a WDL file may have for a position: one, or any up to one.
///
/// Probers play all captures before they look at the number, so that a number that is too low does no harm where a capture
/// has the true value. The more freedom, the smaller the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct WdlEntry(u8);

impl WdlEntry {
    /// Any number: the position is illegal, can't occur, or a capture wins.
    pub const ANY: WdlEntry = WdlEntry(8);

    /// The entry of a position with this value, whose best legal capture (promotions by capture included, en passant
    /// not) has that one. En passant must be left out of the value, too, and so must castling.
    #[must_use]
    pub const fn new(value: Wdl, best_capture: Option<Wdl>) -> WdlEntry {
        match best_capture {
            Some(capture) if capture as i8 >= value as i8 => match value {
                Wdl::Loss => WdlEntry(0),
                value => WdlEntry(value.number() + 4),
            },
            _ => WdlEntry(value.number()),
        }
    }

    /// Whether this number may stand for the position.
    #[must_use]
    pub const fn allows(self, number: u8) -> bool {
        if self.0 <= 4 {
            number == self.0
        } else {
            number <= self.0 - 4
        }
    }

    /// 0 to 4 for one number, 5 to 8 for any number up to this less 4.
    pub(crate) const fn code(self) -> u8 {
        self.0
    }
}

/// The entry that a DTZ file may have for a position: a distance, or anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct DtzEntry(u16);

impl DtzEntry {
    /// Anything: the position is drawn, illegal or can't occur, or it is won and a capture or pawn move (en passant
    /// not) keeps exactly the value.
    pub const ANY: DtzEntry = DtzEntry(u16::MAX);

    /// The greatest distance.
    pub const MOST_PLIES: u16 = 4095;

    /// The entry of a position of this class, so many plies from the next capture, pawn move or mate. The
    /// plies of wins and losses are 0 to 100, 0 being checkmate, those of cursed wins and blessed losses begin at 101.
    ///
    /// # Panics
    /// If the plies are more than [`DtzEntry::MOST_PLIES`], or less than 101 for a cursed class.
    #[must_use]
    pub const fn new(class: Class, plies: u16) -> DtzEntry {
        assert!(plies <= DtzEntry::MOST_PLIES);
        let cursed = matches!(class, Class::CursedWin | Class::BlessedLoss);
        assert!(!cursed || plies > 100);
        DtzEntry((class as u16) << 12 | plies)
    }

    /// The class and the plies, or `None` for anything.
    #[must_use]
    pub const fn distance(self) -> Option<(Class, u16)> {
        match self.get() {
            Some((class, plies)) => Some((Class::ALL[class], plies)),
            None => None,
        }
    }

    /// The class's number and the plies, or `None` for anything.
    #[inline]
    pub(crate) const fn get(self) -> Option<(usize, u16)> {
        if self.0 == u16::MAX {
            None
        } else {
            Some(((self.0 >> 12) as usize, self.0 & 0xfff))
        }
    }
}

/// The values of all positions of a material, as a generator has them.
///
/// The writer tries several orders of positions, so it asks for a position more than once, in any order, and from
/// several threads. It asks for a row at a time: positions that differ in where one piece stands. There are as many
/// entries as squares in the row.
///
/// Byte k of a position is the square of piece k of [`Material::pieces`], which is the order of the name; like pieces are
/// in any order. Without pawns the positions are those of one part of the board; with pawns the leading pawn is on the
/// files a to d.
pub trait Source: Sync {
    /// The material.
    fn material(&self) -> Material;

    /// Writes the entries of a WDL file for the positions of a row with this side to move.
    fn wdl(&self, side: Color, row: PositionRow<'_>, entries: &mut [WdlEntry]);

    /// Writes the entries of a DTZ file for the positions of a row with this side to move.
    fn dtz(&self, side: Color, row: PositionRow<'_>, entries: &mut [DtzEntry]);
}

/// Asks for consecutive places, row by row.
pub(crate) fn fill<T>(
    numbering: &Numbering,
    start: u64,
    mut entries: &mut [T],
    mut ask: impl FnMut(PositionRow<'_>, &mut [T]),
) {
    let mut positions = numbering.positions(start);
    while let Some(row) = positions.next_row(entries.len()) {
        let (own, rest) = entries.split_at_mut(row.squares.len());
        ask(row, own);
        entries = rest;
    }
}
