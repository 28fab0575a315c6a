//! The laws of one slice: which of its positions are legal, and where moves lead.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use tbindex::Color;
use tbindex::batch::Backend;
use tbindex::bitbase::{Accumulator, Bitbase, Direction, Domain, Frontier, Positions, Row, Slice};

use super::{Members, Pieces, Placement, Random, bit, offsets, set_bit, slice_mut};

/// How much of a slice is looked at.
#[derive(Clone, Copy, Debug)]
pub enum Extent {
    /// Every placement, and a set with one in `1 << zeros` of the positions.
    Whole {
        /// The logarithm of the set's density.
        zeros: u32,
    },
    /// So many random positions, those around as many members of a set, and every position that a set of
    /// the library has.
    Some(usize),
}

/// What is true of a placement and a set.
#[derive(Clone, Copy, Debug)]
struct Facts {
    distinct: bool,
    check: [bool; 2],
    /// Bit k: a move of piece k leads into the set.
    leads: u8,
    /// Bit k: a move of piece k leads here from the set.
    comes: u8,
}

struct Case<'a> {
    pieces: &'a Pieces,
    members: &'a Members,
    number: usize,
    /// The placements that are looked at in any case.
    looked_at: Vec<u64>,
    /// Whether these are all.
    whole: bool,
    facts: RefCell<HashMap<u64, Facts>>,
    /// What to say if a law does not hold.
    name: String,
}

impl Case<'_> {
    fn facts(&self, offset: u64) -> Facts {
        if let Some(&facts) = self.facts.borrow().get(&offset) {
            return facts;
        }
        let pieces = self.pieces;
        let placement = pieces.placement(self.number, offset);
        let mut facts = Facts {
            distinct: pieces.is_distinct(placement),
            check: [false; 2],
            leads: 0,
            comes: 0,
        };
        if facts.distinct {
            facts.check = Color::ALL.map(|side| pieces.is_check(placement, side));
            for k in pieces.movers() {
                let meets = |backwards| {
                    let mut moves = pieces.moves(placement, k, backwards);
                    moves.any(|moved| self.members.contain(pieces, moved))
                };
                facts.leads |= u8::from(meets(false)) << k;
                facts.comes |= u8::from(meets(true)) << k;
            }
        }
        self.facts.borrow_mut().insert(offset, facts);
        facts
    }

    /// The pieces of a side, as bits.
    fn side(&self, side: Color) -> u8 {
        let own = (self.pieces.movers()).filter(|&k| self.pieces.color(k) == side);
        own.fold(0, |set, k| set | 1 << k)
    }

    /// Rows of the slice have just the positions with a property, wherever it is looked, placements with two
    /// pieces on a square left out.
    fn have(&self, rows: &[Row], property: impl Fn(Facts) -> bool, law: &str) {
        for &offset in &self.looked_at {
            let facts = self.facts(offset);
            assert!(
                !facts.distinct || bit(rows, offset) == property(facts),
                "{law}: {:?} {facts:?} of {}",
                self.pieces.placement(self.number, offset),
                self.name
            );
        }
    }

    /// Rows of the slice have just the positions with a property, and nothing beyond the slots.
    fn have_only(&self, rows: &[Row], property: impl Fn(Facts) -> bool, law: &str) {
        self.have(rows, &property, law);
        if self.whole {
            let last = offsets(rows).last().copied();
            assert!(last < Some(self.pieces.slots()), "{law} of {}", self.name);
            return;
        }
        for offset in offsets(rows) {
            let facts = self.facts(offset);
            assert!(
                !facts.distinct || property(facts),
                "{law}: {:?} {facts:?} of {}",
                self.pieces.placement(self.number, offset),
                self.name
            );
        }
    }
}

/// Members of a set around a slice: positions that moves from its own lead to or come from.
fn members_around(pieces: &Pieces, number: usize, count: usize, random: &mut Random) -> Members {
    let mut members = HashSet::new();
    for _ in 0..count {
        let Some(placement) = pieces.random(number, random) else {
            break;
        };
        let k = random.bits(16) as usize % pieces.movers().len();
        let moves: Vec<Placement> = pieces.moves(placement, k, random.bits(1) == 1).collect();
        if !moves.is_empty() {
            let moved = moves[random.bits(16) as usize % moves.len()];
            members.insert(pieces.canonical(moved));
        }
    }
    Members::Listed(members)
}

/// The offsets of a slice that are worth a look: random ones, and those next to members.
fn around(
    pieces: &Pieces,
    number: usize,
    members: &Members,
    count: usize,
    random: &mut Random,
) -> Vec<u64> {
    let bits = 6 * pieces.men.len() as u32;
    let mut all = BTreeSet::new();
    for _ in 0..count {
        all.insert(random.bits(bits));
    }
    if let Members::Listed(members) = members {
        for &member in members {
            for k in pieces.movers() {
                for backwards in [false, true] {
                    for moved in pieces.moves(member, k, backwards) {
                        let slots = pieces.slots_of(moved).into_iter();
                        let here = slots.filter(|&(slice, _)| slice == number);
                        all.extend(here.map(|(_, offset)| offset));
                    }
                }
            }
        }
    }
    all.into_iter().collect()
}

/// The positions of some slices as a sparse set, in which something else was before. Every other slice is taken
/// from what was gathered.
fn frontier(set: &Bitbase, slices: &[usize]) -> Frontier {
    let domain = set.domain();
    let mut sparse = Frontier::new(domain).expect("memory");
    let wanted = |slice: &usize| slices.binary_search(slice).is_ok();
    if slices.len() * domain.rows() < 1 << 16 {
        for (slice, mut rows) in sparse.slices_mut().enumerate() {
            if wanted(&slice) {
                // Every other row, so that rows and slabs without positions have stale notes.
                rows.fill(|at| [!Row::EMPTY, Row::EMPTY][at % 2]);
            }
        }
    }
    sparse.clear();
    assert!(sparse.is_empty());
    let mut gathered = Accumulator::new(domain, Backend::detect());
    for (slice, mut rows) in sparse.slices_mut().enumerate() {
        if wanted(&slice) && slice % 2 == 0 {
            rows.fill(|at| set.slice(slice)[at]);
        } else if wanted(&slice) {
            gathered.add(set.slice(slice));
            gathered.take_new(&mut vec![Row::EMPTY; domain.rows()], &mut rows);
        }
    }
    sparse
}

/// The laws of one slice, on every backend: legality, checks, moves in both directions of every man and of each
/// side, from dense and sparse sets, and confinement.
///
/// Under `Extent::Whole` the set has random positions of the slice and all around it.
pub fn laws_of_slice(domain: &Domain, number: usize, extent: Extent, seed: u64) {
    let pieces = &Pieces::of(domain);
    let random = &mut Random::new(seed);
    let (members, looked_at, whole) = match extent {
        Extent::Whole { zeros } => {
            let seed = random.bits(64);
            let members = Members::Hashed { seed, zeros };
            (members, (0..pieces.slots()).collect(), true)
        }
        Extent::Some(count) => {
            let members = members_around(pieces, number, count, random);
            let looked_at = around(pieces, number, &members, count, random);
            (members, looked_at, false)
        }
    };
    let case = Case {
        pieces,
        members: &members,
        number,
        looked_at,
        whole,
        facts: RefCell::default(),
        name: format!("slice {number} of {domain:?}, seed {seed}"),
    };
    let slices = pieces.neighbours(number);
    let set = members.bitbase(domain, pieces, &slices);
    let sparse = frontier(&set, &slices);
    let mut inside = Bitbase::new(domain).expect("memory");
    for &slice in &slices {
        let rows = slice_mut(&mut inside, slice).iter_mut();
        for (row, &outside) in rows.zip(set.slice(slice)) {
            *row = !outside;
        }
    }
    // What was there before must not matter, so one is enough.
    let scratch = &mut Frontier::new(domain).expect("memory");
    for backend in Backend::available() {
        legality(&case, domain, backend);
        moves(&case, domain, &set, &sparse, scratch, backend);
        confinement(&case, domain, &inside, random, scratch, backend);
    }
}

fn legality(case: &Case<'_>, domain: &Domain, backend: Backend) {
    let slice = Slice::new(domain, case.number);
    for side in Color::ALL {
        // What was there before must not matter.
        let mut rows = vec![Row([0x1234_5678_9abc_def0; 8]); domain.rows()];
        slice.illegal_into(side, &mut rows, backend);
        for &offset in &case.looked_at {
            let facts = case.facts(offset);
            let legal = facts.distinct && !facts.check[!side as usize];
            assert_eq!(
                bit(&rows, offset),
                !legal,
                "{backend}: legality, {side:?} to move: {:?} of {}",
                case.pieces.placement(case.number, offset),
                case.name
            );
        }
        if case.whole {
            let legal: Vec<Row> = rows.iter().map(|&row| !row).collect();
            let last = offsets(&legal).last().copied();
            assert!(last < Some(case.pieces.slots()), "{backend}: {}", case.name);
        }
    }
}

fn moves(
    case: &Case<'_>,
    domain: &Domain,
    set: &Bitbase,
    sparse: &Frontier,
    scratch: &mut Frontier,
    backend: Backend,
) {
    let slice = Slice::new(domain, case.number);
    // One for all: what is left over from before must not matter.
    let gathered = &mut Accumulator::new(domain, backend);
    let sources: [(&str, Positions<'_>); 2] = [("dense", set.into()), ("sparse", sparse.into())];
    for (name, source) in sources {
        for direction in [Direction::Backward, Direction::Forward] {
            let of = |facts: Facts| match direction {
                Direction::Backward => facts.leads,
                Direction::Forward => facts.comes,
            };
            for man in 0..case.pieces.men.len() {
                gathered.man_moves(&slice, man, direction, source);
                let law = format!("{backend}: {direction:?} of man {man} from a {name} set");
                let mover = case.pieces.mover(man);
                case.have_only(gathered.rows(), |f| of(f) >> mover & 1 == 1, &law);
                taken_as_new(case, gathered, domain, scratch, &law);
            }
            for side in Color::ALL {
                gathered.moves(&slice, side, direction, source);
                let law = format!("{backend}: {direction:?} of {side:?} from a {name} set");
                let own = case.side(side);
                case.have_only(gathered.rows(), |facts| of(facts) & own != 0, &law);
                taken_as_new(case, gathered, domain, scratch, &law);
            }
        }
    }
}

/// The rows of a slice with all its slots.
fn all_slots(domain: &Domain) -> Vec<Row> {
    let mut rows = vec![!Row::EMPTY; domain.rows()];
    if domain.slice_slots() < 512 {
        rows.fill(Row::EMPTY);
        for offset in 0..domain.slice_slots() {
            set_bit(&mut rows, offset);
        }
    }
    rows
}

/// Some rows that have nothing to do with anything.
fn noise(domain: &Domain, seed: u64) -> Vec<Row> {
    let mut random = Random::new(seed);
    let row = |_| Row(std::array::from_fn(|_| random.bits(64) & random.bits(64)));
    (0..domain.rows()).map(row).collect()
}

/// All that was gathered and was not known is new, known from now on, and gathered no longer.
fn taken_as_new(
    case: &Case<'_>,
    gathered: &mut Accumulator,
    domain: &Domain,
    scratch: &mut Frontier,
    law: &str,
) {
    let before = gathered.rows().to_vec();
    let mut known = noise(domain, case.number as u64);
    let already = known.clone();
    let mut slices = scratch.slices_mut();
    let mut slice = slices.nth(case.number).expect("the slice");
    gathered.take_new(&mut known, &mut slice);
    let mut new = vec![Row::EMPTY; before.len()];
    for (at, &row) in slice.rows() {
        assert!(!row.is_empty());
        new[at] = row;
    }
    for at in 0..before.len() {
        assert_eq!(new[at], before[at] & !already[at], "{law}: {}", case.name);
        assert_eq!(known[at], before[at] | already[at], "{law}: {}", case.name);
        assert!(gathered.rows()[at].is_empty(), "{law}: {}", case.name);
    }
    assert_eq!(slice.is_empty(), new.iter().all(Row::is_empty));
}

fn confinement(
    case: &Case<'_>,
    domain: &Domain,
    inside: &Bitbase,
    random: &mut Random,
    scratch: &mut Frontier,
    backend: Backend,
) {
    let slice = Slice::new(domain, case.number);
    for side in Color::ALL {
        let own = case.side(side);
        let confined = |facts: Facts| facts.leads & own == 0;
        let law = format!("{backend}: confined moves of {side:?}");
        let all = all_slots(domain);
        let mut rows = all.clone();
        slice.confine(side, inside, &mut rows, backend);
        case.have(&rows, confined, &law);
        let removed = rows.iter().zip(all).map(|(&row, all)| all & !row);
        let removed: Vec<Row> = removed.collect();
        case.have_only(&removed, |facts| !confined(facts), &law);
        // Of fewer positions, the same ones stay.
        let some = noise(domain, random.bits(64));
        let mut rows_of_some = some.clone();
        slice.confine(side, inside, &mut rows_of_some, backend);
        for &offset in &case.looked_at {
            let facts = case.facts(offset);
            assert!(
                !facts.distinct
                    || bit(&rows_of_some, offset) == (bit(&some, offset) && confined(facts)),
                "{law}: {:?} of {}",
                case.pieces.placement(case.number, offset),
                case.name
            );
        }

        let known = noise(domain, random.bits(64));
        let mut now = known.clone();
        let mut gathered = Accumulator::new(domain, backend);
        let mut slices = scratch.slices_mut();
        let mut out = slices.nth(case.number).expect("the slice");
        out.fill(|at| some[at / 2]);
        gathered.add(&some);
        gathered.take_confined(&slice, side, inside, &mut now, &mut out);
        let mut new = vec![Row::EMPTY; known.len()];
        for (at, &row) in out.rows() {
            new[at] = row;
        }
        for at in 0..known.len() {
            let taken = rows_of_some[at] & !known[at];
            assert_eq!(new[at], taken, "{law}: taken of {}", case.name);
            assert_eq!(now[at], known[at] | taken, "{law}: known of {}", case.name);
            assert!(gathered.rows()[at].is_empty());
        }
        gathered.take_confined(&slice, side, inside, &mut now, &mut out);
        assert!(out.is_empty() && out.rows().next().is_none());
    }
}
