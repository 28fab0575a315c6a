//! Short-range pieces as sets of steps.

use tbindex::{Leaper, Square, Step, Symmetry};

/// Every 4099th leaper, and those with a name.
fn some_leapers() -> impl Iterator<Item = Leaper> {
    let named = tbindex::fairy::NAMED.map(|(name, _)| name.parse().unwrap());
    let all = (0..Leaper::COUNT).map(Leaper::new).step_by(4099);
    all.chain(named).chain([Leaper::EMPTY, !Leaper::EMPTY])
}

fn all_steps() -> Vec<Step> {
    (!Leaper::EMPTY).steps().collect()
}

#[test]
fn steps_are_those_whose_bits_are_set() {
    let all = all_steps();
    for leaper in some_leapers() {
        let is_set = |&index: &usize| leaper.bits() >> index & 1 == 1;
        let steps: Vec<Step> = (0..24).filter(is_set).map(|index| all[index]).collect();
        assert!(steps.iter().copied().eq(leaper.steps()), "{leaper}");
        assert_eq!(leaper.steps().collect::<Leaper>(), leaper);
        assert_eq!(leaper.steps().len(), steps.len());
    }
}

#[test]
fn the_reversed_leaper_leaps_back() {
    for leaper in some_leapers() {
        let reversed = leaper.image(Symmetry::Rotate180);
        let back: Leaper = leaper
            .steps()
            .map(|step| Step::new(-step.files, -step.ranks))
            .collect();
        assert_eq!(back, reversed);
        for a in Square::all().step_by(5) {
            for b in Square::all() {
                let leaps = leaper.attacks(a).contains(b);
                assert_eq!(leaps, reversed.attacks(b).contains(a));
            }
        }
    }
}

#[test]
fn images_are_a_group_action() {
    for index in 0..24 {
        let leaper = Leaper::new(0x8_1234 ^ 1 << index);
        for a in Symmetry::ALL {
            for b in Symmetry::ALL {
                assert_eq!(
                    leaper.image(a).image(b),
                    leaper.image(a.then(b)),
                    "{a}, {b}"
                );
            }
        }
    }
}

#[test]
fn sets_are_sets() {
    let (a, b) = (Leaper::KING, Leaper::KING - "07,09,16,18".parse().unwrap());
    assert_eq!(a & b, b);
    assert_eq!(a | b, a);
    assert_eq!((a - b) | b, a);
    assert_eq!(a ^ b, a - b);
    assert_eq!(!!a, a);
    assert_eq!(a | !a, !Leaper::EMPTY);
    assert_eq!(a.steps().len() + (!a).steps().len(), 24);
}

#[test]
fn squares_are_numbered_as_in_the_published_picture() {
    // Typed from the picture: the numbers of each row from the top, with 0 in the middle.
    let picture = [
        [1, 2, 3, 4, 5],
        [6, 7, 8, 9, 10],
        [11, 12, 0, 13, 14],
        [15, 16, 17, 18, 19],
        [20, 21, 22, 23, 24],
    ];
    for (row, numbers) in picture.iter().enumerate() {
        for (column, &number) in numbers.iter().enumerate() {
            if let Some(index) = usize::checked_sub(number, 1) {
                let (files, ranks) = (column as i8 - 2, 2 - row as i8);
                assert_eq!(all_steps()[index], Step::new(files, ranks));
            }
        }
    }
}
