//! Sets converted to other domains: other orders of the pieces, other groups, exchanged colours, fixed squares.

use super::domain::{Domain, DomainError};
use super::eight_boards::{EightBoards, HasBoards};
use super::image::Image;
use super::man::Man;
use super::row::Row;
use super::set::Bitbase;
use super::slots::digit;
use crate::batch::Backend;
use crate::board::{Color, Piece, Square, Symmetry};
use crate::checks::{check_below, check_length};
use crate::debug::debug_by;
use crate::dispatch;

/// The piece that a man of the set's domain is in the other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// He is this man.
    Man(usize),
    /// He is a fixed piece on this square, of the set's side of the board.
    Fixed(Square),
    /// He is the king of this colour in the set's domain, and the other one has slices.
    King(Color),
}

impl Bitbase {
    /// The set of the same positions in another domain of the same pieces, which may have another order of
    /// the men and another group.
    ///
    /// Men of this domain may be fixed pieces in the other one. The result has the positions in which they
    /// are on the fixed squares. A piece that is fixed here must be fixed there on the same square.
    ///
    /// If that is not so, but the fixed pieces of the other domain would be on the right squares if its board
    /// were mirrored left to right, then the whole board is mirrored: a position is in the result if this set
    /// has its mirror image. The steps of leapers are mirrored, too.
    ///
    /// Kings may have slices in one domain and be [free](Domain::with_free_kings) in the other. Slots in which
    /// free kings touch are converted to domains with free kings alone.
    ///
    /// With `swap_colors` the other domain has the pieces with exchanged colours, and the board is seen from
    /// the other side: a position is in the result if this set has the position with exchanged colours and
    /// mirrored ranks.
    ///
    /// ```
    /// use tbindex::batch::Backend;
    /// use tbindex::bitbase::{Bitbase, Domain};
    /// use tbindex::{Color, Fen, Piece, PieceType};
    /// let queen = Domain::try_new("KQvK".parse()?, &[])?;
    /// let backend = Backend::detect();
    /// let legal = Bitbase::legal(&queen, Color::Black, backend)?;
    /// // White has promoted on e8. The kings may be anywhere, without symmetries.
    /// let fixed = (Piece::new(Color::White, PieceType::Queen), "e8".parse()?);
    /// let promoted = Domain::try_new("KQvK".parse()?, &[fixed])?;
    /// let converted = legal.convert(&promoted, false, backend)?;
    /// assert_eq!(converted.count(), Bitbase::legal(&promoted, Color::Black, backend)?.count());
    /// // Black has the queen.
    /// let black = Domain::try_new("KvKQ".parse()?, &[])?;
    /// let turned = legal.convert(&black, true, backend)?;
    /// let fen: Fen = "8/8/8/8/3k4/8/1q6/K7 w - - 0 1".parse()?;
    /// assert!(turned.contains(black.slot(&fen.position)?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the pieces are not the same, or there is no memory.
    pub fn convert(
        &self,
        other: &Domain,
        swap_colors: bool,
        backend: Backend,
    ) -> Result<Bitbase, DomainError> {
        let mut converted = Bitbase::try_new(other)?;
        let sets = [self];
        let seen = Seen::try_new(&sets, other, swap_colors, backend)?;
        for (slice, rows) in converted.slices_mut().enumerate() {
            seen.unite_into(slice, |_| true, &mut [rows]);
        }
        Ok(converted)
    }
}

/// The number of words of a slice that stand for positions: one with one man or none, else 64 for each man but
/// the last.
pub(super) fn words_of(domain: &Domain) -> usize {
    1 << (6 * domain.men().len().saturating_sub(1))
}

/// The roles of all men of the set's domain, like ones in order, or `None` if the set's domain has other pieces than the
/// other domain's turned board.
fn roles(from: &Domain, to: &Domain, swap_colors: bool, turn: Symmetry) -> Option<Vec<Role>> {
    let turned = |&(piece, square): &(Piece, Square)| {
        let piece = if swap_colors {
            piece.swap_color()
        } else {
            piece
        };
        (piece, turn.apply(square))
    };
    let mut fixed: Vec<(Piece, Square)> = to.fixed().iter().map(turned).collect();
    for piece in from.fixed() {
        let at = fixed.iter().position(|other| other == piece)?;
        fixed.swap_remove(at);
    }
    // The turn mirrors the steps of leapers; a change of colours alone mirrors their ranks already.
    let mirrors = match turn {
        Symmetry::FlipHorizontal | Symmetry::Rotate180 => Symmetry::FlipHorizontal,
        _ => Symmetry::Identity,
    };
    // Kings that are men on one side alone are in the slices of the other.
    let mut men: Vec<Option<Man>> = (to.men().iter())
        .map(|&man| if swap_colors { man.swap_color() } else { man })
        .map(|man| Some(man.image(mirrors)))
        .map(|man| man.filter(|man| !man.is_king() || from.has_free_kings()))
        .collect();
    let roles: Option<Vec<Role>> = from
        .men()
        .iter()
        .map(|man| {
            if let Some(at) = men.iter().position(|other| *other == Some(*man)) {
                men[at] = None;
                return Some(Role::Man(at));
            }
            if man.is_king() {
                return Some(Role::King(man.color));
            }
            let at = (fixed.iter()).position(|&(piece, _)| man.piece() == Some(piece))?;
            Some(Role::Fixed(fixed.swap_remove(at).1))
        })
        .collect();
    roles.filter(|_| fixed.is_empty() && men.iter().all(Option::is_none))
}

/// Sets of one domain as they are seen from another, slice by slice, as [`Bitbase::convert`] shows them. Several sets
/// together take less time than one after the other, because the place of a position is worked out once.
pub struct Seen<'a> {
    sets: &'a [&'a Bitbase],
    /// The domain of the sets.
    from: &'a Domain,
    other: &'a Domain,
    roles: Vec<Role>,
    swap_colors: bool,
    /// The symmetry that takes the other domain's board to the sets'.
    turn: Symmetry,
    backend: Backend,
}

impl<'a> Seen<'a> {
    /// Sets as they are seen from a domain.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Bitbase, Domain, Seen};
    /// let rook = Domain::try_new("KRvK".parse()?, &[])?;
    /// let queen = Bitbase::try_new(&Domain::try_new("KQvK".parse()?, &[])?)?;
    /// let error = Seen::try_new(&[&queen], &rook, false, Backend::detect()).unwrap_err();
    /// assert_eq!(error.to_string(), "the two domains do not have the same pieces");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the pieces are not the same.
    ///
    /// # Panics
    /// If there is no set, or not all are of one domain.
    #[track_caller]
    pub fn try_new(
        sets: &'a [&'a Bitbase],
        other: &'a Domain,
        swap_colors: bool,
        backend: Backend,
    ) -> Result<Seen<'a>, DomainError> {
        check_below("Seen::try_new", "set", 0, sets.len());
        let from = sets[0].domain();
        assert!(
            sets.iter().all(|set| set.domain() == from),
            "Seen::try_new: sets of several domains, expected {from:?}"
        );
        let turns = if swap_colors {
            [Symmetry::FlipVertical, Symmetry::Rotate180]
        } else {
            [Symmetry::Identity, Symmetry::FlipHorizontal]
        };
        let fit = turns
            .into_iter()
            .find_map(|turn| roles(from, other, swap_colors, turn).map(|roles| (turn, roles)));
        let (turn, roles) = fit.ok_or(DomainError::OtherPieces)?;
        Ok(Seen {
            roles,
            sets,
            from,
            other,
            swap_colors,
            turn,
            backend,
        })
    }

    /// Adds the positions of each set to the rows at its place in `out`, which are those of a slice of the other domain.
    ///
    /// Only the slices of the sets whose numbers `wanted` accepts are read. So sets of which a
    /// [few slices](Bitbase::with_few_slices) are in memory at a time can be seen piece by piece.
    ///
    /// ```
    /// # use tbindex::batch::Backend;
    /// # use tbindex::bitbase::{Bitbase, Domain, Row, Seen};
    /// # use tbindex::{Color, Group};
    /// let (domain, backend) = (Domain::try_new("KQvKR".parse()?, &[])?, Backend::detect());
    /// let sets = Color::ALL.map(|side| Bitbase::legal(&domain, side, backend).unwrap());
    /// let (all, other) = (sets.each_ref(), domain.in_group(Group::Trivial)?);
    /// let seen = Seen::try_new(&all, &other, false, backend)?;
    /// // The last of 3612 slices: K on h8, k on f8.
    /// let mut rows = [[Row::EMPTY; 8]; 2];
    /// let [white, black] = &mut rows;
    /// seen.unite_into(3611, |_| true, &mut [white, black]);
    /// assert_eq!(rows.map(|rows| rows.iter().map(Row::len).sum::<u32>()), [2604, 3315]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If there is no such slice, or `out` has another length or other numbers of rows.
    #[track_caller]
    pub fn unite_into(&self, slice: usize, wanted: impl Fn(usize) -> bool, out: &mut [&mut [Row]]) {
        check_length("unite_into", out.len(), self.sets.len());
        for rows in out.iter() {
            check_length("unite_into", rows.len(), self.other.rows());
        }
        let out = out.iter_mut();
        let out = out.map(|rows| &mut bytemuck::cast_slice_mut(rows)[..words_of(self.other)]);
        self.slice_into(slice, &wanted, &mut out.collect::<Vec<_>>());
    }

    /// Adds to the words of a slice of the other domain, for each set, the positions of its slices that are wanted.
    pub(super) fn slice_into(
        &self,
        slice: usize,
        wanted: &impl Fn(usize) -> bool,
        out: &mut [&mut [u64]],
    ) {
        let count = words_of(self.other);
        let kings = self.other.king_pairs().map(|pairs| pairs.all()[slice]);
        match (kings, self.from.has_free_kings()) {
            (Some(kings), _) => {
                let set_kings = self.turned(kings);
                let mut roles = self.roles.clone();
                for role in &mut roles {
                    if let Role::King(color) = *role {
                        *role = Role::Fixed(set_kings[color as usize]);
                    }
                }
                if let Some((there, to_slice)) = self.slice_of(set_kings, wanted) {
                    self.block(&roles, to_slice, there, 0..count, out);
                }
            }
            (None, true) => {
                // There is one slice.
                if wanted(0) {
                    self.block(&self.roles, Symmetry::Identity, 0, 0..count, out);
                }
            }
            (None, false) if self.other.men().len() == 2 => self.kings_alone(wanted, out),
            (None, false) => {
                // The kings are the highest digits of the numbers of words here.
                let per_pair = count >> 12;
                for pair in 0..1 << 12 {
                    let king = |number: usize| Square::from_low_bits(number as u8);
                    let kings = self.turned([king(pair >> 6), king(pair)]);
                    if let Some((there, to_slice)) = self.slice_of(kings, wanted) {
                        let range = pair * per_pair..(pair + 1) * per_pair;
                        self.block(&self.roles, to_slice, there, range, out);
                    }
                }
            }
        }
    }

    /// The squares of the sets' kings, white's first, from the kings' squares in the other domain.
    fn turned(&self, [white, black]: [Square; 2]) -> [Square; 2] {
        let [white, black] = [white, black].map(|square| self.turn.apply(square));
        if self.swap_colors {
            [black, white]
        } else {
            [white, black]
        }
    }

    /// The sets' slice that has kings on these squares, and the symmetry that leads there, or `None` if they touch or
    /// it is not wanted.
    fn slice_of(
        &self,
        [white, black]: [Square; 2],
        wanted: &impl Fn(usize) -> bool,
    ) -> Option<(usize, Symmetry)> {
        let (slice, to_slice) = match self.from.king_pairs() {
            Some(pairs) => pairs.find(white, black)?,
            None => (0, Symmetry::Identity),
        };
        wanted(slice).then_some((slice, to_slice))
    }

    /// The words of a slice of each set, each with the words that are added to.
    fn words<'o>(
        &self,
        slice: usize,
        out: &'o mut [&mut [u64]],
    ) -> impl Iterator<Item = (&'a [u64], &'o mut [u64])> {
        let words = (self.sets.iter()).map(move |set| bytemuck::cast_slice(set.slice(slice)));
        words.zip(out.iter_mut().map(|out| &mut **out))
    }

    /// Adds to the 64 words of free kings without other men, whose bits are the black king, from sets that have
    /// slices.
    fn kings_alone(&self, wanted: &impl Fn(usize) -> bool, out: &mut [&mut [u64]]) {
        let men = self.roles.len();
        for white in Square::all() {
            for black in Square::all() {
                let kings = self.turned([white, black]);
                let Some((there, to_slice)) = self.slice_of(kings, wanted) else {
                    continue;
                };
                let mut number = 0;
                for (k, &role) in self.roles.iter().enumerate() {
                    let Role::Fixed(square) = role else {
                        unreachable!("there are no other men")
                    };
                    number |= to_slice.apply(square).index() << (6 * (men - 1 - k));
                }
                for (words, out) in self.words(there, out) {
                    let bit = words[number >> 6] >> (number & 63) & 1;
                    out[white.index()] |= bit << black.number();
                }
            }
        }
    }

    /// Adds to the words with these numbers of a slice of the other domain. `there` is the sets' slice that has the
    /// kings on the same squares, and `to_slice` is the symmetry that leads there.
    fn block(
        &self,
        roles: &[Role],
        to_slice: Symmetry,
        there: usize,
        range: std::ops::Range<usize>,
        out: &mut [&mut [u64]],
    ) {
        // Fixed squares are on the sets' board already, men's squares are not.
        let all = self.turn.then(to_slice);
        let men = self.other.men().len();
        // The digits that all men but two have in the sets' numbers, from their squares here.
        let digits_of = |at: usize, but: [usize; 2]| -> usize {
            let mut number = 0;
            for (k, &role) in roles.iter().enumerate() {
                if but.contains(&k) {
                    continue;
                }
                let square = match role {
                    Role::Fixed(square) => to_slice.apply(square),
                    Role::Man(man) => all.apply(digit(at as u64, men - 1, man)),
                    Role::King(_) => unreachable!("the slice has told its square"),
                };
                number |= square.index() << (6 * (roles.len() - 1 - k));
            }
            number
        };
        let same = (roles.iter().enumerate()).all(|(k, &role)| role == Role::Man(k));
        if same && all == Symmetry::Identity && roles.len() == men {
            for (words, out) in self.words(there, out) {
                for (out, word) in out[range.clone()].iter_mut().zip(&words[range.clone()]) {
                    *out |= word;
                }
            }
            return;
        }
        let image = Image::new(all, men);
        // The places in the sets' order of the last man here, and of the last but one.
        let place_of = |man: usize| roles.iter().position(|&role| role == Role::Man(man));
        let inner = men.checked_sub(2).and_then(place_of);
        let Some(place) = men.checked_sub(1).and_then(place_of) else {
            // There are only fixed pieces: one position.
            let number = digits_of(0, [usize::MAX; 2]);
            for (words, out) in self.words(there, out) {
                out[range.start] |= words[number >> 6] >> (number & 63) & 1;
            }
            return;
        };
        let last = roles.len() - 1;
        let shift_of = |place: usize| 6 * (last - 1 - place);
        match roles[last] {
            _ if place == last => match inner {
                // The last two men here have the same places among all 64 words of a slab.
                Some(inner) if range.len().is_multiple_of(64) => {
                    let shift = shift_of(inner);
                    let places: [usize; 64] = std::array::from_fn(|square| {
                        all.apply(Square::new(square as u8)).index() << shift
                    });
                    for at in range.step_by(64) {
                        let first = digits_of(at, [inner, last]) >> 6;
                        for (words, out) in self.words(there, out) {
                            let mut slab = [Row::EMPTY; 8];
                            let mut any = 0;
                            for (square, &place) in places.iter().enumerate() {
                                let word = words[first | place];
                                slab[square / 8].0[square % 8] = word;
                                any |= word;
                            }
                            if any != 0 {
                                let out = &mut out[at..at + 64];
                                self.add_images(image, &mut slab, out);
                            }
                        }
                    }
                }
                _ => {
                    for at in range {
                        let number = digits_of(at, [last; 2]) >> 6;
                        for (words, out) in self.words(there, out) {
                            out[at] |= image.word(words[number]);
                        }
                    }
                }
            },
            Role::Man(man) => {
                // Words and bits of two men change places, 64 words at a time.
                let low = 6 * (men - 2 - man);
                let shift = shift_of(place);
                for at in range.filter(|at| at >> low & 63 == 0) {
                    let first = digits_of(at, [place, last]) >> 6;
                    for (words, out) in self.words(there, out) {
                        let mut block: [u64; 64] =
                            std::array::from_fn(|square| words[first | square << shift]);
                        transpose(&mut block);
                        for square in 0..64 {
                            let there = all.apply(Square::new(square as u8)).index();
                            out[at | square << low] |= image.word(block[there]);
                        }
                    }
                }
            }
            Role::Fixed(square) => {
                let bit = u32::from(to_slice.apply(square).number());
                let shift = shift_of(place);
                for at in range {
                    let first = digits_of(at, [place, last]) >> 6;
                    for (words, out) in self.words(there, out) {
                        let mut slab = [Row::EMPTY; 8];
                        let slab_words: &mut [u64] = bytemuck::cast_slice_mut(&mut slab);
                        if shift == 0 {
                            slab_words.copy_from_slice(&words[first..first + 64]);
                        } else {
                            for (square, word) in slab_words.iter_mut().enumerate() {
                                *word = words[first | square << shift];
                            }
                        }
                        out[at] |= image.word(column(&slab, bit, self.backend));
                    }
                }
            }
            Role::King(_) => unreachable!("the slice has told its square"),
        }
    }

    /// Adds to 64 words the words of a slab, each as seen through an image.
    fn add_images(&self, image: Image, slab: &mut [Row; 8], out: &mut [u64]) {
        dispatch!(self.backend, token => images(token, image, slab));
        let words = slab.iter().flat_map(|row| &row.0);
        for (out, word) in out.iter_mut().zip(words) {
            *out |= word;
        }
    }
}

#[inline(always)]
fn images<T: HasBoards>(isa: T, image: Image, slab: &mut [Row; 8]) {
    for row in slab {
        image.words(isa, T::Boards::load(isa, row)).store(row);
    }
}

/// One bit of each of the 64 words of a slab, the first word's lowest.
fn column(slab: &[Row; 8], bit: u32, backend: Backend) -> u64 {
    let mut all = Row::EMPTY;
    dispatch!(backend, token => columns(token, slab, bit, &mut all));
    let lanes = all.0.iter().enumerate();
    lanes.fold(0, |column, (lane, bits)| column | bits << lane)
}

/// Bit 8r of lane k becomes one bit of word k of row r.
#[inline(always)]
fn columns<T: HasBoards>(isa: T, slab: &[Row; 8], bit: u32, out: &mut Row) {
    let mut all = T::Boards::zero(isa);
    for (r, row) in slab.iter().enumerate() {
        let at = 8 * r as i32;
        let moved = T::Boards::load(isa, row).shift(isa, at - bit as i32);
        all = all.or_and(moved, T::Boards::splat(isa, 1 << at));
    }
    all.store(out);
}

/// Mirrors a 64 × 64 matrix of bits along its diagonal.
fn transpose(words: &mut [u64; 64]) {
    let (mut width, mut mask) = (32, 0x0000_0000_ffff_ffffu64);
    while width > 0 {
        let mut k = 0;
        while k < 64 {
            let swap = (words[k] >> width ^ words[k + width]) & mask;
            words[k] ^= swap << width;
            words[k + width] ^= swap;
            k = (k + width + 1) & !width;
        }
        width /= 2;
        mask ^= mask << width;
    }
}

debug_by!([] Seen<'_>: from, other, swap_colors);
