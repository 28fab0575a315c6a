//! Captures, which lead into sets of smaller domains.

use std::collections::{BTreeSet, HashSet};

use tbindex::Color;
use tbindex::batch::Backend;
use tbindex::bitbase::{Accumulator, Captured, Capturer, Captures, Domain, Frontier, Row, Slice};

use super::{Extent, Members, Pieces, Placement, Random, bit, offsets};

/// A domain, a piece that is captured in it, and what is left.
struct Case<'a> {
    pieces: &'a Pieces,
    after: &'a Pieces,
    captured: Captured,
    fixed: Option<u8>,
    side: Color,
}

impl Case<'_> {
    /// The positions of the smaller domain that captures of the piece lead to, each with what captures.
    fn captures(&self, placement: Placement) -> Vec<(Capturer, Placement)> {
        let square = match (self.captured, self.fixed) {
            (Captured::Man(man), _) => placement.0[self.pieces.mover(man)],
            (Captured::Fixed(_), square) => square.expect("a fixed piece has a square"),
        };
        let own = (self.pieces.movers()).filter(|&k| self.pieces.color(k) == self.side);
        own.filter_map(|k| Some((k, self.pieces.onto(placement, k, square)?)))
            .map(|(k, mut moved)| {
                if let Captured::Man(man) = self.captured {
                    let at = self.pieces.mover(man);
                    moved.0.copy_within(at + 1.., at);
                    moved.0[7] = 0;
                }
                let mut men = 0..self.pieces.men.len();
                let man = men.find(|&man| self.pieces.mover(man) == k);
                (man.map_or(Capturer::King, Capturer::Man), moved)
            })
            .collect()
    }

    /// What captures the piece so that a position of the set is there.
    fn lead_into(&self, members: &Members, placement: Placement) -> Vec<Capturer> {
        let captures = self.captures(placement).into_iter();
        let captures = captures.filter(|&(_, moved)| members.contain(self.after, moved));
        captures.map(|(by, _)| by).collect()
    }
}

/// The positions of a slice from which every capture of either side leads into a set, on every backend.
pub fn laws_of_captures(domain: &Domain, number: usize, extent: Extent, seed: u64) {
    let pieces = &Pieces::of(domain);
    let random = &mut Random::new(seed);
    for side in Color::ALL {
        let enemies = (0..pieces.men.len())
            .filter(|&man| pieces.men[man].color != side && pieces.mover(man) >= 2);
        let fixed = domain.fixed().iter().enumerate();
        let fixed = fixed.filter(|(_, (piece, _))| piece.color != side);
        let all: Vec<Captured> = (enemies.map(Captured::Man))
            .chain(fixed.map(|(at, _)| Captured::Fixed(at)))
            .collect();
        assert!(domain.captured_by(side).eq(all.iter().copied()));
        for captured in all {
            let smaller = match domain.after(captured) {
                Ok(smaller) => smaller,
                Err(error) => {
                    // A fixed piece of a symmetric set is not captured under the set's symmetries.
                    assert!(matches!(captured, Captured::Fixed(_)), "{error}");
                    continue;
                }
            };
            assert_eq!(smaller.group(), domain.group());
            assert_eq!(
                smaller.king_pairs().is_some(),
                domain.king_pairs().is_some()
            );
            let after = &Pieces::of(&smaller);
            let case = Case {
                pieces,
                after,
                captured,
                fixed: match captured {
                    Captured::Fixed(at) => Some(domain.fixed()[at].1.number()),
                    Captured::Man(_) => None,
                },
                side,
            };
            laws_of_one(&case, domain, &smaller, number, extent, random);
        }
    }
}

fn laws_of_one(
    case: &Case<'_>,
    domain: &Domain,
    smaller: &Domain,
    number: usize,
    extent: Extent,
    random: &mut Random,
) {
    let (pieces, after) = (case.pieces, case.after);
    let bits = 6 * pieces.men.len() as u32;
    let mut looked_at: BTreeSet<u64> = BTreeSet::new();
    let mut led_to = HashSet::new();
    match extent {
        Extent::Whole { .. } => looked_at.extend(0..pieces.slots()),
        Extent::Some(count) => {
            // Half of them with a capture.
            for at in 0..20 * count {
                let offset = random.bits(bits);
                let placement = pieces.placement(number, offset);
                let captures = case.captures(placement);
                if at < count || !captures.is_empty() {
                    looked_at.insert(offset);
                }
                let all = captures.into_iter();
                led_to.extend(all.map(|(_, moved)| after.canonical(moved)));
                if looked_at.len() > 2 * count {
                    break;
                }
            }
        }
    }
    let members = match extent {
        Extent::Some(_) if after.men.len() > 1 => {
            let some = led_to.into_iter();
            let some = some.filter(|&moved| after.is_distinct(moved) && random.bits(1) == 1);
            Members::Listed(some.collect())
        }
        _ => Members::Hashed {
            seed: random.bits(64),
            zeros: 1,
        },
    };
    let set = members.bitbase(smaller, after, &after.neighbours(number));
    let captures =
        Captures::new(domain, case.captured, &set, false, Backend::detect()).expect("what is left");
    let mut scratch = Frontier::new(domain).expect("memory");
    for backend in Backend::available() {
        let gathered = &mut Accumulator::new(domain, backend);
        // Twice, as the memory is used again.
        for _ in 0..2 {
            gathered.clear();
            gathered.captures(&Slice::new(domain, number), [&captures]);
        }
        looked_at.extend(offsets(gathered.rows()));
        let alone: Vec<(Capturer, Vec<Row>)> = (domain.capturers(case.captured))
            .map(|by| {
                let gathered = &mut Accumulator::new(domain, backend);
                gathered.captures_by(&Slice::new(domain, number), by, &captures);
                (by, gathered.rows().to_vec())
            })
            .collect();
        for &offset in &looked_at {
            let placement = pieces.placement(number, offset);
            if pieces.is_distinct(placement) {
                let expected = case.lead_into(&members, placement);
                let what = || {
                    let side = case.side;
                    let captured = case.captured;
                    format!(
                        "{backend}: {captured:?} of {side:?}: {placement:?} of slice {number} of {domain:?}"
                    )
                };
                assert_eq!(
                    bit(gathered.rows(), offset),
                    !expected.is_empty(),
                    "{}",
                    what()
                );
                let found = alone.iter().filter(|(_, rows)| bit(rows, offset));
                let found: Vec<Capturer> = found.map(|&(by, _)| by).collect();
                // Kings are the first of the pieces, and the last of those that capture.
                assert!(found.len() == expected.len(), "{}", what());
                assert!(found.iter().all(|by| expected.contains(by)), "{}", what());
            }
        }
        assert!(looked_at.last() < Some(&pieces.slots()));
        // Nothing of it is lost when it is taken.
        let before = gathered.rows().to_vec();
        let mut taken = vec![Row::EMPTY; before.len()];
        let mut slices = scratch.slices_mut();
        let mut out = slices.nth(number).expect("the slice");
        gathered.take_new(&mut taken, &mut out);
        assert!(taken == before, "{backend}: {:?}", case.captured);
    }
}
