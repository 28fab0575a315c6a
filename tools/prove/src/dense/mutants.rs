//! Numberings with mistakes, each of which the check of small numberings must find.

use tbindex::{Dense, Diagonal, Group, Layout, Numbering, Rules, Square};

use super::exhaustive::check_scalar;
use super::promise::Promise;
use super::{compact, kings, orbit, triangle};
use crate::Theorem;

/// A mistake in a numbering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mistake {
    /// The last slot is left out of the size.
    SizeTooSmall,
    /// There is a slot too many.
    SizeTooGreat,
    /// Two neighbouring slots in the middle are exchanged when positions are looked up.
    UnrankExchanges,
    /// The slots at the first boundary of runs of 64 are one too great when positions are ranked.
    RankOneTooGreat,
    /// Every other position on the diagonal is ranked as its neighbour.
    DiagonalForgotten,
    /// Positions that have no slot get one.
    RoomForAll,
    /// One position that has a slot gets none.
    RoomForOneLess,
    /// The two last pieces are exchanged when positions are looked up.
    PiecesExchanged,
    /// A symmetry that is none of the group's is applied when positions are looked up.
    WrongSymmetry,
    /// The symmetry is forgotten when positions are ranked: only canonical ones keep their slots.
    SymmetryForgotten,
    /// All positions of the lower half of the slots are looked up in the upper half.
    HighestBitLost,
    /// A twin is that of the slot after it.
    WrongTwin,
}

const MISTAKES: [Mistake; 12] = [
    Mistake::SizeTooSmall,
    Mistake::SizeTooGreat,
    Mistake::UnrankExchanges,
    Mistake::RankOneTooGreat,
    Mistake::DiagonalForgotten,
    Mistake::RoomForAll,
    Mistake::RoomForOneLess,
    Mistake::PiecesExchanged,
    Mistake::WrongSymmetry,
    Mistake::SymmetryForgotten,
    Mistake::HighestBitLost,
    Mistake::WrongTwin,
];

/// A numbering with a mistake.
struct Wrong<'a> {
    right: &'a dyn Dense<u32>,
    promise: &'a Promise,
    mistake: Mistake,
}

impl Dense<u32> for Wrong<'_> {
    fn layout(&self) -> Layout<u32> {
        self.right.layout()
    }

    fn size(&self) -> u32 {
        match self.mistake {
            Mistake::SizeTooSmall => self.right.size() - 1,
            Mistake::SizeTooGreat => self.right.size() + 1,
            _ => self.right.size(),
        }
    }

    fn rank(&self, index: u32) -> Option<u32> {
        let (same, size) = (&self.promise.same, self.right.size());
        let canonical = same.canonical(index);
        match (self.mistake, self.right.rank(index)) {
            (Mistake::RoomForAll, None) => Some(index % size),
            (Mistake::RoomForOneLess, Some(slot)) if index == canonical && slot == size / 2 => None,
            (Mistake::RankOneTooGreat, Some(63)) => Some(64),
            (Mistake::DiagonalForgotten, Some(slot))
                if same.orbit_size(index) < 8 && slot % 2 == 1 =>
            {
                Some(slot + 1)
            }
            (Mistake::SymmetryForgotten, Some(slot))
                if canonical != index && canonical % 1000 == 5 =>
            {
                Some(slot + 1)
            }
            (_, slot) => slot,
        }
    }

    fn unrank(&self, slot: u32) -> u32 {
        let size = self.right.size();
        let slot = match self.mistake {
            Mistake::UnrankExchanges if slot / 2 == size / 4 => (slot ^ 1).min(size - 1),
            Mistake::HighestBitLost if slot >= size / 2 => slot - size / 2,
            _ => slot.min(size - 1),
        };
        let index = self.right.unrank(slot);
        let layout = self.layout();
        let [first, second] = [0, 1].map(|piece| layout.square(index, piece));
        match self.mistake {
            Mistake::PiecesExchanged if layout.pieces() > 2 => {
                layout.with_square(layout.with_square(index, 0, second), 1, first)
            }
            // One piece is mirrored, and the others are not.
            Mistake::WrongSymmetry => layout.with_square(index, 0, Square::new(first.number() ^ 7)),
            _ => index,
        }
    }

    fn weight(&self, slot: u32) -> u32 {
        self.right.weight(slot)
    }

    fn twin(&self, slot: u32) -> Option<u32> {
        let is_slot = slot < self.right.size();
        let twin = is_slot.then(|| self.right.twin(slot)).flatten();
        match (self.mistake, twin) {
            (Mistake::WrongTwin, Some(0)) => Some(1),
            (Mistake::WrongTwin, Some(twin)) => Some(twin - 1),
            _ => twin,
        }
    }
}

fn run() -> Result<String, String> {
    type Named = (&'static str, Box<dyn Dense<u32>>, Promise);
    fn named<S: Dense<u32> + 'static>(
        name: &'static str,
        (scheme, promise): (S, Promise),
    ) -> Named {
        (name, Box::new(scheme), promise)
    }
    let (natural, d4) = (Numbering::Natural, Group::D4);
    let layout = Layout::new(3, natural);
    let mut all = vec![
        named("orbit", orbit(layout, d4)),
        named("triangle", triangle(layout, d4)),
        named("kings", kings(layout, d4)),
    ];
    for (name, material, rules) in [
        ("compact", "KQvK", Rules::KingsApart),
        ("compact, with pawns", "KPvK", Rules::Distinct),
        ("compact, shared", "KQvK", Rules::All),
    ] {
        all.push(named(
            name,
            compact(material, natural, (rules, Diagonal::Exact)),
        ));
    }
    let (mut found, mut survivors) = (0, Vec::new());
    for (name, right, promise) in &all {
        check_scalar(right.as_ref(), promise).map_err(|error| format!("{name}: {error}"))?;
        for mistake in MISTAKES {
            let wrong = Wrong {
                right: right.as_ref(),
                promise,
                mistake,
            };
            // Where there are no twins, or all positions have room, nothing is wrong.
            let changes_nothing = match mistake {
                Mistake::WrongTwin => promise.is_exact,
                Mistake::RoomForAll => matches!(*name, "orbit" | "triangle" | "compact, shared"),
                _ => false,
            };
            if changes_nothing {
                continue;
            }
            match check_scalar(&wrong, promise) {
                Err(_) => found += 1,
                Ok(_) => survivors.push(format!("{name}: {mistake:?}")),
            }
        }
    }
    if survivors.is_empty() {
        Ok(format!("{found} mistakes, all found"))
    } else {
        Err(format!("not found: {survivors:?}"))
    }
}

pub(super) fn theorem_of_mistakes() -> Theorem {
    Theorem::new(
        "dense-mutants",
        "Mistakes in numberings of 3 pieces are found by the check of all slots and indices.",
        "seeded mistakes",
        false,
        run,
    )
}
