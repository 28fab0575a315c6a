//! Laws of tables that move from one order to another.

use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use tbindex::batch::Backend;
use tbindex::bitbase::{Domain, MOST_PIECES, Man, Slot};
use tbindex::order::{Entry, Order, Reindexing, Scheme};
use tbindex::{
    Compact, Dense, Diagonal, Group, Kings, Layout, Material, Numbering, Orbit, Rules, Square,
    Triangle,
};

use super::dense::RULES;

/// An order, and how others than this module number its positions: squares are in the order of its men.
pub struct Numbered {
    /// Its name, for messages.
    pub name: String,
    /// The order.
    pub order: Order,
    group: Group,
    rank: Rank,
    unrank: Unrank,
    entries: OnceLock<Vec<u32>>,
}

type Rank = Box<dyn Fn(&[Square]) -> Option<u64> + Send + Sync>;
type Unrank = Box<dyn Fn(u64) -> Vec<Square> + Send + Sync>;

impl fmt::Debug for Numbered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// An entry that no source has.
const FILL: u32 = u32::MAX;

/// The entry of a position: the same for all that are equivalent, and hardly for others.
fn entry(men: &[Man], group: Group, squares: &[Square]) -> u32 {
    let mut placed = [(men[0], squares[0]); MOST_PIECES];
    let placed = &mut placed[..men.len()];
    let images = group.members().iter().map(|symmetry| {
        for (placed, (&man, &square)) in placed.iter_mut().zip(men.iter().zip(squares)) {
            *placed = (man, symmetry.apply(square));
        }
        placed.sort_unstable();
        placed
            .iter()
            .fold(0, |key, (_, square)| key << 6 | u64::from(square.number()))
    });
    let key = images.min().expect("the identity is a symmetry");
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as u32
}

/// For each man of the first order, the place of one like him in the second.
fn places(of: &[Man], among: &[Man]) -> Vec<usize> {
    let mut taken = vec![false; among.len()];
    let place = |man: &Man| {
        let place = (0..among.len()).find(|&k| !taken[k] && among[k] == *man);
        let place = place.expect("the same men");
        taken[place] = true;
        place
    };
    of.iter().map(place).collect()
}

impl Numbered {
    /// The entry of a slot's position.
    fn entry(&self, slot: u64) -> u32 {
        entry(self.order.men(), self.group, &(self.unrank)(slot))
    }

    /// The entries of all slots.
    fn entries(&self) -> &[u32] {
        let all = || {
            (0..self.order.size())
                .map(|slot| self.entry(slot))
                .collect()
        };
        self.entries.get_or_init(all)
    }

    /// Whether another order has room for a slot's position.
    fn has_room_in(&self, other: &Numbered, slot: u64) -> bool {
        let squares = (self.unrank)(slot);
        let own = places(other.order.men(), self.order.men()).into_iter();
        (other.rank)(&own.map(|place| squares[place]).collect::<Vec<Square>>()).is_some()
    }
}

/// The slot of a position is that of the scheme. Every `step`-th slot is asked for, and the images of its position.
pub fn slots_are_those_of_the_scheme(numbered: &Numbered, step: usize) {
    for slot in (0..numbered.order.size()).step_by(step) {
        let squares = (numbered.unrank)(slot);
        for symmetry in numbered.group.members() {
            let image: Vec<Square> = squares
                .iter()
                .map(|&square| symmetry.apply(square))
                .collect();
            let found = numbered.order.slot(&image);
            assert_eq!(found, (numbered.rank)(&image), "{numbered:?} {image:?}");
            assert!(
                found.is_some_and(|found| found < numbered.order.size()),
                "{numbered:?}"
            );
        }
    }
}

/// A whole table is moved as the loop over rank and unrank moves it, and so is a range of it, for words of any size.
pub fn reindexing_equals_the_loop(from: &Numbered, to: &Numbered, backend: Backend) {
    let (source, entries) = (from.entries(), to.entries());
    let mut target = vec![0; entries.len()];
    let way = Reindexing::try_new(&from.order, &to.order).expect("the same men");
    way.range_into(source, FILL, 0, &mut target, backend);
    for (slot, (&found, &entry)) in (0..).zip(target.iter().zip(entries)) {
        // A position's entry in the source is of one that is equivalent, for which there is room.
        assert!(
            found == entry || found == FILL && !to.has_room_in(from, slot),
            "{from:?} to {to:?}: slot {slot}, {:?}: {found}, and the position has {entry}",
            (to.unrank)(slot)
        );
    }
    let (first, end) = (target.len() / 3 + 5, target.len() * 2 / 3 + 7);
    let mut part = vec![0; end - first];
    way.range_into(source, FILL, first as u64, &mut part, backend);
    assert!(
        part == target[first..end],
        "{from:?} to {to:?}: slots {first} to {end}"
    );

    let words = target.iter().map(|&entry| entry as u16);
    let moved = narrowed(&way, source, |entry| entry as u16, target.len(), backend);
    assert!(moved.into_iter().eq(words), "words, {from:?} to {to:?}");
    let bytes = target.iter().map(|&entry| entry as u8);
    let moved = narrowed(&way, source, |entry| entry as u8, target.len(), backend);
    assert!(moved.into_iter().eq(bytes), "bytes, {from:?} to {to:?}");
}

/// A table of narrower entries, moved.
fn narrowed<T: Entry>(
    way: &Reindexing<'_>,
    source: &[u32],
    narrow: fn(u32) -> T,
    slots: usize,
    backend: Backend,
) -> Vec<T> {
    let source: Vec<T> = source.iter().map(|&entry| narrow(entry)).collect();
    let mut target = vec![narrow(0); slots];
    way.range_into(&source, narrow(FILL), 0, &mut target, backend);
    target
}

/// A range of a table is moved as the loop over rank and unrank moves it.
pub fn range_equals_the_loop(
    from: &Numbered,
    to: &Numbered,
    backend: Backend,
    slots: Range<u64>,
    source: &[u16],
) {
    let way = Reindexing::try_new(&from.order, &to.order).expect("the same men");
    let mut part = vec![0; (slots.end - slots.start) as usize];
    way.range_into(source, FILL as u16, slots.start, &mut part, backend);
    for (slot, &found) in slots.zip(&part) {
        let expected = if to.has_room_in(from, slot) {
            to.entry(slot)
        } else {
            FILL
        };
        assert_eq!(found, expected as u16, "{from:?} to {to:?}: slot {slot}");
    }
}

/// The entries of a table as words of 16 bits.
pub fn words_of(numbered: &Numbered) -> Vec<u16> {
    let slots = 0..numbered.order.size();
    slots.map(|slot| numbered.entry(slot) as u16).collect()
}

/// All orders of a material's positions: those of the schemes, and of the domain if there are no pawns. The tests of tbgen
/// have those of Syzygy files.
pub fn orders_of(material: Material) -> Vec<Numbered> {
    let (natural, group) = (Numbering::Natural, material.group());
    let layout = Layout::<u64>::new(material.piece_count(), natural);
    let mut orders = vec![
        of_scheme(material, Scheme::Triangle, Triangle::new(layout, group)),
        of_scheme(material, Scheme::Kings, Kings::new(layout, group)),
        of_scheme(material, Scheme::Orbit, Orbit::new(layout, group)),
    ];
    let exact = RULES.map(|rules| (rules, Diagonal::Exact));
    for (rules, diagonal) in exact
        .into_iter()
        .chain([(Rules::KingsApart, Diagonal::Both)])
    {
        let compact = Compact::<u64>::try_new(material, natural, rules, diagonal).unwrap();
        let scheme = Scheme::Compact(rules, diagonal);
        orders.push(of_scheme(material, scheme, compact));
    }
    if !material.has_pawns() {
        orders.push(of_domain(&Domain::try_new(material, &[]).unwrap()));
        let domain = Domain::try_new(material, &[]).unwrap().with_free_kings();
        orders.push(of_domain(&domain));
    }
    orders
}

fn of_scheme<S: Dense<u64> + Clone + Send + Sync + 'static>(
    material: Material,
    scheme: Scheme,
    dense: S,
) -> Numbered {
    let order = Order::of_scheme(material, scheme).unwrap();
    // The leading piece first, as orders have them: like men that are told apart are then in the same order.
    let mut index: Vec<Man> = material.index_order().map(Man::from).collect();
    index.reverse();
    let to_index = places(&index, order.men());
    let to_order = places(order.men(), &index);
    let layout = dense.layout();
    let other = dense.clone();
    Numbered {
        name: format!("{material} {scheme:?}"),
        entries: OnceLock::new(),
        group: material.group(),
        rank: Box::new(move |squares| {
            let squares = to_index.iter().rev().map(|&place| squares[place]);
            let squares: Vec<Square> = squares.collect();
            dense.rank(layout.encode(&squares))
        }),
        unrank: Box::new(move |slot| {
            let mut squares: Vec<Square> = layout.decode(other.unrank(slot)).collect();
            squares.reverse();
            to_order.iter().map(|&place| squares[place]).collect()
        }),
        order,
    }
}

fn of_domain(domain: &Domain) -> Numbered {
    let (ranking, unranking) = (domain.clone(), domain.clone());
    let free = domain.king_pairs().is_none();
    Numbered {
        name: format!("{domain:?}"),
        order: Order::of_domain(domain),
        entries: OnceLock::new(),
        group: domain.material().expect("pieces of chess").group(),
        rank: Box::new(move |squares| {
            if free {
                let digits = squares.iter();
                return Some(digits.fold(0, |slot, square| slot << 6 | u64::from(square.number())));
            }
            let kings = [squares[0], squares[1]];
            let (slot, _) = ranking.slot_of_squares(kings, &squares[2..])?;
            Some(slot.slice as u64 * ranking.slice_slots() + slot.offset)
        }),
        unrank: Box::new(move |slot| {
            let slot = Slot {
                slice: (slot / unranking.slice_slots()) as usize,
                offset: slot % unranking.slice_slots(),
            };
            unranking.squares(slot).collect()
        }),
    }
}
