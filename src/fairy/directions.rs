//! The sixteen directions in which short-range pieces step, and sets of them.

use crate::board::{Leaper, Step};

/// One of the sixteen winds: the directions of the 24 steps. North is forward.
///
/// The discriminants count clockwise from north, so that opposite directions differ by 8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub(crate) enum Wind {
    North,
    NorthNorthEast,
    NorthEast,
    EastNorthEast,
    East,
    EastSouthEast,
    SouthEast,
    SouthSouthEast,
    South,
    SouthSouthWest,
    SouthWest,
    WestSouthWest,
    West,
    WestNorthWest,
    NorthWest,
    NorthNorthWest,
}

impl Wind {
    /// All sixteen, clockwise from north.
    pub(crate) const ALL: [Wind; 16] = {
        let mut all = [Wind::North; 16];
        let mut index = 0;
        while index < 16 {
            all[index] = TABLE[index].0;
            index += 1;
        }
        all
    };

    /// The direction of a step.
    #[must_use]
    pub(crate) const fn of(step: Step) -> Wind {
        // Walk clockwise until the step is straight ahead.
        let mut index = 0;
        while index < 16 {
            let (x, y) = Wind::ALL[index].vector();
            let (f, r) = (step.files, step.ranks);
            if x * r == y * f && x * f + y * r > 0 {
                return Wind::ALL[index];
            }
            index += 1;
        }
        unreachable!()
    }

    /// The shortest step in this direction, as (files, ranks).
    #[must_use]
    pub(crate) const fn vector(self) -> (i8, i8) {
        TABLE[self as usize].1
    }

    /// The name, such as `north-north-east`.
    #[must_use]
    pub(crate) const fn name(self) -> &'static str {
        TABLE[self as usize].2
    }
}

/// The directions with their shortest steps, as (files, ranks), and their names.
const TABLE: [(Wind, (i8, i8), &str); 16] = [
    (Wind::North, (0, 1), "north"),
    (Wind::NorthNorthEast, (1, 2), "north-north-east"),
    (Wind::NorthEast, (1, 1), "north-east"),
    (Wind::EastNorthEast, (2, 1), "east-north-east"),
    (Wind::East, (1, 0), "east"),
    (Wind::EastSouthEast, (2, -1), "east-south-east"),
    (Wind::SouthEast, (1, -1), "south-east"),
    (Wind::SouthSouthEast, (1, -2), "south-south-east"),
    (Wind::South, (0, -1), "south"),
    (Wind::SouthSouthWest, (-1, -2), "south-south-west"),
    (Wind::SouthWest, (-1, -1), "south-west"),
    (Wind::WestSouthWest, (-2, -1), "west-south-west"),
    (Wind::West, (-1, 0), "west"),
    (Wind::WestNorthWest, (-2, 1), "west-north-west"),
    (Wind::NorthWest, (-1, 1), "north-west"),
    (Wind::NorthNorthWest, (-1, 2), "north-north-west"),
];

/// A set of directions, as 16 bits: bit `i` stands for the direction `i` places clockwise of north.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub(crate) struct Directions(pub(super) u16);

impl Directions {
    /// No direction.
    pub(crate) const EMPTY: Directions = Directions(0);

    /// The directions of a piece's moves.
    #[must_use]
    pub(crate) fn of(piece: Leaper) -> Directions {
        piece.steps().map(Wind::of).collect()
    }

    /// Whether the set is empty.
    #[must_use]
    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number of directions in the set.
    #[must_use]
    pub(crate) const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the direction is in the set.
    #[must_use]
    pub(crate) const fn contains(self, direction: Wind) -> bool {
        self.0 >> direction as u8 & 1 != 0
    }

    /// The directions clockwise from north.
    pub(crate) fn iter(self) -> impl Iterator<Item = Wind> {
        Wind::ALL
            .into_iter()
            .filter(move |&direction| self.contains(direction))
    }

    /// The first and the last of the directions, clockwise, if they are an unbroken arc of the circle.
    #[must_use]
    pub(crate) fn arc(self) -> Option<(Wind, Wind)> {
        let first = self.0 & !self.0.rotate_left(1);
        let last = self.0 & !self.0.rotate_right(1);
        let only = |bits: u16| Wind::ALL.get(bits.trailing_zeros() as usize).copied();
        if first.count_ones() == 1 {
            Some((only(first)?, only(last)?))
        } else {
            None
        }
    }

    /// The directions in which these, with any positive weights, can never add up.
    ///
    /// Directions add up to all others unless a closed half-plane holds them all. They then miss the
    /// directions that lie strictly outside of these half-planes. The half-planes that matter begin at one
    /// of the sixteen directions and end at its opposite: nine directions are inside, seven outside. The
    /// result is empty exactly if no half-plane holds them all.
    #[must_use]
    pub(crate) fn missing(self) -> Directions {
        let outside = |start: u32| 0b0111_1111_u16.rotate_left(start);
        (0..16)
            .map(outside)
            .filter(|outside| self.0 & outside == 0)
            .fold(Directions::EMPTY, |all, out| Directions(all.0 | out))
    }
}

impl FromIterator<Wind> for Directions {
    fn from_iter<I: IntoIterator<Item = Wind>>(directions: I) -> Directions {
        directions
            .into_iter()
            .fold(Directions::EMPTY, |set, direction| {
                Directions(set.0 | 1 << direction as u8)
            })
    }
}
