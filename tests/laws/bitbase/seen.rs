//! Sets seen from other domains.

use std::collections::HashSet;

use tbindex::Color;
use tbindex::bitbase::{Domain, MOST_PIECES, Man, Walk};

use super::{Members, Pieces, Placement, Random, bit, offsets};

/// The man as the other side has him: the other colour, and steps mirrored.
fn turned(man: Man) -> (Color, Walk, Vec<(i8, i8)>) {
    let steps = match man.walk {
        Walk::Leaper(leaper) => {
            let mut steps: Vec<_> = leaper.steps().map(|s| (s.files, -s.ranks)).collect();
            steps.sort_unstable();
            steps
        }
        Walk::Chess(_) => Vec::new(),
    };
    let walk = match man.walk {
        // Told by the steps alone.
        Walk::Leaper(_) => Walk::Leaper(tbindex::Leaper::EMPTY),
        chess @ Walk::Chess(_) => chess,
    };
    (!man.color, walk, steps)
}

/// The man as he is, told in the same words.
fn as_he_is(man: Man) -> (Color, Walk, Vec<(i8, i8)>) {
    let (color, walk, steps) = turned(man);
    let mut steps: Vec<_> = steps.into_iter().map(|(f, r)| (f, -r)).collect();
    steps.sort_unstable();
    (!color, walk, steps)
}

/// The placement of the domain `from` that one of the domain `to` is. Like men come in order, those of `to`
/// before those that are fixed there.
fn told_in(from: &Domain, to: &Domain, placement: Placement, swap_colors: bool) -> Placement {
    let turn = |square: u8| if swap_colors { square ^ 56 } else { square };
    let mut squares = [0; MOST_PIECES];
    for color in [0, 1] {
        let there = if swap_colors { 1 - color } else { color };
        squares[color] = turn(placement.0[there]);
    }
    let name = if swap_colors { turned } else { as_he_is };
    let mut men: Vec<_> = (to.men().iter().enumerate())
        .map(|(k, &man)| (name(man), turn(placement.0[2 + k])))
        .collect();
    let fixed = to.fixed().iter();
    men.extend(fixed.map(|&(piece, square)| {
        let (color, walk, steps) = name(Man::from(piece));
        ((color, walk, steps), turn(square.number()))
    }));
    for &(piece, square) in from.fixed() {
        let name = as_he_is(Man::from(piece));
        let at = men
            .iter()
            .rposition(|man| *man == (name.clone(), square.number()));
        men.remove(at.expect("it is fixed in both domains"));
    }
    for (k, &man) in from.men().iter().enumerate() {
        let at = men.iter().position(|(name, _)| *name == as_he_is(man));
        squares[2 + k] = men.remove(at.expect("the same pieces")).1;
    }
    assert!(men.is_empty(), "the same pieces");
    Placement(squares)
}

/// A set seen from another domain has just the positions that it has.
pub fn laws_of_view(from: &Domain, to: &Domain, swap_colors: bool, count: usize, seed: u64) {
    let random = &mut Random::new(seed);
    let (there, here) = (Pieces::of(from), Pieces::of(to));
    let mut listed = HashSet::new();
    let mut looked_at = Vec::new();
    for at in 0..2 * count {
        let slice = random.bits(32) as usize % to.slices();
        let bits = 6 * here.men.len() as u32;
        let offset = if bits == 0 { 0 } else { random.bits(bits) };
        let told = told_in(from, to, here.placement(slice, offset), swap_colors);
        looked_at.push((slice, offset));
        if at < count && there.is_distinct(told) {
            listed.insert(there.canonical(told));
        }
    }
    let members = Members::Listed(listed);
    let all: Vec<usize> = (0..from.slices()).collect();
    let set = members.bitbase(from, &there, &all);
    let seen = set.seen_from(to, swap_colors).expect("the same pieces");
    assert_eq!(seen.domain(), to);
    for slice in 0..to.slices() {
        for offset in offsets(seen.slice(slice)) {
            looked_at.push((slice, offset));
        }
    }
    for (slice, offset) in looked_at {
        let placement = here.placement(slice, offset);
        assert!(offset < here.slots());
        let told = told_in(from, to, placement, swap_colors);
        assert_eq!(
            bit(seen.slice(slice), offset),
            members.contain(&there, told),
            "{placement:?} of {to:?} is {told:?} of {from:?}, colours exchanged: {swap_colors}"
        );
    }
}
