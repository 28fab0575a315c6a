//! An order: from the squares of pieces to a slot.

use std::collections::HashMap;

use super::exact::Exact;
use super::squares::{IMAGES, MOST_PIECES, NumberedPlacement, Squares, below};
use crate::bitbase::Man;
use crate::board::{Bitboard, Group, Square, Symmetry};
use crate::checks::check_length;
use crate::debug::debug_by;
use crate::index::choose;

/// How sets of squares of like men are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SetOrder {
    /// By the least square first: 01 02 03 … 12 13 …, as [`Compact`](crate::Compact) has it. The greatest square
    /// counts fastest.
    Lexicographic,
    /// By the greatest square first: 01 02 12 03 13 23 …, as Syzygy has it. The least square counts fastest.
    Colexicographic,
}

/// A digit of an [`Order`]: the squares of one man, or of like men, combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digit {
    /// The man.
    pub man: Man,
    /// How many of them there are, from 1 on.
    pub count: usize,
    /// The squares that they may stand on.
    pub squares: Bitboard,
    /// The order of their sets of squares, which means nothing for a single man.
    pub sets: SetOrder,
}

/// The leading digit of an [`Order`]: the squares of some men up to symmetry, as a list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Leading {
    /// The men. There may be none.
    pub men: Vec<Man>,
    /// Their squares for each number, which must not be images of each other, but for those on the diagonal
    /// a1–h8 and exchanges of like men.
    pub placements: Vec<Vec<Square>>,
    /// The symmetries that take any placement to one of these.
    pub group: Group,
}

/// The error that digits are no order, or that two orders have different men.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OrderError {
    /// There are too many pieces, or none.
    #[error("an order of {0} pieces: expected 1 to {MOST_PIECES}")]
    Pieces(usize),
    /// A placement of the leading men has not a square for each.
    #[error("placement {number} of the leading men has {found} squares: expected {expected}")]
    Placement {
        /// Its number.
        number: usize,
        /// How many squares it has.
        found: usize,
        /// How many leading men there are.
        expected: usize,
    },
    /// The places of the digits are not a permutation of them.
    #[error(
        "the places of {0} digits must be a permutation of 0 to {0}, with 0 for the leading one"
    )]
    Places(usize),
    /// A digit has no men, or leaves out squares of which it may be that men don't stand there.
    #[error("digit {0} has no man, or fewer squares than men before it may stand on")]
    Digit(usize),
    /// There are more slots than a signed word of 64 bits can number.
    #[error("there are too many slots")]
    Size,
    /// Two orders have not the same men.
    #[error("the orders have different men: {from} and {to}")]
    OtherMen {
        /// The men of the source's order.
        from: String,
        /// The men of the target's order.
        to: String,
    },
    /// The scheme has no numbers for so many pieces.
    #[error(transparent)]
    Layout(#[from] crate::LayoutError),
}

/// A digit with its share of the slot.
#[derive(Clone)]
pub(super) struct Set {
    /// The number of its first piece.
    pub(super) first: usize,
    pub(super) count: usize,
    pub(super) zone: u64,
    /// Whether like pieces may share squares.
    pub(super) repeated: bool,
    /// The share of the j-th square in ascending order, by its place among the free ones: row `class * count + j`.
    pub(super) terms: Vec<[i64; 64]>,
    /// The increase of the share for a step of the piece that counts fastest, for each class.
    pub(super) weights: Vec<i64>,
    /// The piece of the set that counts fastest, among those in ascending order.
    pub(super) fastest: usize,
    /// Whether the bits of a square are scattered in a slot, so that no share grows evenly.
    pub(super) scattered: bool,
}

impl Set {
    /// The terms of `count` squares out of `choices`, for each class, and what is to be added to all of them.
    pub(super) fn new(
        (first, count, zone): (usize, usize, u64),
        order: SetOrder,
        repeated: bool,
        classes: &[(usize, i64)],
    ) -> (Set, Vec<i64>) {
        let binomial = |n: usize, k: usize| choose(n, k) as i64;
        let mut terms = Vec::new();
        let mut constants = Vec::new();
        for &(choices, weight) in classes {
            let lexicographic = order == SetOrder::Lexicographic && count > 1;
            for j in 0..count {
                terms.push(std::array::from_fn(|place| {
                    let place = place + if repeated { j } else { 0 };
                    weight.wrapping_mul(match lexicographic {
                        false => binomial(place, j + 1),
                        true if place < choices => -binomial(choices - 1 - place, count - j),
                        true => 0,
                    })
                }));
            }
            let all = if lexicographic {
                binomial(choices, count) - 1
            } else {
                0
            };
            constants.push(weight.wrapping_mul(all));
        }
        let fastest = if order == SetOrder::Lexicographic {
            count - 1
        } else {
            0
        };
        let set = Set {
            first,
            count,
            zone,
            repeated,
            terms,
            weights: classes.iter().map(|class| class.1).collect(),
            fastest,
            scattered: false,
        };
        (set, constants)
    }

    /// Whether the share of the j-th piece grows evenly.
    pub(super) fn is_linear(&self, j: usize) -> bool {
        j == self.fastest && !self.scattered
    }

    pub(super) fn pieces(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.count
    }
}

/// The order of the slots of a table: a list of digits.
///
/// [The module](super) has pictures. The first digit is the *leading* one, the squares of some men up to symmetry; the
/// symmetry that takes the leading men to a placement of the list turns the others, too. Every other digit is the square
/// of a man, or the set of squares of like men. They may count only the squares that the men of digits *before* them
/// leave free. The slot is the sum of the digits' numbers, each times its weight.
#[derive(Clone)]
pub struct Order {
    pub(super) men: Vec<Man>,
    pub(super) leading: usize,
    pub(super) placements: Vec<Squares>,
    found: Found,
    /// Of each placement the least slot, and the row of terms that its digits take.
    pub(super) starts: Vec<i64>,
    pub(super) classes: Vec<u8>,
    pub(super) sets: Vec<Set>,
    /// Of each piece the number of its set; of leading pieces, `sets.len()`.
    pub(super) set_of: [u8; MOST_PIECES],
    pub(super) leaves_out: bool,
    pub(super) exact: Option<Exact>,
    size: u64,
}

/// The number of a placement and the symmetry that leads to it, 8 · number + code, by the squares.
#[derive(Clone)]
enum Found {
    Table(Vec<u32>),
    /// For many men, by their squares with those of like men in ascending order.
    Map(HashMap<u64, u32>),
}

const NONE: u32 = u32::MAX;

/// The address of a position, and where its pieces stand in their sets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    pub(super) address: i64,
    /// The row of terms of each piece, and its place there.
    pub(super) terms: [(u16, u8); MOST_PIECES],
}

impl Order {
    /// The order of these digits. `places` lists them from the slowest to the fastest, 0 for the leading one and k for
    /// `digits[k - 1]`. If `leaves_out`, a digit counts only the squares that the leading men and the men of digits with
    /// smaller numbers leave free; else men may share squares, but not like men of one digit.
    ///
    /// ```
    /// use tbindex::bitbase::{Domain, Man};
    /// use tbindex::order::{Digit, Leading, Order, SetOrder};
    /// use tbindex::{Bitboard, Color, Group, KingDistance, KingPairs, Piece, PieceType};
    /// // KRRvK in the order of a Syzygy file whose pair of rooks counts fastest.
    /// let man = |color, kind| Man::from(Piece::new(color, kind));
    /// let kings = KingPairs::new(Group::D4, KingDistance::Apart);
    /// let leading = Leading {
    ///     men: [Color::White, Color::Black].map(|color| man(color, PieceType::King)).to_vec(),
    ///     placements: kings.all().iter().map(|pair| pair.to_vec()).collect(),
    ///     group: Group::D4,
    /// };
    /// let rooks = Digit {
    ///     man: man(Color::White, PieceType::Rook),
    ///     count: 2,
    ///     squares: !Bitboard::EMPTY,
    ///     sets: SetOrder::Colexicographic,
    /// };
    /// let order = Order::try_new(&leading, &[rooks], &[0, 1], true)?;
    /// assert_eq!(order.size(), 462 * (62 * 61 / 2));
    /// # Ok::<(), tbindex::order::OrderError>(())
    /// ```
    ///
    /// # Errors
    /// If there are no or too many pieces, a placement has not a square for each leading man, `places` is no permutation,
    /// a digit has no men, there are too many slots, or squares are left out and a digit has fewer squares than one before it.
    pub fn try_new(
        leading: &Leading,
        digits: &[Digit],
        places: &[usize],
        leaves_out: bool,
    ) -> Result<Order, OrderError> {
        let mut sorted = places.to_vec();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(0..=digits.len()) {
            return Err(OrderError::Places(digits.len()));
        }
        let mut before = leading.men.len();
        let mut taken = leading
            .placements
            .iter()
            .flatten()
            .copied()
            .collect::<Bitboard>();
        let mut choices = Vec::new();
        for (number, digit) in digits.iter().enumerate() {
            let left_out = if leaves_out { before } else { 0 };
            let fits = left_out == 0 || (taken - digit.squares).is_empty();
            let free = (digit.squares.len() as usize).checked_sub(left_out);
            let free = free.filter(|&free| fits && digit.count > 0 && free >= digit.count);
            choices.push(free.ok_or(OrderError::Digit(number))?);
            before += digit.count;
            taken |= digit.squares;
        }
        let mut weights = vec![0; places.len()];
        let mut size = 1i64;
        for &place in places.iter().rev() {
            weights[place] = size;
            let count = match place {
                0 => leading.placements.len() as u128,
                k => choose(choices[k - 1], digits[k - 1].count),
            };
            let count = i64::try_from(count).ok();
            size = count
                .and_then(|count| size.checked_mul(count))
                .ok_or(OrderError::Size)?;
        }
        let mut first = leading.men.len();
        let mut sets = Vec::new();
        let mut constant = 0;
        for (k, digit) in digits.iter().enumerate() {
            let (set, constants) = Set::new(
                (first, digit.count, digit.squares.0),
                digit.sets,
                false,
                &[(choices[k], weights[k + 1])],
            );
            constant += constants[0];
            first += digit.count;
            sets.push(set);
        }
        let starts = (0..leading.placements.len() as i64).map(|k| constant + k * weights[0]);
        let mut men = leading.men.clone();
        men.extend(
            digits
                .iter()
                .flat_map(|digit| std::iter::repeat_n(digit.man, digit.count)),
        );
        let parts = Description {
            men,
            starts: starts.collect(),
            classes: vec![0; leading.placements.len()],
            sets,
            leaves_out,
            exact: None,
            size: size as u64,
        };
        Order::of_parts(parts, &leading.placements, leading.group.members())
    }

    pub(super) fn of_parts(
        parts: Description,
        placements: &[Vec<Square>],
        symmetries: &[Symmetry],
    ) -> Result<Order, OrderError> {
        let Description {
            men,
            starts,
            classes,
            sets,
            leaves_out,
            exact,
            size,
        } = parts;
        if men.is_empty() || men.len() > MOST_PIECES {
            return Err(OrderError::Pieces(men.len()));
        }
        let leading = men.len() - sets.iter().map(|set| set.count).sum::<usize>();
        let mut set_of = [sets.len() as u8; MOST_PIECES];
        for (k, set) in sets.iter().enumerate() {
            set_of[set.pieces()].fill(k as u8);
        }
        let mut order = Order {
            men,
            leading,
            placements: Vec::with_capacity(placements.len()),
            found: match leading {
                0..=3 => Found::Table(vec![NONE; 1 << (6 * leading)]),
                _ => Found::Map(HashMap::new()),
            },
            starts,
            classes,
            sets,
            set_of,
            leaves_out,
            exact,
            size,
        };
        for (number, placement) in placements.iter().enumerate() {
            let (found, expected) = (placement.len(), leading);
            if found != expected {
                return Err(OrderError::Placement {
                    number,
                    found,
                    expected,
                });
            }
            let mut squares = Squares::default();
            for (square, &from) in squares.iter_mut().zip(placement) {
                *square = from.number();
            }
            order.placements.push(squares);
            for symmetry in symmetries {
                let images = &IMAGES[symmetry.inverse() as usize];
                let key = order.key(&squares.map(|square| images[usize::from(square)]));
                let entry = (number as u32) << 3 | *symmetry as u32;
                let place = match &mut order.found {
                    Found::Table(table) => &mut table[key as usize],
                    Found::Map(map) => map.entry(key).or_insert(NONE),
                };
                // A placement on the diagonal is reached twice; the smaller code stays, as everywhere.
                if *place == NONE || *place & 7 > entry & 7 {
                    *place = entry;
                }
            }
        }
        Ok(order)
    }

    /// The squares of the leading pieces, with those of like men in ascending order.
    #[inline(always)]
    fn key(&self, squares: &Squares) -> u64 {
        let mut squares = *squares;
        for k in 1..self.leading {
            let mut at = k;
            while at > 0 && self.men[at - 1] == self.men[k] && squares[at - 1] > squares[at] {
                squares.swap(at - 1, at);
                at -= 1;
            }
        }
        let leading = squares[..self.leading].iter();
        leading.fold(0, |key, &square| key << 6 | u64::from(square & 63))
    }

    /// The men, in the order in which their squares are given: the leading ones, and then digit by digit.
    ///
    /// ```
    /// # use tbindex::bitbase::Domain;
    /// # use tbindex::order::Order;
    /// let order = Order::of_domain(&Domain::try_new("KQvKR".parse()?, &[])?);
    /// let men: Vec<String> = order.men().iter().map(|man| man.to_string()).collect();
    /// assert_eq!(men, ["white king", "black king", "white queen", "black rook"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn men(&self) -> &[Man] {
        &self.men
    }

    /// The number of slots.
    ///
    /// ```
    /// # use tbindex::order::{Order, Scheme};
    /// assert_eq!(Order::of_scheme("KRRvK".parse()?, Scheme::Kings)?.size(), 462 * 64 * 64);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The slot of the men on these squares, in the order of [`men`](Order::men), or `None` if there is none: the leading
    /// men are on no placement's image, a man is where his digit has no square, or a square is shared where none may be.
    ///
    /// ```
    /// # use tbindex::bitbase::Domain;
    /// # use tbindex::order::Order;
    /// # use tbindex::Square;
    /// let order = Order::of_domain(&Domain::try_new("KRvK".parse()?, &[])?);
    /// let slot = |names: [&str; 3]| order.slot(&names.map(|name| name.parse::<Square>().unwrap()));
    /// // The first pair of kings, also mirrored, and kings that touch.
    /// assert_eq!(slot(["b1", "d1", "h8"]), Some(63));
    /// assert_eq!(slot(["g1", "e1", "a8"]), Some(63));
    /// assert_eq!(slot(["b1", "c1", "h8"]), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If there are not as many squares as men.
    #[must_use]
    #[track_caller]
    pub fn slot(&self, squares: &[Square]) -> Option<u64> {
        check_length("slot", squares.len(), self.men.len());
        let mut all = Squares::default();
        for (to, square) in all.iter_mut().zip(squares) {
            *to = square.number();
        }
        Some(self.locate(&all)?.0 as u64)
    }

    /// The slot, and whether these are the squares that it stands for, and not their image or an exchange.
    #[inline]
    pub(super) fn locate(&self, squares: &Squares) -> Option<(i64, bool)> {
        let placed = self.place_leading(squares)?;
        if let Some(exact) = self
            .exact
            .as_ref()
            .filter(|exact| exact.ties(placed.number))
        {
            let (slot, code) = exact.turned(self, placed, squares)?;
            return Some((slot, code == 0));
        }
        let images = self.images(placed.code, squares);
        let sum = self.sum(placed.number, &images)?;
        Some((sum.address, placed.code == 0))
    }

    #[inline(always)]
    pub(super) fn images(&self, code: u8, squares: &Squares) -> Squares {
        let mut images = *squares;
        for square in &mut images {
            *square = IMAGES[usize::from(code & 7)][usize::from(*square & 63)];
        }
        images
    }

    /// The placement of the leading men.
    #[inline(always)]
    pub(super) fn place_leading(&self, squares: &Squares) -> Option<NumberedPlacement> {
        let key = self.key(squares);
        let entry = match &self.found {
            Found::Table(table) => table[key as usize],
            Found::Map(map) => map.get(&key).copied().unwrap_or(NONE),
        };
        (entry != NONE).then_some(NumberedPlacement {
            number: (entry >> 3) as usize,
            code: entry as u8 & 7,
        })
    }

    /// The address of pieces on these squares, with the leading ones on a placement.
    #[inline(always)]
    pub(super) fn sum(&self, number: usize, squares: &Squares) -> Option<Sum> {
        let class = usize::from(self.classes[number]);
        let mut sum = Sum {
            address: self.starts[number],
            ..Sum::default()
        };
        let mut occupied = 0u64;
        if self.leaves_out {
            for &square in &squares[..self.leading] {
                occupied |= 1 << (square & 63);
            }
        }
        for set in &self.sets {
            let free = set.zone & !occupied;
            let row = class * set.count;
            if set.count == 1 {
                let square = squares[set.first];
                if free >> (square & 63) & 1 == 0 {
                    return None;
                }
                let place = (free & below(square)).count_ones() as usize;
                sum.address += set.terms[row][place];
                sum.terms[set.first & 7] = (row as u16, place as u8);
                occupied |= if self.leaves_out {
                    1 << (square & 63)
                } else {
                    0
                };
                continue;
            }
            let own = &squares[set.pieces()];
            let mut taken = 0u64;
            for (k, &square) in own.iter().enumerate() {
                if free >> (square & 63) & 1 == 0
                    || !set.repeated && taken >> (square & 63) & 1 != 0
                {
                    return None;
                }
                taken |= 1 << (square & 63);
                // Among equal squares the earlier piece comes first.
                let earlier = own[..k].iter().filter(|&&other| other <= square).count();
                let later = own[k + 1..].iter().filter(|&&other| other < square).count();
                let j = earlier + later;
                let place = (free & below(square)).count_ones() as usize;
                sum.address += set.terms[row + j][place];
                sum.terms[(set.first + k) & 7] = ((row + j) as u16, place as u8);
            }
            occupied |= if self.leaves_out { taken } else { 0 };
        }
        Some(sum)
    }
}

/// The description of an order.
pub(super) struct Description {
    pub(super) men: Vec<Man>,
    pub(super) starts: Vec<i64>,
    pub(super) classes: Vec<u8>,
    pub(super) sets: Vec<Set>,
    pub(super) leaves_out: bool,
    pub(super) exact: Option<Exact>,
    pub(super) size: u64,
}

debug_by!([] Order: men, size);
