//! Where the writer has its values from.

use cozy_chess::Color;

use super::watch::Watch;
use crate::kind::Kind;
use crate::material::Material;
use crate::numbering::Numbering;
use crate::value::Wdl;

/// The numbers that a WDL file may have for a position: one, or any up to one.
///
/// Probers play all captures before they look at the number, so that a number that is too low does no harm where a capture
/// has the true value. The more freedom, the smaller the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct WdlEntry(
    /// 0 to 4 for one number, 5 to 8 for any number up to this less 4.
    pub(crate) u8,
);

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
}

/// The entry that a DTZ file may have for a position: a distance, or anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct DtzEntry(pub(crate) u16);

impl DtzEntry {
    /// Anything: the position is drawn, illegal or can't occur, or it is won and a capture or pawn move (en passant
    /// not) keeps exactly the value.
    pub const ANY: DtzEntry = DtzEntry(u16::MAX);

    /// The greatest distance.
    pub const MOST_PLIES: u16 = 4095;

    /// The entry of a position of this outcome, so many plies from the next capture, pawn move or mate. The
    /// plies of wins and losses are 0 to 100, 0 being checkmate, those of cursed wins and blessed losses begin at 101.
    ///
    /// # Panics
    /// If the plies are more than [`DtzEntry::MOST_PLIES`], or less than 101 for a cursed outcome.
    #[must_use]
    pub const fn new(outcome: Wdl, plies: u16) -> DtzEntry {
        assert!(plies <= DtzEntry::MOST_PLIES);
        assert!(!outcome.is_cursed() || plies > 100);
        match outcome.map() {
            Some(map) => DtzEntry((map as u16) << 12 | plies),
            None => DtzEntry::ANY,
        }
    }

    /// The outcome and the plies, or `None` for anything.
    #[must_use]
    pub const fn distance(self) -> Option<(Wdl, u16)> {
        match self.get() {
            Some((map, plies)) => Some((Wdl::DECIDED[map], plies)),
            None => None,
        }
    }

    /// The outcome's place in [`Wdl::DECIDED`] and the plies, or `None` for anything.
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
/// The writer tries several orders of positions. So it asks for samples of many orders, and then for all places of the best
/// one at once. It takes three bytes for each place of a sub-table, and some megabytes for each thread.
pub trait Source: Sync {
    /// The material.
    fn material(&self) -> Material;

    /// Writes the entries of consecutive places of a numbering, from `start` on, with this side to move: in a WDL file by
    /// their numbers in [`outcomes`](Source::outcomes), in a DTZ file by those in [`distances`](Source::distances). The entries
    /// of positions that can't occur must be open, which is [`WdlEntry::ANY`] and [`DtzEntry::ANY`].
    fn read(&self, kind: Kind, side: Color, numbering: &Numbering, start: u64, numbers: &mut [u8]);

    /// How many entries have each number, of a sub-table: that of all, or of a file of the leading pawn. A position may count
    /// more than once, but one that has a place must count.
    fn counts(&self, kind: Kind, side: Color, file: Option<u8>) -> [u64; 256];

    /// The entries of a WDL file that positions with this side to move have, 256 at most. A number that is not in the list
    /// stands for [`WdlEntry::ANY`].
    fn outcomes(&self, side: Color) -> Vec<WdlEntry>;

    /// The entries of a DTZ file that positions with this side to move have: [`DtzEntry::ANY`] and 255 others at most. A number
    /// that is not in the list stands for [`DtzEntry::ANY`].
    fn distances(&self, side: Color) -> Vec<DtzEntry>;
}

/// The numbers that a source has for consecutive places; if the work is stopped, any.
pub(crate) fn numbers(
    source: &dyn Source,
    watch: &Watch<'_>,
    (kind, side): (Kind, Color),
    numbering: &Numbering,
    start: u64,
    count: usize,
) -> Vec<u8> {
    let mut numbers = vec![0; count];
    if !watch.stopped() {
        source.read(kind, side, numbering, start, &mut numbers);
    }
    numbers
}

/// The entries of all numbers.
pub(crate) fn of_numbers<T: Copy>(list: Vec<T>, any: T) -> [T; 256] {
    let mut entries = [any; 256];
    for (to, from) in entries.iter_mut().zip(list) {
        *to = from;
    }
    entries
}
