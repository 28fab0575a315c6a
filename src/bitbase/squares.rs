//! Operations on sets that depend on one square: whether a man is on it.

use super::captures::Captured;
use super::domain::Domain;
use super::moves::ALL_BUT_FILE;
use super::row::Row;
use super::set::Bitbase;
use super::slice::SPREAD;
use super::slots::digit;
use crate::board::Square;
use crate::checks::check_below;
use crate::debug::debug_by;

/// Checks that the slots of two domains have the same squares of all pieces that are not fixed.
///
/// # Panics
/// If they do not.
#[track_caller]
fn assert_same_squares(function: &str, one: &Domain, other: &Domain) {
    assert!(
        one.men() == other.men()
            && one.group() == other.group()
            && one.has_free_kings() == other.has_free_kings(),
        "{function}: {one:?} and {other:?}, expected the same men"
    );
}

/// A set of positions without a man, seen as the set of positions in which he is on a square, slab by slab. Only the set
/// without him is in memory.
///
/// So captures by pawns are taken back: the captured man stands on the square that the pawn has gone to. The
/// result still has to be intersected with the legal positions.
///
/// The square is the same in all slices, so the result is no set of positions up to symmetry unless the
/// group leaves the square in place. With pawns the group is mostly trivial; otherwise take the domain in the
/// trivial [group](Domain::in_group).
///
/// ```
/// use tbindex::bitbase::{Bitbase, Captured, Domain, Row, WithMan};
/// use tbindex::batch::Backend;
/// use tbindex::{Color, Piece, PieceType};
/// // The pawn takes the rook on f7. These are the positions before the capture.
/// let pawn = Piece::new(Color::White, PieceType::Pawn);
/// let before = Domain::try_new("KPvKR".parse()?, &[(pawn, "e6".parse()?)])?.with_free_kings();
/// let after = before.after(Captured::Man(2))?.with_others_fixed(&[(pawn, "f7".parse()?)])?;
/// let backend = Backend::detect();
/// let legal = Bitbase::legal(&after, Color::Black, backend)?;
/// let with_rook = WithMan::new(&before, 2, "f7".parse()?, &legal);
/// let mut captures = Bitbase::try_new(&before)?;
/// for (slab, rows) in captures.rows_mut().chunks_exact_mut(8).enumerate() {
///     rows.copy_from_slice(&with_rook.slab(0, slab).unwrap_or([Row::EMPTY; 8]));
/// }
/// let legal = Bitbase::legal(&before, Color::White, backend)?;
/// for (row, &legal) in captures.rows_mut().iter_mut().zip(legal.rows()) {
///     *row &= legal;
/// }
/// assert_eq!(captures.count(), 3338);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct WithMan<'a> {
    /// The rows of the set without him, and how many of them a slice has.
    rows: &'a [Row],
    of_slice: usize,
    /// The number of men with him.
    men: usize,
    man: usize,
    square: Square,
}

impl<'a> WithMan<'a> {
    /// The positions of a domain with a man on a square that are in the set `without` once he is taken off the board.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Bitbase, Captured, Domain, Row, WithMan};
    /// # use tbindex::Color;
    /// let before = Domain::try_new("KQvKR".parse()?, &[])?.with_free_kings();
    /// let without = Bitbase::legal(&before.after(Captured::Man(3))?, Color::Black, Backend::detect())?;
    /// let with_rook = WithMan::new(&before, 3, "f7".parse()?, &without);
    /// // Each position without the rook is one with him on f7.
    /// let slabs = (0..before.slabs()).filter_map(|slab| with_rook.slab(0, slab));
    /// let count: u32 = slabs.flatten().map(|row| row.len()).sum();
    /// assert_eq!(u64::from(count), without.count());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If `man` is out of range or a king, or the set without him has other men or slices.
    #[must_use]
    #[track_caller]
    pub fn new(domain: &Domain, man: usize, square: Square, without: &'a Bitbase) -> WithMan<'a> {
        let rest = domain
            .after(Captured::Man(man))
            .expect("no fixed piece is captured");
        assert_same_squares("WithMan::new", &rest, without.domain());
        WithMan {
            rows: without.rows(),
            of_slice: without.domain().rows(),
            men: domain.men().len(),
            man,
            square,
        }
    }

    /// The rows of a slab of a slice, or `None` if the man is not on the square in any position of it. It may also be `None`
    /// if the set has no such position.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Bitbase, Captured, Domain, Row, WithMan};
    /// # use tbindex::Color;
    /// let before = Domain::try_new("KQvK".parse()?, &[])?.with_free_kings();
    /// let without = Bitbase::legal(&before.after(Captured::Man(2))?, Color::Black, Backend::detect())?;
    /// let with_queen = WithMan::new(&before, 2, "f7".parse()?, &without);
    /// // The white king is on a1, the black one on any of 60 squares that it does not touch.
    /// let slab = with_queen.slab(0, 0).expect("the kings are apart");
    /// assert_eq!(slab.iter().map(Row::len).sum::<u32>(), 60);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If `slice` or `slab` is out of range.
    #[must_use]
    #[inline(always)]
    #[track_caller]
    pub fn slab(&self, slice: usize, slab: usize) -> Option<[Row; 8]> {
        check_below("slab", "slice", slice, self.rows.len() / self.of_slice);
        let rows = &self.rows[slice * self.of_slice..(slice + 1) * self.of_slice];
        let outer = self.men.saturating_sub(2);
        check_below("slab", "slab", slab, 1 << (6 * outer));
        let mut slab_rows = [Row::EMPTY; 8];
        if self.man < outer {
            let low = 6 * (outer - 1 - self.man);
            if slab >> low & 63 != self.square.index() {
                return None;
            }
            let at = 8 * (slab >> (low + 6) << low | slab & ((1 << low) - 1));
            slab_rows.copy_from_slice(&rows[at..at + 8]);
            return Some(slab_rows);
        }
        // A word of the others is a slab with him.
        let word = rows[slab / 8].0[slab % 8];
        if word == 0 {
            return None;
        }
        if self.men < 2 {
            slab_rows[0].0[0] = (word & 1) << self.square.number();
        } else if self.man + 1 < self.men {
            slab_rows[self.square.index() / 8].0[self.square.index() % 8] = word;
        } else {
            // The last of the others is the last but one with him: bits become words.
            for (r, row) in slab_rows.iter_mut().enumerate() {
                *row = SPREAD[usize::from((word >> (8 * r)) as u8)];
                for word in &mut row.0 {
                    *word &= 1 << self.square.number();
                }
            }
        }
        Some(slab_rows)
    }
}

impl Bitbase {
    /// The set with the same slots in a domain with the same men in the same order and the same slices, which may have other
    /// fixed pieces. The squares of all pieces that are not fixed are the same.
    ///
    /// So the step of a pawn is taken back. The result still has to be intersected with the legal positions.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Bitbase, Domain};
    /// # use tbindex::{Color, Fen, Piece, PieceType};
    /// let pawn = |square: &str| [(Piece::new(Color::White, PieceType::Pawn), square.parse().unwrap())];
    /// // The pawn has stepped from e6 to e7.
    /// let on_e7 = Domain::try_new("KPvK".parse()?, &pawn("e7"))?;
    /// let on_e6 = on_e7.with_others_fixed(&pawn("e6"))?;
    /// let legal = Bitbase::legal(&on_e7, Color::Black, Backend::detect())?;
    /// let before = legal.with_same_squares(&on_e6);
    /// let fen: Fen = "8/2k5/4P3/8/8/8/8/K7 w - -".parse()?;
    /// assert!(before.contains(on_e6.slot(&fen.position)?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If the domain has other men or slices.
    #[must_use]
    #[track_caller]
    pub fn with_same_squares(self, domain: &Domain) -> Bitbase {
        assert_same_squares("with_same_squares", self.domain(), domain);
        self.in_domain(domain.clone())
    }

    /// Removes the positions in which a man or a king is on a square. It does not look at fixed pieces.
    ///
    /// So a pawn that is about to step onto the square finds it free. The square is the same in all slices, as of
    /// [`WithMan`].
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Bitbase, Domain};
    /// # use tbindex::{Color, Group};
    /// let domain = Domain::try_new("KRvK".parse()?, &[])?.in_group(Group::Trivial)?;
    /// let mut free = Bitbase::legal(&domain, Color::Black, Backend::detect())?;
    /// assert_eq!(free.count(), 3612 * 62);
    /// // Three pieces are on other squares than a1.
    /// free.remove_on("a1".parse()?);
    /// assert_eq!(free.count(), (3612 - 2 * 60) * 61);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn remove_on(&mut self, square: Square) {
        let domain = self.domain().clone();
        let men = domain.men().len();
        let outer = men.saturating_sub(2);
        let (rank, file) = (square.index() / 8, square.index() % 8);
        for (slice, rows) in self.slices_mut().enumerate() {
            let kings = domain.king_pairs().map(|pairs| pairs.all()[slice]);
            if kings.is_some_and(|kings| kings.contains(&square)) {
                rows.fill(Default::default());
                continue;
            }
            for (slab, rows) in rows.chunks_exact_mut(8).enumerate() {
                if (0..outer).any(|k| digit(slab as u64, outer, k) == square) {
                    rows.fill(Default::default());
                    continue;
                }
                if men >= 2 {
                    rows[rank] &= ALL_BUT_FILE[file];
                }
                if men >= 1 {
                    for row in rows {
                        row.0 = row.0.map(|word| word & !(1 << square.number()));
                    }
                }
            }
        }
    }
}

debug_by!([] WithMan<'_>: men, man, square);
