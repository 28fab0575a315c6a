//! The laws of one slice: which of its positions are legal, and where moves lead.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use tbindex::Color;
use tbindex::batch::Backend;
use tbindex::bitbase::{
    Accumulator, Bitbase, Direction, Domain, Frontier, MOST_PIECES, Positions, Row, Slice,
};

use super::{Members, Pieces, Random, all_slots, bit, noise, offsets};

/// The truth about a placement and a set.
#[derive(Clone, Copy, Debug)]
struct Facts {
    distinct: bool,
    check: [bool; 2],
    /// How many moves of each piece lead into the set.
    leads: [u8; MOST_PIECES],
    /// How many moves of each piece lead here from the set.
    comes: [u8; MOST_PIECES],
}

/// How many moves there are of some pieces, given as bits.
fn sum(moves: [u8; MOST_PIECES], movers: u8) -> u8 {
    let all = moves.into_iter().enumerate();
    all.filter(|(k, _)| movers >> k & 1 != 0)
        .map(|(_, moves)| moves)
        .sum()
}

struct Case<'a> {
    domain: &'a Domain,
    pieces: &'a Pieces,
    members: &'a Members,
    number: usize,
    /// The placements that are looked at in any case.
    looked_at: BTreeSet<u64>,
    facts: RefCell<HashMap<u64, Facts>>,
    seed: u64,
}

impl Case<'_> {
    fn facts(&self, offset: u64) -> Facts {
        let pieces = self.pieces;
        let made = || {
            let placement = pieces.placement(self.number, offset);
            let distinct = pieces.is_distinct(placement);
            let meets = |backwards| {
                let mut all = [0; MOST_PIECES];
                for k in pieces.movers().filter(|_| distinct) {
                    let moves = pieces.moves(placement, k, backwards);
                    let met = moves.filter(|&moved| self.members.contain(pieces, moved));
                    all[k] = met.count() as u8;
                }
                all
            };
            Facts {
                distinct,
                check: Color::ALL.map(|side| pieces.is_check(placement, side)),
                leads: meets(false),
                comes: meets(true),
            }
        };
        *(self.facts.borrow_mut().entry(offset)).or_insert_with(made)
    }

    /// The pieces of a side, as bits.
    fn side(&self, side: Color) -> u8 {
        let movers = (0..).zip(&self.pieces.kings_and_men);
        let own = movers.filter(|(_, man)| man.color == side);
        own.fold(0, |set, (k, _)| set | 1 << k)
    }

    /// The message for a placement for which a law does not hold.
    fn name(&self, offset: u64) -> String {
        let (number, domain, seed) = (self.number, self.domain, self.seed);
        let placement = self.pieces.placement(number, offset);
        format!("{placement:?} of slice {number} of {domain:?}, seed {seed}")
    }

    /// Rows of the slice have just the positions with a property, placements with two pieces on a square left out, and
    /// nothing beyond the slots.
    fn have(&self, rows: &[Row], property: impl Fn(Facts) -> bool, law: &str) {
        for offset in self.looked_at.iter().copied().chain(offsets(rows)) {
            assert!(offset < self.pieces.slots(), "{law}: {}", self.name(offset));
            let facts = self.facts(offset);
            assert!(
                !facts.distinct || bit(rows, offset) == property(facts),
                "{law}: {facts:?} {}",
                self.name(offset)
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
        let moves: Vec<_> = (pieces.moves(placement, k, random.bits(1) == 1)).collect();
        if !moves.is_empty() {
            let moved = moves[random.bits(16) as usize % moves.len()];
            members.insert(pieces.canonical(moved));
        }
    }
    Members(members)
}

/// The offsets of a slice that are worth a look: random ones, and all next to members.
fn around(
    pieces: &Pieces,
    number: usize,
    members: &Members,
    count: usize,
    random: &mut Random,
) -> BTreeSet<u64> {
    let mut all: BTreeSet<u64> = (0..count).map(|_| random.bits(pieces.bits())).collect();
    let moves = members.0.iter().flat_map(|&member| {
        let moves = move |k| [false, true].map(|back| pieces.moves(member, k, back));
        pieces.movers().flat_map(moves).flatten()
    });
    let slots = moves.flat_map(|moved| pieces.slots_of(moved));
    let here = slots.filter(|slot| slot.slice == number);
    all.extend(here.map(|slot| slot.offset));
    all
}

/// The positions of some slices as a sparse set, in which something else was before. Every other slice is taken
/// from what was gathered.
fn frontier(set: &Bitbase, slices: &BTreeSet<usize>) -> Frontier {
    let domain = set.domain();
    let mut sparse = Frontier::try_new(domain).expect("memory");
    if slices.len() * domain.rows() < 1 << 16 {
        for (slice, mut rows) in sparse.slices_mut().enumerate() {
            if slices.contains(&slice) {
                // Every other row, so that rows and slabs without positions have stale notes.
                rows.fill(|at| [!Row::EMPTY, Row::EMPTY][at % 2]);
            }
        }
    }
    sparse.clear();
    assert!(sparse.is_empty());
    let mut gathered = Accumulator::new(domain, Backend::detect());
    for (slice, mut rows) in sparse.slices_mut().enumerate() {
        if slices.contains(&slice) && slice % 2 == 0 {
            rows.fill(|at| set.slice(slice)[at]);
        } else if slices.contains(&slice) {
            gathered.add(set.slice(slice));
            gathered.take_new(&mut vec![Row::EMPTY; domain.rows()], &mut rows);
        }
    }
    sparse
}

/// The laws of one slice, on every backend: legality, checks, moves in both directions of every man and of each
/// side, from dense and sparse sets, and confinement.
///
/// It looks at `count` random positions, all around as many members of a set, and every position that a set of
/// the library has.
pub fn laws_of_slice(domain: &Domain, number: usize, count: usize, seed: u64) {
    let pieces = &Pieces::of(domain);
    let random = &mut Random::new(seed);
    let members = &members_around(pieces, number, count, random);
    let case = Case {
        domain,
        pieces,
        members,
        number,
        looked_at: around(pieces, number, members, count, random),
        facts: RefCell::default(),
        seed,
    };
    let slices = pieces.neighbours(number);
    let set = members.bitbase(domain, pieces);
    let sparse = frontier(&set, &slices);
    let mut inside = Bitbase::try_new(domain).expect("memory");
    for (slice, rows) in inside.slices_mut().enumerate() {
        if slices.contains(&slice) {
            let outside = rows.iter_mut().zip(set.slice(slice));
            outside.for_each(|(row, &outside)| *row = !outside);
        }
    }
    // The words that were there before must not matter, so one is enough.
    let scratch = &mut Frontier::try_new(domain).expect("memory");
    for backend in Backend::available() {
        legality(&case, backend);
        moves(&case, &set, &sparse, scratch, random, backend);
        confinement(&case, &inside, scratch, random, backend);
    }
}

fn legality(case: &Case<'_>, backend: Backend) {
    let slice = Slice::new(case.domain, case.number);
    for side in Color::ALL {
        // The words that were there before must not matter.
        let mut rows = vec![Row([0x1234_5678_9abc_def0; 8]); case.domain.rows()];
        slice.illegal_into(side, &mut rows, backend);
        let law = format!("{backend}: legality, {side:?} to move");
        for &offset in &case.looked_at {
            let facts = case.facts(offset);
            let is_illegal = !facts.distinct || facts.check[!side as usize];
            let found = bit(&rows, offset);
            assert_eq!(found, is_illegal, "{law}: {}", case.name(offset));
        }
        let all = all_slots(case.domain);
        let beyond = of_each(&rows, &all, |row, all| row | all);
        assert!(beyond.iter().all(|row| *row == !Row::EMPTY), "{law}");
    }
}

fn moves(
    case: &Case<'_>,
    set: &Bitbase,
    sparse: &Frontier,
    scratch: &mut Frontier,
    random: &mut Random,
    backend: Backend,
) {
    let slice = Slice::new(case.domain, case.number);
    // One for all: what is left over from before must not matter.
    let plain = &mut Accumulator::new(case.domain, backend);
    let counting = &mut Accumulator::counting(case.domain, backend);
    let sources: [(&str, Positions<'_>); 2] = [("dense", set.into()), ("sparse", sparse.into())];
    for (name, source) in sources {
        for direction in [Direction::Backward, Direction::Forward] {
            let of = |facts: Facts| match direction {
                Direction::Backward => facts.leads,
                Direction::Forward => facts.comes,
            };
            let mut moved = |gathered: &mut Accumulator, movers: u8| {
                let law = format!("{backend}: {direction:?} of {movers:b} from a {name} set");
                case.have(gathered.rows(), |facts| sum(of(facts), movers) > 0, &law);
                if !gathered.several().is_empty() {
                    let several = |facts| sum(of(facts), movers) > 1;
                    case.have(gathered.several(), several, &format!("{law}: several"));
                }
                taken_as_new(case, gathered, scratch, random, &law);
            };
            for gathered in [&mut *plain, &mut *counting] {
                for man in 0..case.pieces.men.len() {
                    gathered.man_moves(&slice, man, direction, source);
                    moved(gathered, 1 << case.pieces.mover(man));
                }
                for side in Color::ALL {
                    gathered.moves(&slice, side, direction, source);
                    moved(gathered, case.side(side));
                }
            }
        }
    }
}

/// The operation on each two rows.
fn of_each(a: &[Row], b: &[Row], make: impl Fn(Row, Row) -> Row) -> Vec<Row> {
    a.iter().zip(b).map(|(&a, &b)| make(a, b)).collect()
}

/// The rows that are not empty, with their places.
fn rows_of(rows: &[Row]) -> impl Iterator<Item = (usize, &Row)> {
    rows.iter().enumerate().filter(|(_, row)| !row.is_empty())
}

/// All that was gathered and was not known is new, known from now on, and gathered no longer.
fn taken_as_new(
    case: &Case<'_>,
    gathered: &mut Accumulator,
    scratch: &mut Frontier,
    random: &mut Random,
    law: &str,
) {
    let before = gathered.rows().to_vec();
    let already = noise(case.domain, random);
    let mut known = already.clone();
    let mut slice = scratch.slices_mut().nth(case.number).expect("the slice");
    gathered.take_new(&mut known, &mut slice);
    let new = of_each(&before, &already, |before, already| before & !already);
    let now = of_each(&before, &already, |before, already| before | already);
    assert!(slice.rows().eq(rows_of(&new)), "{law}: {}", case.name(0));
    assert!(known == now, "{law}: {}", case.name(0));
    let mut left = gathered.rows().iter().chain(gathered.several());
    assert!(left.all(Row::is_empty), "{law}");
    assert_eq!(slice.is_empty(), new.iter().all(Row::is_empty));
}

fn confinement(
    case: &Case<'_>,
    inside: &Bitbase,
    scratch: &mut Frontier,
    random: &mut Random,
    backend: Backend,
) {
    let slice = Slice::new(case.domain, case.number);
    for side in Color::ALL {
        let own = case.side(side);
        let law = format!("{backend}: confined moves of {side:?}");
        let all = all_slots(case.domain);
        let mut rows = all.clone();
        slice.confine(side, inside, &mut rows, backend);
        let removed = of_each(&all, &rows, |all, row| all & !row);
        case.have(&removed, |facts| sum(facts.leads, own) > 0, &law);
        // Of fewer positions, the same ones stay.
        let some = noise(case.domain, random);
        let mut rows_of_some = some.clone();
        slice.confine(side, inside, &mut rows_of_some, backend);
        for &offset in &case.looked_at {
            assert!(
                !case.facts(offset).distinct
                    || bit(&rows_of_some, offset) == (bit(&some, offset) && bit(&rows, offset)),
                "{law}: {}",
                case.name(offset)
            );
        }

        let known = noise(case.domain, random);
        let mut now = known.clone();
        let mut gathered = Accumulator::new(case.domain, backend);
        let mut out = scratch.slices_mut().nth(case.number).expect("the slice");
        out.fill(|at| some[at / 2]);
        gathered.add(&some);
        gathered.take_confined(&slice, side, inside, &mut now, &mut out);
        let new = of_each(&rows_of_some, &known, |some, known| some & !known);
        let more = of_each(&known, &new, |known, new| known | new);
        assert!(out.rows().eq(rows_of(&new)), "{law}: {}", case.name(0));
        assert!(now == more, "{law}: known of {}", case.name(0));
        assert!(gathered.rows().iter().all(Row::is_empty));
        gathered.take_confined(&slice, side, inside, &mut now, &mut out);
        assert!(out.is_empty() && out.rows().next().is_none());
    }
}
