//! Captures, which lead from a domain to smaller ones.
//!
//! A capture is played backwards like any other move. In the position after the capture, put the captured
//! piece on the square of the capturing piece, and let the capturing piece move away from there. So a set of
//! positions of the smaller domain becomes a set of placements of this one with two pieces on a square, and
//! the moves of men do the rest.

use super::accumulator::Accumulator;
use super::convert::{Seen, words_of};
use super::counts::dispatch_sums;
use super::domain::{Domain, DomainError};
use super::eight_boards::{EightBoards, HasBoards};
use super::image::Image;
use super::man::Direction;
use super::notes::{Scratch, Sink};
use super::set::Bitbase;
use super::slice::{SPREAD, Slice};
use crate::batch::Backend;
use crate::board::{Color, Square, bits};
use crate::checks::check_below;
use crate::debug::debug_by;
use crate::index::KingMove;

/// A piece of a [`Domain`] that is captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Captured {
    /// A man, by his place in [`Domain::men`].
    Man(usize),
    /// A fixed piece, by its place in [`Domain::fixed`].
    Fixed(usize),
}

/// A piece of a [`Domain`] that captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Capturer {
    /// A man, by his place in [`Domain::men`]. A free king is one of them.
    Man(usize),
    /// The king, in a domain whose kings are not free.
    King,
}

impl Domain {
    /// The pieces that can capture this one: the men of the other side in order, and last its king if he is no man.
    ///
    /// ```
    /// # use tbindex::bitbase::{Captured, Capturer, Domain};
    /// // Of KQBvKR the rook, the second man, is captured by the queen, the bishop and the king.
    /// let domain = Domain::try_new("KQBvKR".parse()?, &[])?;
    /// let by: Vec<Capturer> = domain.capturers(Captured::Man(1)).collect();
    /// assert_eq!(by, [Capturer::Man(0), Capturer::Man(2), Capturer::King]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the domain does not have the piece.
    pub fn capturers(&self, captured: Captured) -> impl Iterator<Item = Capturer> {
        let side = self.color_of(captured).other();
        let men = (0..self.men().len())
            .filter(move |&k| self.men()[k].color == side)
            .map(Capturer::Man);
        men.chain((!self.has_free_kings()).then_some(Capturer::King))
    }

    /// The pieces that `side` can capture: the men of the other side in order, a free king left out, then its
    /// fixed pieces.
    ///
    /// ```
    /// # use tbindex::bitbase::{Captured, Domain};
    /// # use tbindex::{Color, Piece, PieceType};
    /// let pawn = (Piece::new(Color::Black, PieceType::Pawn), "e3".parse()?);
    /// let domain = Domain::try_new("KQvKRP".parse()?, &[pawn])?;
    /// let captured: Vec<Captured> = domain.captured_by(Color::White).collect();
    /// assert_eq!(captured, [Captured::Man(1), Captured::Fixed(0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn captured_by(&self, side: Color) -> impl Iterator<Item = Captured> {
        let men = (0..self.men().len())
            .filter(move |&k| self.men()[k].color != side && !self.men()[k].is_king())
            .map(Captured::Man);
        let fixed = (0..self.fixed().len())
            .filter(move |&k| self.fixed()[k].0.color != side)
            .map(Captured::Fixed);
        men.chain(fixed)
    }

    /// The domain after a capture. It has the same group and slices, and the other men in the same order.
    ///
    /// ```
    /// # use tbindex::bitbase::{Captured, Domain};
    /// let after = Domain::try_new("KQvKR".parse()?, &[])?.after(Captured::Man(1))?;
    /// assert!(after == Domain::try_new("KQvK".parse()?, &[])?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the group moves the fixed pieces that are left, for instance one of two pawns that were mirror
    /// images. Take this domain in a smaller [group](Domain::in_group) then. Captures of men never fail.
    ///
    /// # Panics
    /// If the domain does not have the piece, or it is a king.
    #[track_caller]
    pub fn after(&self, captured: Captured) -> Result<Domain, DomainError> {
        let (mut men, mut fixed) = (self.men().to_vec(), self.fixed().to_vec());
        match captured {
            Captured::Man(man) => {
                check_below("after", "man", man, men.len());
                assert!(!men.remove(man).is_king(), "after: man {man} is a king");
                Ok(Domain::of_parts(&men, fixed, self.group_of_slices()))
            }
            Captured::Fixed(at) => {
                check_below("after", "fixed piece", at, fixed.len());
                fixed.remove(at);
                self.with_others_fixed(&fixed)?.in_group(self.group())
            }
        }
    }

    fn color_of(&self, captured: Captured) -> Color {
        match captured {
            Captured::Man(man) => self.men()[man].color,
            Captured::Fixed(fixed) => self.fixed()[fixed].0.color,
        }
    }
}

/// The captures of a piece that lead into a set of positions without it, ready for [`Accumulator::captures`]. They are equal
/// if they are of the same piece of equal domains and lead to the same positions.
#[derive(Clone, PartialEq)]
pub struct Captures {
    domain: Domain,
    captured: Captured,
    /// The words of the set's slices that stand for positions: one for a slice with one man or none, else 64 for each
    /// man but the last. A slice without positions has none.
    words: Vec<Vec<u64>>,
}

impl Captures {
    /// The captures of a piece of a domain that lead into a set.
    ///
    /// The side that does not own the piece captures, so the set has positions without the piece and with its
    /// owner to move. It is converted as by [`Bitbase::convert`]: its men may have another order, its group may
    /// be another, and with `swap_colors` all colours are exchanged, that of the side to move included.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Bitbase, Captured, Captures, Domain};
    /// # use tbindex::Color;
    /// // Black takes the queen, so KRvK is reached with exchanged colours.
    /// let domain = Domain::try_new("KQvKR".parse()?, &[])?;
    /// let rook = Domain::try_new("KRvK".parse()?, &[])?;
    /// let legal = Bitbase::legal(&rook, Color::Black, Backend::detect())?;
    /// let captures = Captures::try_new(&domain, Captured::Man(0), &legal, true, Backend::detect())?;
    /// assert!(!captures.is_empty());
    /// assert!(Captures::try_new(&domain, Captured::Man(1), &legal, true, Backend::detect()).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the set is of other pieces, or a fixed piece is captured and the group moves the fixed pieces that
    /// are left, as [`Domain::after`] says.
    ///
    /// # Panics
    /// If the domain does not have the piece, or it is a king.
    pub fn try_new(
        domain: &Domain,
        captured: Captured,
        set: &Bitbase,
        swap_colors: bool,
        backend: Backend,
    ) -> Result<Captures, DomainError> {
        let sets = [set];
        let all = Captures::of_each(domain, captured, &sets, swap_colors, |_| true, backend)?;
        Ok(all.into_iter().next().expect("of one set"))
    }

    /// The captures of a piece of a domain that lead into some slices of each of several sets, in the order of the sets.
    /// This takes less time than one set after the other. `wanted` accepts the numbers of the slices, of the domain
    /// after the capture, which has as many. The others take no memory.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Bitbase, Captured, Captures, Domain};
    /// # use tbindex::Color;
    /// let (domain, backend) = (Domain::try_new("KQvKR".parse()?, &[])?, Backend::detect());
    /// let queen = Domain::try_new("KQvK".parse()?, &[])?;
    /// let sets = [Bitbase::try_new(&queen)?, Bitbase::legal(&queen, Color::Black, backend)?];
    /// // Only those with both kings on the diagonal.
    /// let wanted = |slice| queen.has_twins(slice);
    /// let all = Captures::of_each(&domain, Captured::Man(1), &sets.each_ref(), false, wanted, backend)?;
    /// assert!(all[0].is_empty() && !all[1].is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`try_new`](Captures::try_new).
    ///
    /// # Panics
    /// As for `try_new`, and if the sets are of several domains.
    pub fn of_each(
        domain: &Domain,
        captured: Captured,
        sets: &[&Bitbase],
        swap_colors: bool,
        wanted: impl Fn(usize) -> bool,
        backend: Backend,
    ) -> Result<Vec<Captures>, DomainError> {
        let after = domain.after(captured)?;
        if sets.is_empty() {
            return Ok(Vec::new());
        }
        let seen = Seen::try_new(sets, &after, swap_colors, backend)?;
        let mut each = vec![vec![Vec::new(); after.slices()]; sets.len()];
        let slices = (0..after.slices()).filter(|&slice| wanted(slice));
        for slice in slices {
            let mut words = vec![vec![0; words_of(&after)]; sets.len()];
            let mut out: Vec<&mut [u64]> = words.iter_mut().map(Vec::as_mut_slice).collect();
            seen.slice_into(slice, &|_| true, &mut out);
            for (of_set, words) in each.iter_mut().zip(words) {
                if words.iter().any(|&word| word != 0) {
                    of_set[slice] = words;
                }
            }
        }
        let each = each.into_iter().map(|words| Captures {
            domain: domain.clone(),
            captured,
            words,
        });
        Ok(each.collect())
    }

    /// Whether the set has no positions, so that no capture leads into it.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Bitbase, Captured, Captures, Domain};
    /// // No position of KRvK is lost for white, so black never takes the queen to win.
    /// let domain = Domain::try_new("KQvKR".parse()?, &[])?;
    /// let none = Bitbase::try_new(&domain.after(Captured::Man(0))?)?;
    /// assert!(Captures::try_new(&domain, Captured::Man(0), &none, false, Backend::detect())?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(Vec::is_empty)
    }

    /// The words of a slice that has positions.
    #[inline(always)]
    fn words(&self, slice: usize) -> Option<&[u64]> {
        Some(&self.words[slice][..]).filter(|words| !words.is_empty())
    }
}

impl Accumulator {
    /// Adds the positions of a slice from which these captures lead into their sets. The king and the men of
    /// the side that does not own the captured piece capture; fixed pieces do not.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Accumulator, Bitbase, Captured, Captures, Domain, LikeMen, Slice};
    /// # use tbindex::Color::{Black, White};
    /// # let (domain, backend) = (Domain::try_new("KQvKR".parse()?, &[])?, Backend::detect());
    /// // White can take the rook in these positions.
    /// let after = Bitbase::legal(&domain.after(Captured::Man(1))?, Black, backend)?;
    /// let captures = Captures::try_new(&domain, Captured::Man(1), &after, false, backend)?;
    /// let mut takes = Bitbase::legal(&domain, White, backend)?;
    /// let mut found = Accumulator::new(&domain, backend);
    /// for (number, rows) in takes.slices_mut().enumerate() {
    ///     found.clear();
    ///     found.captures(&Slice::new(&domain, number), [&captures]);
    ///     rows.iter_mut().zip(found.rows()).for_each(|(row, &found)| *row &= found);
    /// }
    /// assert_eq!(takes.count_classes(LikeMen::Together), 480_686);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If captures are of another domain, or the slice is of a domain under another group.
    pub fn captures<'c>(
        &mut self,
        slice: &Slice<'_>,
        captures: impl IntoIterator<Item = &'c Captures>,
    ) {
        for captures in captures {
            for by in captures.domain.capturers(captures.captured) {
                self.captures_by(slice, by, captures);
            }
        }
    }

    /// Adds the positions of a slice from which captures by this piece alone lead into the set.
    ///
    /// A position has at most one capture of a piece by another. So where sets of the smaller domain are the bits of numbers
    /// that its positions have, one call for each bit gives the number of the position after the capture. The numbers of
    /// illegal placements mean nothing.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Accumulator, Bitbase, Captured, Capturer, Captures, Domain, Row, Slice};
    /// # use tbindex::Color::Black;
    /// # let (domain, backend) = (Domain::try_new("KQvKR".parse()?, &[])?, Backend::detect());
    /// let after = Bitbase::legal(&domain.after(Captured::Man(1))?, Black, backend)?;
    /// let captures = Captures::try_new(&domain, Captured::Man(1), &after, false, backend)?;
    /// // K on d4 takes the rook on one of eight squares, with k on h8 and the queen on any other.
    /// let mut by_king = Accumulator::new(&domain, backend);
    /// by_king.captures_by(&Slice::new(&domain, 461), Capturer::King, &captures);
    /// assert_eq!(by_king.rows().iter().map(Row::len).sum::<u32>(), 8 * 62);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If captures are of another domain, the slice is of a domain under another group, or the side that does not own the
    /// captured piece does not have the capturing one.
    #[track_caller]
    pub fn captures_by(&mut self, slice: &Slice<'_>, by: Capturer, captures: &Captures) {
        self.check("captures_by", slice, &captures.domain);
        match by {
            Capturer::Man(man) => {
                let captured = captures.domain.color_of(captures.captured);
                let color = captures.domain.men().get(man).map(|man| man.color);
                assert!(
                    color == Some(!captured),
                    "captures_by: man {man}, expected one of {:?}",
                    !captured
                );
                self.add_captures_of_man(slice, man, captures);
            }
            Capturer::King => {
                assert!(
                    !captures.domain.has_free_kings(),
                    "captures_by: a king of {:?}, which are men there",
                    captures.domain
                );
                dispatch_sums!(self.backend, self.counts(), token => add_captures_of_king(token, slice, captures, self));
            }
        }
    }

    /// Adds the captures of a man, who stays in the slice.
    fn add_captures_of_man(&mut self, slice: &Slice<'_>, man: usize, captures: &Captures) {
        let Some(after) = captures.words(slice.number) else {
            return;
        };
        let scratch = self.scratch.take();
        let mut shared = scratch.unwrap_or_else(|| Scratch::new(slice.slabs));
        match captures.captured {
            Captured::Man(captured) => share_a_square(slice.men, captured, man, after, &mut shared),
            Captured::Fixed(fixed) => {
                let (_, square) = slice.parts.fixed[fixed];
                on_a_square(slice.men, square, man, after, &mut shared);
            }
        }
        self.add_man_moves(slice, man, Direction::Backward, shared.source());
        shared.clear();
        self.scratch = Some(shared);
    }
}

#[inline(always)]
fn add_captures_of_king<T: HasBoards>(
    isa: T,
    slice: &Slice<'_>,
    captures: &Captures,
    accumulated: &mut Accumulator,
) {
    let side = captures.domain.color_of(captures.captured).other();
    for &KingMove {
        to,
        slice: number,
        symmetry,
        ..
    } in slice.king_moves(side)
    {
        let Some(there) = captures.words(number) else {
            continue;
        };
        let mut sink = accumulated.sink();
        match captures.captured {
            Captured::Man(captured) => {
                let image = Image::new(symmetry, slice.men - 1);
                king_captures::<T::Boards>(isa, slice.men, captured, to, there, image, &mut sink);
            }
            Captured::Fixed(fixed) if slice.parts.fixed[fixed].1 == to => {
                let image = Image::new(symmetry, slice.men);
                for here in 0..there.len() {
                    let word = image.word(there[image.there(here, slice.men.saturating_sub(1))]);
                    if word != 0 {
                        sink.add_word(here, word);
                    }
                }
            }
            Captured::Fixed(_) => {}
        }
    }
}

/// The number of a word with a digit put in at man `k` of `men`, from that of a domain without this man, who is
/// not the last one.
#[inline(always)]
fn with_digit(at: usize, men: usize, k: usize, digit: usize) -> usize {
    let low = 6 * (men - 2 - k);
    (at >> low) << (low + 6) | digit << low | at & ((1 << low) - 1)
}

/// Adds the positions in which a king captures a man on `to`. `there` has the words of the slice that he
/// reaches.
#[inline(always)]
fn king_captures<L: EightBoards>(
    isa: L::Isa,
    men: usize,
    captured: usize,
    to: Square,
    there: &[u64],
    image: Image,
    sink: &mut Sink<'_>,
) {
    let to = to.index();
    for here in 0..there.len() {
        let word = image.word(there[image.there(here, men.saturating_sub(2))]);
        if word == 0 {
            continue;
        }
        if captured + 1 < men {
            sink.add_word(with_digit(here, men, captured, to), word);
            continue;
        }
        // The bits have become words, of the man before the last.
        for r in 0..8 {
            let lanes = SPREAD[usize::from((word >> (8 * r)) as u8)];
            let these = L::load(isa, &lanes) & L::splat(isa, 1 << to);
            sink.add(isa, here, r, these.once(isa));
        }
    }
}

/// Writes the positions in which the captured man shares the square of man `k`, from the positions without him.
#[inline(always)]
pub(super) fn share_a_square(
    men: usize,
    captured: usize,
    k: usize,
    without: &[u64],
    out: &mut Scratch,
) {
    for (at, &word) in without.iter().enumerate().filter(|&(_, &word)| word != 0) {
        if captured + 1 == men {
            // The last of the others is the last but one now.
            for bit in bits(word) {
                let at = at << 6 | bit;
                out.add_word(at, 1 << (at >> (6 * (men - 2 - k)) & 63));
            }
        } else if k + 1 == men {
            for bit in bits(word) {
                out.add_word(with_digit(at, men, captured, bit), 1 << bit);
            }
        } else {
            // The digit of man `k` in a number that lacks the captured one's.
            let place = if k < captured { k } else { k - 1 };
            let square = at >> (6 * (men - 3 - place)) & 63;
            out.add_word(with_digit(at, men, captured, square), word);
        }
    }
}

/// Writes the positions in which man `k` is on a square.
#[inline(always)]
fn on_a_square(men: usize, square: Square, k: usize, all: &[u64], out: &mut Scratch) {
    for (at, &word) in all.iter().enumerate().filter(|&(_, &word)| word != 0) {
        if k + 1 == men {
            let word = word & 1 << square.number();
            if word != 0 {
                out.add_word(at, word);
            }
        } else if at >> (6 * (men - 2 - k)) & 63 == square.index() {
            out.add_word(at, word);
        }
    }
}

debug_by!([] Captures: domain, captured);
