//! Symmetries of the board, and groups of them.

use tbindex::{Bitboard, Group, Numbering, Square, Symmetry, reference};

#[test]
fn maps_are_the_published_ones() {
    // In the natural numbering, a square's code is its number.
    let published = &reference::IMAGE[Numbering::Natural as usize];
    for symmetry in Symmetry::ALL {
        for square in Square::all() {
            let image = published[symmetry as usize][square.index()];
            assert_eq!(symmetry.apply(square), Square::new(image), "{symmetry}");
        }
    }
}

#[test]
fn composition_is_application_one_after_the_other() {
    for a in Symmetry::ALL {
        for b in Symmetry::ALL {
            for square in Square::all() {
                assert_eq!(
                    a.then(b).apply(square),
                    b.apply(a.apply(square)),
                    "{a}, {b}"
                );
            }
        }
        assert_eq!(a.then(a.inverse()), Symmetry::Identity);
        assert_eq!(a.inverse().then(a), Symmetry::Identity);
    }
}

#[test]
fn groups_are_closed() {
    for group in Group::ALL {
        assert_eq!(group.members()[0], Symmetry::Identity);
        for &a in group.members() {
            assert!(group.members().contains(&a.inverse()));
            for &b in group.members() {
                assert!(group.members().contains(&a.then(b)));
            }
        }
    }
}

#[test]
fn sets_move_as_their_squares_do() {
    let mut set = Bitboard(0x0123_4567_89ab_cdef);
    for _ in 0..1000 {
        for symmetry in Symmetry::ALL {
            let expected: Bitboard = set.into_iter().map(|s| symmetry.apply(s)).collect();
            assert_eq!(symmetry.apply_to_set(set), expected, "{symmetry}");
        }
        // Any mixing that reaches all bits will do (Steele and Vigna's splitmix constant).
        set = Bitboard(set.0.wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(29) ^ 0x5555);
    }
}

#[test]
fn names_and_codes_read_back() {
    for symmetry in Symmetry::ALL {
        assert_eq!(symmetry.to_string().parse(), Ok(symmetry));
        assert_eq!(Symmetry::from_code(symmetry as u8), symmetry);
    }
    assert!("rotate_91".parse::<Symmetry>().is_err());
}
