//! Sets converted to other domains.

use std::collections::HashSet;

use tbindex::Color;
use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Domain, MOST_PIECES, Man, Walk};

use super::{Members, Pieces, Placement, Random, bit, offsets};

/// How the board of a domain is turned to be seen as that of another.
#[derive(Clone, Copy, Debug)]
struct Turn {
    /// Colours are exchanged, and ranks mirrored.
    swap_colors: bool,
    /// Files are mirrored.
    mirror: bool,
}

/// The colour, the walk and the steps of a man. Leapers are told by the steps alone.
type Name = (Color, Walk, Vec<(i8, i8)>);

impl Turn {
    const NONE: Turn = Turn {
        swap_colors: false,
        mirror: false,
    };

    fn square(self, square: u8) -> u8 {
        let ranks = if self.swap_colors { 56 } else { 0 };
        square ^ ranks ^ if self.mirror { 7 } else { 0 }
    }

    fn name(self, man: Man) -> Name {
        let color = if self.swap_colors {
            !man.color
        } else {
            man.color
        };
        match man.walk {
            Walk::Leaper(leaper) => {
                let files = |files: i8| if self.mirror { -files } else { files };
                let ranks = |ranks: i8| if self.swap_colors { -ranks } else { ranks };
                let steps = leaper.steps().map(|s| (files(s.files), ranks(s.ranks)));
                let mut steps: Vec<_> = steps.collect();
                steps.sort_unstable();
                (color, Walk::Leaper(tbindex::Leaper::EMPTY), steps)
            }
            chess @ Walk::Chess(_) => (color, chess, Vec::new()),
        }
    }
}

fn others(domain: &Domain) -> impl Iterator<Item = Man> {
    domain.men().iter().copied().filter(|man| !man.is_king())
}

/// The placement of the domain `from` that one of the domain `to` is, or `None` if the pieces are others. Like men
/// come in order, those of `to` before those that are fixed there.
fn told_in(from: &Domain, to: &Domain, placement: Placement, turn: Turn) -> Option<Placement> {
    let mut squares = [0; MOST_PIECES];
    for color in [0, 1] {
        let there = if turn.swap_colors { 1 - color } else { color };
        squares[color] = turn.square(placement.0[there]);
    }
    let mut men: Vec<(Name, u8)> = (others(to).enumerate())
        .map(|(k, man)| (turn.name(man), turn.square(placement.0[2 + k])))
        .collect();
    let free = men.len();
    let fixed = to.fixed().iter();
    men.extend(fixed.map(|&(piece, square)| {
        let name = turn.name(Man::from(piece));
        (name, turn.square(square.number()))
    }));
    for &(piece, square) in from.fixed() {
        let name = Turn::NONE.name(Man::from(piece));
        // A man of `to` who happens to stand there is not fixed.
        let fixed = &men[free..];
        let at = (fixed.iter()).rposition(|man| *man == (name.clone(), square.number()))?;
        men.remove(free + at);
    }
    for (k, man) in others(from).enumerate() {
        let name = Turn::NONE.name(man);
        let at = men.iter().position(|(other, _)| *other == name)?;
        squares[2 + k] = men.remove(at).1;
    }
    men.is_empty().then_some(Placement(squares))
}

/// A set converted to another domain has just the positions that it has. The board is mirrored if the pieces do not
/// go together otherwise.
pub fn laws_of_conversion(from: &Domain, to: &Domain, swap_colors: bool, count: usize, seed: u64) {
    let random = &mut Random::new(seed);
    let (there, here) = (Pieces::of(from), Pieces::of(to));
    let turns = [false, true].map(|mirror| Turn {
        swap_colors,
        mirror,
    });
    let fits = |turn: &Turn| told_in(from, to, here.placement(0, 0), *turn).is_some();
    let turn = turns.into_iter().find(fits).expect("the same pieces");
    let told_in = |slice, offset| {
        let told = told_in(from, to, here.placement(slice, offset), turn);
        told.expect("the same pieces")
    };
    let mut listed = HashSet::new();
    let mut looked_at = Vec::new();
    for at in 0..2 * count {
        let slice = random.bits(32) as usize % to.slices();
        let bits = 6 * here.men.len() as u32;
        let offset = random.bits(bits);
        let told = told_in(slice, offset);
        looked_at.push((slice, offset));
        if at < count && there.is_distinct(told) && there.has(told) {
            listed.insert(there.canonical(told));
        }
    }
    let members = Members::Listed(listed);
    let all: Vec<usize> = (0..from.slices()).collect();
    let set = members.bitbase(from, &there, &all);
    let backend = Backend::detect();
    let seen = set
        .convert(to, swap_colors, backend)
        .expect("the same pieces");
    assert_eq!(seen.domain(), to);
    for slice in 0..to.slices() {
        for offset in offsets(seen.slice(slice)) {
            looked_at.push((slice, offset));
        }
    }
    // Some slices are seen as if the others were empty, and then these as well.
    let few = |slice: usize| slice % 3 != 1;
    let mut emptied = set.try_clone().expect("memory");
    for slice in all.into_iter().filter(|&slice| !few(slice)) {
        emptied.release_slice(slice);
    }
    let mut by_slices = Bitbase::new(to).expect("memory");
    for (wanted, expected) in [
        (
            &few as &dyn Fn(usize) -> bool,
            emptied.convert(to, swap_colors, backend),
        ),
        (
            &|slice| slice % 3 != 0,
            Ok(seen.try_clone().expect("memory")),
        ),
    ] {
        let united =
            Bitbase::convert_into(&mut [&mut by_slices], &[&set], swap_colors, wanted, backend);
        united.expect("the same pieces");
        assert!(by_slices.rows() == expected.expect("the same pieces").rows());
    }
    // Several at once are converted as one after the other.
    for wanted in [&(|_| true) as &dyn Fn(usize) -> bool, &few] {
        let mut both = [(); 2].map(|()| Bitbase::new(to).expect("memory"));
        let [one, other] = &mut both;
        let sets = [&set, &emptied];
        let united = Bitbase::convert_into(&mut [one, other], &sets, swap_colors, wanted, backend);
        united.expect("the same pieces");
        for (mine, set) in both.iter().zip(sets) {
            let mut alone = Bitbase::new(to).expect("memory");
            let united =
                Bitbase::convert_into(&mut [&mut alone], &[set], swap_colors, wanted, backend);
            united.expect("the same pieces");
            assert!(*mine.rows() == *alone.rows());
        }
    }
    for (slice, offset) in looked_at {
        let placement = here.placement(slice, offset);
        assert!(offset < here.slots());
        let told = told_in(slice, offset);
        assert_eq!(
            bit(seen.slice(slice), offset),
            members.contain(&there, told),
            "{placement:?} of {to:?} is {told:?} of {from:?}, {turn:?}"
        );
    }
}
