//! The lattice that a piece's moves generate, and the colouring of the board that it induces.

use std::fmt;

use crate::board::{Leaper, Step};

/// A subgroup of Z² in Hermite normal form: `(a, b)` and `(0, d)` generate it.
///
/// Here `a ≥ 0` and `d ≥ 0`, `0 ≤ b < d` where `d > 0`, and `b = 0` where `a = 0`, so that equal lattices
/// are equal values. A piece whose moves generate the lattice never leaves the class of squares it stands
/// on: two squares are in one class if their difference is in the lattice. The two parts of a vector are
/// files and ranks.
///
/// ```
/// use tbindex::fairy::Verdict;
/// let knight = Verdict::of("N".parse()?).lattice;
/// assert_eq!((knight.rank(), knight.index()), (2, Some(1)));
/// let ferz = Verdict::of("F".parse()?).lattice;
/// assert_eq!(ferz.to_string(), "(1,1) (0,2)");
/// assert_eq!(ferz.index(), Some(2));
/// assert_eq!(ferz.name(), Some("checker"));
/// # Ok::<(), tbindex::fairy::NotationError>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lattice {
    a: i8,
    b: i8,
    d: i8,
}

impl Lattice {
    /// The lattice of the origin alone, rank 0.
    pub(crate) const ZERO: Lattice = Lattice { a: 0, b: 0, d: 0 };
    /// The whole plane, index 1.
    pub(crate) const PLANE: Lattice = Lattice { a: 1, b: 0, d: 1 };

    /// The lattice of all sums and differences of the piece's moves.
    #[must_use]
    pub(crate) fn generated_by(piece: Leaper) -> Lattice {
        piece.steps().fold(Lattice::ZERO, Lattice::with)
    }

    /// The smallest lattice that contains this one and the step.
    #[must_use]
    pub(crate) fn with(self, step: Step) -> Lattice {
        self.with_vector(i32::from(step.files), i32::from(step.ranks))
    }

    /// The smallest lattice that contains both.
    #[must_use]
    pub(crate) fn join(self, other: Lattice) -> Lattice {
        let Lattice { a, b, d } = other;
        self.with_vector(i32::from(a), i32::from(b))
            .with_vector(0, i32::from(d))
    }

    /// The smallest lattice that contains this one and the vector. Euclid's algorithm on the files moves
    /// the vector to the rank axis; the normal form follows.
    fn with_vector(self, mut files: i32, mut ranks: i32) -> Lattice {
        let (mut a, mut b, mut d) = (i32::from(self.a), i32::from(self.b), i32::from(self.d));
        while files != 0 {
            let quotient = a / files;
            (a, files) = (files, a - quotient * files);
            (b, ranks) = (ranks, b - quotient * ranks);
        }
        while ranks != 0 {
            (d, ranks) = (ranks, d % ranks);
        }
        d = d.abs();
        if a < 0 {
            (a, b) = (-a, -b);
        }
        if a == 0 {
            // The rest of (a, b) was on the rank axis, too.
            (b, d) = (0, gcd(b, d));
        }
        if d > 0 {
            b = b.rem_euclid(d);
        }
        let small = |value: i32| value.try_into().unwrap_or(i8::MAX);
        let (a, b, d) = (small(a), small(b), small(d));
        Lattice { a, b, d }
    }

    /// The rank: 0 for the origin alone, 1 for points of one line, 2 otherwise.
    #[must_use]
    pub const fn rank(self) -> u32 {
        (self.a != 0) as u32 + (self.d != 0) as u32
    }

    /// The index in Z², which is the number of classes of squares, or `None` where it is infinite (rank 0,
    /// 1).
    ///
    /// Short-range pieces have indices 1, 2, 3, 4, 5, 6 and 8.
    #[must_use]
    pub const fn index(self) -> Option<u32> {
        if self.rank() == 2 {
            Some(self.a as u32 * self.d as u32)
        } else {
            None
        }
    }

    /// The generators as (files, ranks), which are the rows of the Hermite normal form. There are as many
    /// as the rank.
    #[must_use]
    pub(crate) fn generators(self) -> Vec<(i8, i8)> {
        let rows = [(self.a, self.b), (0, self.d)];
        rows.into_iter().filter(|&row| row != (0, 0)).collect()
    }

    /// The vector that stands for the class of this one, for lattices of any rank: its parts are the smallest that aren't
    /// negative, where possible.
    #[must_use]
    pub fn reduce(self, files: i32, ranks: i32) -> (i32, i32) {
        let (a, b, d) = (i32::from(self.a), i32::from(self.b), i32::from(self.d));
        let quotient = if a == 0 { 0 } else { files.div_euclid(a) };
        let (files, ranks) = (files - quotient * a, ranks - quotient * b);
        (files, if d == 0 { ranks } else { ranks.rem_euclid(d) })
    }

    /// The name of the colouring, if it has one: `checker`, `rows`, `files`, `staircase A`,
    /// `staircase B`, `pinwheel 1` or `pinwheel 2`.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        Lattice::NAMED
            .into_iter()
            .find(|&(_, lattice)| lattice == self)
            .map(|(name, _)| name)
    }

    /// The colourings with names, which the published masks have.
    pub const NAMED: [(&str, Lattice); 7] = [
        ("checker", Lattice { a: 1, b: 1, d: 2 }),
        ("rows", Lattice { a: 1, b: 0, d: 2 }),
        ("files", Lattice { a: 2, b: 0, d: 1 }),
        ("staircase A", Lattice { a: 1, b: 2, d: 3 }),
        ("staircase B", Lattice { a: 1, b: 1, d: 3 }),
        ("pinwheel 1", Lattice { a: 1, b: 3, d: 5 }),
        ("pinwheel 2", Lattice { a: 1, b: 2, d: 5 }),
    ];

    /// The congruences, in words, that all vectors (f, r) of the lattice and no others satisfy. There are
    /// none for the whole plane and below rank 2.
    #[doc(hidden)]
    #[must_use]
    pub fn congruences(self) -> Vec<String> {
        let Some(index) = self.index() else {
            return Vec::new();
        };
        let said = |x, y, modulus| format!("{} is divisible by {modulus}", linear(x, y));
        // Z² / lattice is a product of two cyclic groups. The order of the smaller one is the greatest
        // common divisor of all coordinates; the index divided by it is the order of the other.
        let common = self.generators().iter().fold(0, |common, &(files, ranks)| {
            gcd(common, gcd(i32::from(files), i32::from(ranks)))
        });
        let order = index as i32 / common;
        let mut conditions = Vec::new();
        if common > 1 {
            conditions.push(said(1, 0, common));
        }
        if order == common && common > 1 {
            conditions.push(said(0, 1, common));
        } else if let Some((x, y)) = self.character(order) {
            conditions.push(said(x, y, order));
        }
        conditions
    }

    /// The smallest x and y such that `order` divides x f + y r for all (f, r) of the lattice, and no
    /// divisor of the order divides x and y both. It is `None` for the order 1.
    fn character(self, order: i32) -> Option<(i32, i32)> {
        let range = -order / 2..=order / 2;
        range
            .clone()
            .flat_map(|x| range.clone().map(move |y| (x, y)))
            .filter(|&(x, y)| x > 0 || (x == 0 && y > 0))
            .filter(|&(x, y)| gcd(gcd(x, y), order) == 1)
            .filter(|&(x, y)| {
                self.generators()
                    .iter()
                    .all(|&(f, r)| (x * i32::from(f) + y * i32::from(r)) % order == 0)
            })
            .min_by_key(|&(x, y)| (x + y.abs(), y < 0, x))
    }

    /// All lattices that short-range pieces generate, each once: 31.
    pub(super) fn all() -> Vec<Lattice> {
        let mut all = vec![Lattice::ZERO];
        let mut done = 0;
        while done < all.len() {
            for step in Step::ALL {
                let lattice = all[done].with(step);
                if !all.contains(&lattice) {
                    all.push(lattice);
                }
            }
            done += 1;
        }
        all
    }
}

/// Writes `x f + y r` for people to read.
fn linear(x: i32, y: i32) -> String {
    let term = |factor: i32, name: &str| match factor.abs() {
        1 => name.to_owned(),
        many => format!("{many}{name}"),
    };
    match (x, y) {
        (x, 0) => term(x, "f"),
        (0, y) => term(y, "r"),
        (x, y) => {
            let sign = if y < 0 { '-' } else { '+' };
            format!("{} {sign} {}", term(x, "f"), term(y, "r"))
        }
    }
}

fn gcd(a: i32, b: i32) -> i32 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

/// Prints the rows of the Hermite normal form, `(1,1) (0,2)`, or `(0,0)` for the origin alone.
impl fmt::Display for Lattice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rows = self.generators();
        if rows.is_empty() {
            rows.push((0, 0));
        }
        let rows: Vec<_> = rows.iter().map(|(x, y)| format!("({x},{y})")).collect();
        f.pad(&rows.join(" "))
    }
}

impl fmt::Debug for Lattice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lattice[{self}]")
    }
}
