//! Sets converted to other domains.

use std::collections::HashSet;

use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Domain, MOST_PIECES, Man, Seen, Walk};
use tbindex::{Square, Symmetry};

use super::{Members, Pieces, Placement, Random, bit, offsets};

/// A man, the colours exchanged or not, on a board that is turned.
pub fn turned(man: Man, swap_colors: bool, symmetry: Symmetry) -> Man {
    let walk = match man.walk {
        Walk::Leaper(leaper) => Walk::Leaper(leaper.image(symmetry)),
        chess @ Walk::Chess(_) => chess,
    };
    let color = if swap_colors { !man.color } else { man.color };
    Man { walk, color }
}

/// The placement of the domain `from` that one of the domain `to` is on a board that is turned, or `None` if the pieces
/// are others. Like men come in order, those of `to` before those that are fixed there.
fn told_in(
    from: &Domain,
    to: &Pieces,
    Placement(squares): Placement,
    swap_colors: bool,
    symmetry: Symmetry,
) -> Option<Placement> {
    let mut men: Vec<(Man, Square)> = (to.kings_and_men.iter().copied().zip(squares))
        .chain(to.fixed.iter().copied())
        .map(|(man, at)| (turned(man, swap_colors, symmetry), symmetry.apply(at)))
        .collect();
    for &(piece, square) in from.fixed() {
        // A man of `to` who happens to stand there is not fixed.
        let at = men.iter().rposition(|man| *man == (piece.into(), square))?;
        men.remove((at >= to.kings_and_men.len()).then_some(at)?);
    }
    let mut squares = [Square::A1; MOST_PIECES];
    for (square, man) in squares.iter_mut().zip(Pieces::of(from).kings_and_men) {
        let at = men.iter().position(|(other, _)| *other == man)?;
        *square = men.remove(at).1;
    }
    men.is_empty().then_some(Placement(squares))
}

/// A set converted to another domain has just the positions that it has. The board is mirrored if the pieces do not
/// go together otherwise.
pub fn laws_of_conversion(from: &Domain, to: &Domain, swap_colors: bool, count: usize, seed: u64) {
    let random = &mut Random::new(seed);
    let (there, here) = (Pieces::of(from), Pieces::of(to));
    let symmetries = match swap_colors {
        false => [Symmetry::Identity, Symmetry::FlipHorizontal],
        true => [Symmetry::FlipVertical, Symmetry::Rotate180],
    };
    let told = |placement, symmetry| told_in(from, &here, placement, swap_colors, symmetry);
    let fits = |&symmetry: &Symmetry| told(here.placement(0, 0), symmetry).is_some();
    let symmetry = symmetries.into_iter().find(fits).expect("the same pieces");
    let told_in = |slice, offset| {
        let told = told(here.placement(slice, offset), symmetry);
        told.expect("the same pieces")
    };
    let mut listed = HashSet::new();
    let mut looked_at = Vec::new();
    for at in 0..2 * count {
        let slice = random.bits(32) as usize % to.slices();
        let offset = random.bits(here.bits());
        let told = told_in(slice, offset);
        looked_at.push((slice, offset));
        if at < count && there.is_distinct(told) && there.has(told) {
            listed.insert(there.canonical(told));
        }
    }
    let members = Members(listed);
    let set = members.bitbase(from, &there);
    let backend = Backend::detect();
    let seen = set
        .convert(to, swap_colors, backend)
        .expect("the same pieces");
    assert_eq!(seen.domain(), to);
    for slice in 0..to.slices() {
        looked_at.extend(offsets(seen.slice(slice)).map(|offset| (slice, offset)));
    }
    // Some slices are seen as if the others were empty, and then these as well.
    let few = |slice: usize| slice % 3 != 1;
    let mut emptied = set.try_clone().expect("memory");
    for slice in (0..from.slices()).filter(|&slice| !few(slice)) {
        emptied.release_slice(slice);
    }
    let convert = |all: &mut [&mut Bitbase], sets: &[&Bitbase], wanted: &dyn Fn(usize) -> bool| {
        let seen = Seen::try_new(sets, to, swap_colors, backend).expect("the same pieces");
        let mut slices: Vec<_> = all.iter_mut().map(|set| set.slices_mut()).collect();
        for slice in 0..to.slices() {
            let out = slices
                .iter_mut()
                .map(|slices| slices.next().expect("a slice"));
            seen.unite_into(slice, wanted, &mut out.collect::<Vec<_>>());
        }
    };
    let [mut by_slices, mut one, mut other] =
        [(); 3].map(|()| Bitbase::try_new(to).expect("memory"));
    convert(&mut [&mut by_slices], &[&set], &few);
    let of_few = emptied.convert(to, swap_colors, backend);
    assert!(by_slices.rows() == of_few.expect("the same pieces").rows());
    // Several at once are converted as one after the other.
    convert(&mut [&mut one, &mut other], &[&set, &emptied], &few);
    assert!(one.rows() == by_slices.rows() && other.rows() == by_slices.rows());
    convert(
        &mut [&mut one, &mut by_slices],
        &[&set, &emptied],
        &|slice| slice % 3 != 0,
    );
    assert!(one.rows() == seen.rows() && by_slices.rows() == other.rows());
    for (slice, offset) in looked_at {
        let placement = here.placement(slice, offset);
        assert!(offset < here.slots());
        let told = told_in(slice, offset);
        assert_eq!(
            bit(seen.slice(slice), offset),
            members.contain(&there, told),
            "{placement:?} of {to:?} is {told:?} of {from:?}, {symmetry}"
        );
    }
}
