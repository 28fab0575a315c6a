//! From the squares of pieces to the place of a value in its sub-table, and back.
//!
//! A [`Numbering`] is how a file orders the places of one sub-table: the order of the pieces, and the group of them
//! that counts fastest. [The format's page](crate::format) has the rules.

pub(crate) mod constants;
mod places;

use crate::material::{ColoredPiece, MOST_PIECES, Material};
use constants::{
    KING_SQUARES, KINGS, THREE, THREES, binomial, file, leading_pawns_below, number_of_kings,
    number_of_three, pawn_number, pawn_square, rank,
};
pub use places::{PackedSquares, PositionRow, Positions, square_of};

use std::ops::Range;

use cozy_chess::Piece;

/// The reason why an order of pieces is no numbering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NumberingError {
    /// The pieces are not those of a table.
    #[error("there must be two kings and one to five other pieces")]
    Pieces,
    /// A file is given without pawns, or missing with pawns.
    #[error("the file of the leading pawn must be given with pawns (0 to 3), and not without")]
    File,
    /// Two like pieces are apart, or the leading group is not where it must be.
    #[error("the pieces of each group must stand together, and the leading group first")]
    Order,
    /// The places of the leading groups are out of range, or the same.
    #[error(
        "the places of the leading groups must be different, and less than the number of groups"
    )]
    Place,
}

/// The pieces that lead the sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leading {
    /// Three pieces that occur once.
    Three,
    /// The two kings.
    Kings,
    /// The pawns of one colour, the leading one on this file.
    Pawns { file: u8 },
}

/// Like pieces, or the leading ones.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    start: u8,
    len: u8,
    /// 8 for the other colour's pawns, which have no first rank, and 0 for all others.
    lowest: u8,
    /// The increase of the index for a step of this group's number.
    factor: u64,
    size: u64,
}

/// The order of a sub-table's values.
#[derive(Clone, Debug)]
pub struct Numbering {
    material: Material,
    pieces: [ColoredPiece; MOST_PIECES],
    /// For each piece, the lowest bit of its square in [`PackedSquares`].
    shifts: [u8; MOST_PIECES],
    len: usize,
    leading: Leading,
    groups: [Group; MOST_PIECES],
    group_count: usize,
    /// The groups from the fastest to the slowest.
    by_place: [u8; MOST_PIECES],
    order: u8,
    order2: u8,
    size: u64,
}

impl Numbering {
    /// The numbering of pieces in this order. White is the first side of the material's name. `order` is the place of
    /// the leading group, 0 being the fastest, and `order2` that of the second group if both sides have pawns; it is
    /// ignored otherwise. `file` is that of the leading pawn, 0 to 3.
    ///
    /// # Errors
    /// If the order is none that a file may have.
    pub fn try_new(
        pieces: &[ColoredPiece],
        order: u8,
        order2: u8,
        file: Option<u8>,
    ) -> Result<Numbering, NumberingError> {
        let (material, exchanged) =
            Material::of_pieces(pieces.iter().copied()).ok_or(NumberingError::Pieces)?;
        if exchanged {
            return Err(NumberingError::Pieces);
        }
        if file.is_some() != material.has_pawns() || file.is_some_and(|file| file > 3) {
            return Err(NumberingError::File);
        }
        let (leading, second) = leading_lengths(&material);
        let kind = match file {
            Some(file) => Leading::Pawns { file },
            None if leading == 3 => Leading::Three,
            None => Leading::Kings,
        };
        check_leading(&material, pieces, kind, leading, second)?;

        let mut numbering = Numbering {
            material,
            pieces: [pieces[0]; MOST_PIECES],
            shifts: slots(&material, pieces).map(|slot| 8 * slot),
            len: pieces.len(),
            leading: kind,
            groups: [Group::default(); MOST_PIECES],
            group_count: 0,
            by_place: [0; MOST_PIECES],
            order,
            order2: if second > 0 { order2 } else { 15 },
            size: 0,
        };
        let mut start = 0;
        while start < pieces.len() {
            let len = match start {
                0 => leading,
                _ => {
                    let like = pieces[start..].iter().take_while(|&&p| p == pieces[start]);
                    let len = like.count();
                    if pieces[start + len..].contains(&pieces[start]) {
                        return Err(NumberingError::Order);
                    }
                    len
                }
            };
            let is_second = start > 0 && start < leading + second;
            numbering.groups[numbering.group_count] = Group {
                start: start as u8,
                len: len as u8,
                lowest: if is_second { 8 } else { 0 },
                ..Group::default()
            };
            numbering.group_count += 1;
            start += len;
        }
        numbering.pieces[..pieces.len()].copy_from_slice(pieces);
        numbering.place_groups(leading, second)?;
        Ok(numbering)
    }

    /// Gives each group its place, factor and size.
    fn place_groups(&mut self, leading: usize, second: usize) -> Result<(), NumberingError> {
        let count = self.group_count as u8;
        if self.order >= count || second > 0 && (self.order2 >= count || self.order2 == self.order)
        {
            return Err(NumberingError::Place);
        }
        let mut rest = (if second > 0 { 2 } else { 1 })..count;
        let mut free = 64 - (leading + second) as u32;
        let mut factor = 1;
        for place in 0..count {
            let number = if place == self.order {
                0
            } else if second > 0 && place == self.order2 {
                1
            } else {
                rest.next().expect("as many places are left as groups")
            };
            let group = &mut self.groups[usize::from(number)];
            let len = usize::from(group.len);
            group.size = match (number, self.leading) {
                (0, Leading::Three) => u64::from(THREE),
                (0, Leading::Kings) => u64::from(KINGS),
                (0, Leading::Pawns { file }) => u64::from(leading_pawns_below(file, 7, leading)),
                _ if group.lowest > 0 => u64::from(binomial(48 - leading as u32, second)),
                _ => {
                    let size = binomial(free, len);
                    free -= len as u32;
                    u64::from(size)
                }
            };
            group.factor = factor;
            factor *= group.size;
            self.by_place[usize::from(place)] = number;
        }
        self.size = factor;
        Ok(())
    }

    /// The material.
    #[must_use]
    pub fn material(&self) -> Material {
        self.material
    }

    /// The pieces, in the order of the sub-table.
    pub fn pieces(&self) -> impl ExactSizeIterator<Item = ColoredPiece> + '_ {
        self.pieces[..self.len].iter().copied()
    }

    /// For each place of a piece in the sub-table's order, its place in the order of the name. Like pieces are taken
    /// in turn.
    #[must_use]
    pub fn slots(&self) -> [u8; MOST_PIECES] {
        self.shifts.map(|shift| shift / 8)
    }

    /// The place of the leading group, and that of the other colour's pawns, which is 15 if there are none.
    #[must_use]
    pub fn orders(&self) -> (u8, u8) {
        (self.order, self.order2)
    }

    /// The file of the leading pawn, 0 to 3, or `None` without pawns.
    #[must_use]
    pub fn leading_file(&self) -> Option<u8> {
        match self.leading {
            Leading::Pawns { file } => Some(file),
            _ => None,
        }
    }

    /// The number of places.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there are always places")]
    pub fn len(&self) -> u64 {
        self.size
    }

    fn groups(&self) -> &[Group] {
        &self.groups[..self.group_count]
    }

    /// The place of the pieces on these squares (a1 = 0, b1 = 1, … h8 = 63), which are given in the order of
    /// [`Numbering::pieces`]. With pawns, the leading pawn must be on the numbering's file or its mirror image:
    /// [`leading_file`] says which numbering to take.
    ///
    /// Positions that are mirror images of each other have the same place, except some whose leading pieces all stand
    /// on a diagonal: these have two.
    ///
    /// # Panics
    /// If there are not as many squares as pieces, if two are the same, if a pawn is on a rank where there are none, or
    /// if touching kings lead. (A sum may go wrong instead, and the result then means nothing.)
    #[must_use]
    #[inline]
    pub fn index(&self, squares: &[u8]) -> u64 {
        let mut s = [0; MOST_PIECES];
        s[..self.len].copy_from_slice(squares);
        self.index_of(s)
    }

    /// The place of a position, as for [`Numbering::index`]. Bytes past its pieces don't matter.
    #[inline]
    pub(crate) fn index_of_position(&self, position: PackedSquares) -> u64 {
        self.index_of(self.shifts.map(|shift| (position >> shift) as u8))
    }

    #[inline]
    fn index_of(&self, mut s: [u8; MOST_PIECES]) -> u64 {
        let first = usize::from(self.groups[0].len);
        let number = match self.leading {
            Leading::Pawns { .. } => {
                let leading = leading_pawn(&s[..first]);
                s.swap(0, leading);
                if file(s[0]) > 3 {
                    s = s.map(|square| square ^ 7);
                }
                number_behind(&mut s[..first])
            }
            Leading::Three => {
                fold(&mut s, 3);
                number_of_three([s[0], s[1], s[2]])
            }
            Leading::Kings => {
                fold(&mut s, 2);
                number_of_kings([s[0], s[1]])
            }
        };
        let mut index = u64::from(number) * self.groups[0].factor;
        let mut occupied = mask(&s[..first]);
        for group in &self.groups[1..self.group_count] {
            let start = usize::from(group.start);
            let own = &mut s[start..start + usize::from(group.len)];
            if own.len() > 1 {
                own.sort_unstable();
            }
            let mut number = 0;
            for (i, &square) in own.iter().enumerate() {
                let below =
                    (occupied & ((1u64 << square) - 1)).count_ones() + u32::from(group.lowest);
                number += binomial(u32::from(square) - below, i + 1);
            }
            occupied |= mask(own);
            index += u64::from(number) * group.factor;
        }
        index
    }

    /// The squares of a place, in the order of [`Numbering::pieces`].
    ///
    /// # Panics
    /// If the index is not below [`Numbering::len`].
    #[must_use]
    pub fn squares(&self, index: u64) -> [u8; MOST_PIECES] {
        assert!(index < self.size, "place {index} of {}", self.size);
        let mut squares = [0; MOST_PIECES];
        let mut occupied = 0u64;
        for (i, group) in self.groups().iter().enumerate() {
            let number = (index / group.factor % group.size) as u32;
            let start = usize::from(group.start);
            let own = &mut squares[start..start + usize::from(group.len)];
            if i == 0 {
                self.leading_squares(number, own);
            } else {
                uncombine(number, own);
                for square in &mut *own {
                    *square = raise(*square + group.lowest, occupied);
                }
            }
            occupied |= mask(own);
        }
        squares
    }

    /// The pieces of each group, by their places in the sub-table's order: the leading group comes first.
    pub fn groups_of_pieces(&self) -> impl ExactSizeIterator<Item = Range<usize>> + '_ {
        let groups = self.groups().iter();
        groups.map(|group| usize::from(group.start)..usize::from(group.start + group.len))
    }

    /// The numbers of the groups, from the one that counts most to the one that counts least.
    pub fn groups_by_weight(&self) -> impl Iterator<Item = usize> + '_ {
        let groups = self.by_place[..self.group_count].iter().rev();
        groups.map(|&number| usize::from(number))
    }

    /// The squares of the leading group for each of its numbers.
    pub fn leading_placements(&self) -> impl Iterator<Item = Vec<u8>> + '_ {
        (0..self.groups[0].size as u32).map(|number| {
            let mut squares = vec![0; usize::from(self.groups[0].len)];
            self.leading_squares(number, &mut squares);
            squares
        })
    }

    /// The pieces by their places in the sub-table's order, from the one whose square counts most to the one that
    /// counts least. Of like pieces the first one counts least, and of the leading group the last one.
    pub(crate) fn places_by_weight(&self) -> Vec<usize> {
        let places = self.groups_by_weight().flat_map(|number| {
            let group = self.groups[number];
            let (start, end) = (
                usize::from(group.start),
                usize::from(group.start + group.len),
            );
            (start..end).map(move |k| match number {
                0 => k,
                _ => start + end - 1 - k,
            })
        });
        places.collect()
    }

    /// The squares of a number of the leading group.
    #[inline]
    pub(crate) fn leading_squares(&self, number: u32, squares: &mut [u8]) {
        match self.leading {
            Leading::Three => {
                // Each by itself: a copy of a length that isn't known would be a call.
                let [a, b, c] = THREES[number as usize];
                (squares[0], squares[1], squares[2]) = (a, b, c);
            }
            Leading::Kings => {
                let [a, b] = KING_SQUARES[number as usize];
                (squares[0], squares[1]) = (a, b);
            }
            Leading::Pawns { file } => {
                let pawns = squares.len();
                let rank = (1..=6)
                    .rev()
                    .find(|&rank| leading_pawns_below(file, rank, pawns) <= number)
                    .expect("none are below the second rank");
                squares[0] = rank << 3 | file;
                let rest = &mut squares[1..];
                uncombine(number - leading_pawns_below(file, rank, pawns), rest);
                for square in rest {
                    *square = pawn_square(*square);
                }
            }
        }
    }
}

/// For each of these pieces, its place in the order of the material's name.
pub(crate) fn slots(material: &Material, pieces: &[ColoredPiece]) -> [u8; MOST_PIECES] {
    let mut slots = [0; MOST_PIECES];
    let mut rest: Vec<_> = material.pieces().map(Some).collect();
    for (&own, out) in pieces.iter().zip(&mut slots) {
        let slot = rest.iter().position(|&piece| piece == Some(own));
        let slot = slot.expect("the pieces are the material's");
        rest[slot] = None;
        *out = slot as u8;
    }
    slots
}

/// The lengths of the leading group, and of the second group of pawns, which may be 0.
pub(crate) fn leading_lengths(material: &Material) -> (usize, usize) {
    match material.leading_color() {
        Some(color) => (
            material.count(color, Piece::Pawn),
            material.count(!color, Piece::Pawn),
        ),
        None => {
            let is_unique = |p: &ColoredPiece| material.count(p.color(), p.piece()) == 1;
            let unique = material.pieces().filter(is_unique).count();
            (if unique >= 3 { 3 } else { 2 }, 0)
        }
    }
}

/// Checks that the leading pieces are such as can lead.
fn check_leading(
    material: &Material,
    pieces: &[ColoredPiece],
    kind: Leading,
    leading: usize,
    second: usize,
) -> Result<(), NumberingError> {
    let (first, others) = pieces.split_at(leading);
    let fits = match kind {
        Leading::Pawns { .. } => {
            let color = material.leading_color().ok_or(NumberingError::File)?;
            let pawn = |color| ColoredPiece::new(color, Piece::Pawn);
            first.iter().all(|&p| p == pawn(color))
                && others[..second].iter().all(|&p| p == pawn(!color))
        }
        Leading::Three => (first.iter()).all(|p| material.count(p.color(), p.piece()) == 1),
        Leading::Kings => first.iter().all(|&p| p.piece() == Piece::King),
    };
    fits.then_some(()).ok_or(NumberingError::Order)
}

/// Which of these pawns is the leading one.
fn leading_pawn(pawns: &[u8]) -> usize {
    let mut best = 0;
    for i in 1..pawns.len() {
        if pawn_number(pawns[i]) > pawn_number(pawns[best]) {
            best = i;
        }
    }
    best
}

/// The number of these leading pawns. The first of them is the foremost, and on the files a to d.
#[inline]
fn number_behind(pawns: &mut [u8]) -> u32 {
    let count = pawns.len();
    let (first, rest) = pawns.split_first_mut().expect("a leading pawn");
    rest.sort_unstable_by_key(|&square| pawn_number(square));
    let mut number = leading_pawns_below(file(*first), rank(*first), count);
    for (i, &square) in rest.iter().enumerate() {
        number += binomial(u32::from(pawn_number(square)), i + 1);
    }
    number
}

/// The file, 0 to 3, that chooses the sub-table of a position with these leading pawns.
///
/// # Panics
/// If there are no pawns.
#[must_use]
pub fn leading_file(pawns: &[u8]) -> u8 {
    let file = file(pawns[leading_pawn(pawns)]);
    file.min(7 - file)
}

/// Mirrors all squares so that the leading ones are in the part of the board that the numbering knows.
#[inline]
fn fold(s: &mut [u8; MOST_PIECES], leading: u32) {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let [a, b, c, d, e, f, g] = *s;
    let mut x = u64::from_le_bytes([a, b, c, d, e, f, g, 0]);
    // Bits 2 and 5 of the first square are set on the right and upper half.
    x ^= (x >> 2 & 1).wrapping_mul(7 * EACH);
    x ^= (x >> 5 & 1).wrapping_mul(56 * EACH);
    let transposed = ((x >> 3) & (7 * EACH)) | ((x & (7 * EACH)) << 3);
    // The rank is the upper half of a square, so the first one off the diagonal decides.
    let key = |x: u64| x.swap_bytes() >> (64 - 8 * leading);
    x = if key(x) > key(transposed) {
        transposed
    } else {
        x
    };
    let [a, b, c, d, e, f, g, _] = x.to_le_bytes();
    *s = [a, b, c, d, e, f, g];
}

fn mask(squares: &[u8]) -> u64 {
    squares.iter().fold(0, |mask, &square| mask | 1 << square)
}

/// The square that has this number among those not occupied.
#[inline]
fn raise(mut number: u8, mut occupied: u64) -> u8 {
    while occupied != 0 && occupied.trailing_zeros() <= u32::from(number) {
        number += 1;
        occupied &= occupied - 1;
    }
    number
}

/// The ascending set of numbers that has this place among all sets of that many.
fn uncombine(mut number: u32, set: &mut [u8]) {
    for i in (1..=set.len()).rev() {
        let n = (0..64)
            .rev()
            .find(|&n| binomial(n, i) <= number)
            .expect("none has as many at zero");
        set[i - 1] = n as u8;
        number -= binomial(n, i);
    }
}
