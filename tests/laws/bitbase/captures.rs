//! Captures, which lead into sets of smaller domains.

use std::collections::{BTreeSet, HashSet};

use tbindex::batch::Backend;
use tbindex::bitbase::{Accumulator, Captured, Capturer, Captures, Domain, Frontier, Row, Slice};
use tbindex::{Color, Square};

use super::{Members, Pieces, Placement, Random, bit, offsets};

/// The positions of a slice from which every capture of either side leads into a set, on every backend.
///
/// Of each capture `count` random positions are looked at, as many with a capture, and all that the library finds.
pub fn laws_of_captures(domain: &Domain, number: usize, count: usize, seed: u64) {
    let pieces = &Pieces::of(domain);
    let random = &mut Random::new(seed);
    for side in Color::ALL {
        let enemies = (0..pieces.men.len())
            .filter(|&man| pieces.men[man].color != side && !pieces.men[man].is_king());
        let fixed = domain.fixed().iter().enumerate();
        let fixed = fixed.filter(|(_, (piece, _))| piece.color != side);
        let all: Vec<Captured> = (enemies.map(Captured::Man))
            .chain(fixed.map(|(at, _)| Captured::Fixed(at)))
            .collect();
        assert!(domain.captured_by(side).eq(all.iter().copied()));
        for captured in all {
            match domain.after(captured) {
                Ok(smaller) => {
                    let case = Case {
                        domain,
                        pieces,
                        after: &Pieces::of(&smaller),
                        captured,
                        side,
                        number,
                    };
                    case.leads_into_sets(&smaller, count, random);
                }
                // A fixed piece of a symmetric set is not captured under the set's symmetries.
                Err(error) => assert!(matches!(captured, Captured::Fixed(_)), "{error}"),
            }
        }
    }
}

/// A domain, a piece that is captured in it, and what is left.
struct Case<'a> {
    domain: &'a Domain,
    pieces: &'a Pieces,
    after: &'a Pieces,
    captured: Captured,
    side: Color,
    number: usize,
}

impl Case<'_> {
    /// The positions of the smaller domain that captures of the piece lead to, each with what captures.
    fn captures(&self, placement: Placement) -> impl Iterator<Item = (Capturer, Placement)> {
        let kings = self.pieces.mover(0);
        let captured = match self.captured {
            Captured::Man(man) => Ok(self.pieces.mover(man)),
            Captured::Fixed(at) => Err(self.domain.fixed()[at].1),
        };
        let square = captured.map_or_else(|square| square, |k| placement.0[k]);
        let movers = self.pieces.kings_and_men.iter().enumerate();
        let own = movers.filter(|(_, man)| man.color == self.side);
        own.filter_map(move |(k, _)| {
            let mut moved = self.pieces.onto(placement, k, square)?;
            if let Ok(captured) = captured {
                moved.0.copy_within(captured + 1.., captured);
                moved.0[7] = Square::A1;
            }
            let man = k.checked_sub(kings).map(Capturer::Man);
            Some((man.unwrap_or(Capturer::King), moved))
        })
    }

    fn leads_into_sets(&self, smaller: &Domain, count: usize, random: &mut Random) {
        let (domain, pieces, after) = (self.domain, self.pieces, self.after);
        assert_eq!(smaller.group(), domain.group());
        assert_eq!(after.has_free_kings(), pieces.has_free_kings());
        let (mut looked_at, mut members) = (BTreeSet::new(), HashSet::new());
        for at in 0..20 * count {
            let offset = random.bits(pieces.bits());
            let mut captures = self
                .captures(pieces.placement(self.number, offset))
                .peekable();
            if at < count || captures.peek().is_some() {
                looked_at.insert(offset);
            }
            let distinct = captures.filter(|&(_, moved)| after.is_distinct(moved));
            let some = distinct.filter(|_| random.bits(1) == 1);
            members.extend(some.map(|(_, moved)| after.canonical(moved)));
            if looked_at.len() > 2 * count {
                break;
            }
        }
        let members = Members(members);
        let set = members.bitbase(smaller, after);
        let captures = Captures::try_new(domain, self.captured, &set, false, Backend::detect());
        let captures = captures.expect("what is left");
        let slice = &Slice::new(domain, self.number);
        let mut scratch = Frontier::try_new(domain).expect("memory");
        for backend in Backend::available() {
            let gathered = &mut Accumulator::new(domain, backend);
            // Twice, as the memory is used again.
            for _ in 0..2 {
                gathered.clear();
                gathered.captures(slice, [&captures]);
            }
            let counting = &mut Accumulator::counting(domain, backend);
            counting.captures(slice, [&captures]);
            assert!(counting.rows() == gathered.rows(), "{backend}: counted");
            let alone: Vec<(Capturer, Vec<Row>)> = (domain.capturers(self.captured))
                .map(|by| {
                    let gathered = &mut Accumulator::new(domain, backend);
                    gathered.captures_by(slice, by, &captures);
                    (by, gathered.rows().to_vec())
                })
                .collect();
            looked_at.extend(offsets(gathered.rows()));
            for &offset in &looked_at {
                assert!(offset < pieces.slots());
                let placement = pieces.placement(self.number, offset);
                if !pieces.is_distinct(placement) {
                    continue;
                }
                let lead = self.captures(placement);
                let lead = lead.filter(|&(_, moved)| members.contain(after, moved));
                // Kings are the first of the pieces, and the last of those that capture.
                let expected: HashSet<Capturer> = lead.map(|(by, _)| by).collect();
                let found = alone.iter().filter(|(_, rows)| bit(rows, offset));
                let found: HashSet<Capturer> = found.map(|&(by, _)| by).collect();
                assert!(
                    found == expected
                        && bit(gathered.rows(), offset) != expected.is_empty()
                        && bit(counting.several(), offset) == (expected.len() > 1),
                    "{backend}: {:?} of {:?}: {placement:?} of slice {} of {domain:?}",
                    self.captured,
                    self.side,
                    self.number
                );
            }
            // All captures are there twice now, those of kings, too.
            counting.captures(slice, [&captures]);
            assert!(counting.several() == gathered.rows(), "{backend}: twice");
            // Nothing of it is lost when it is taken.
            let before = gathered.rows().to_vec();
            let mut taken = vec![Row::EMPTY; before.len()];
            let mut out = scratch.slices_mut().nth(self.number).expect("the slice");
            gathered.take_new(&mut taken, &mut out);
            assert!(taken == before, "{backend}: {:?}", self.captured);
        }
    }
}
