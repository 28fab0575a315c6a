//! Names of materials, and which colours have them.

use cozy_chess::Board;
use syzygy_tables::Material;

#[test]
fn names_are_normalised() {
    for (given, name) in [
        ("KQvKR", "KQvKR"),
        ("KRvKQ", "KQvKR"),
        ("KvKP", "KPvK"),
        ("KNNvKRQ", "KQRvKNN"),
        ("KBvKNNN", "KNNNvKB"),
        ("KPPvKPP", "KPPvKPP"),
    ] {
        let material: Material = given.parse().unwrap();
        assert_eq!(material.to_string(), name);
    }
    for wrong in ["KvK", "KQKR", "KQvR", "KKvQ", "KQQQvKQQQ", "KXvK", ""] {
        assert!(wrong.parse::<Material>().is_err(), "{wrong}");
    }
}

#[test]
fn a_position_says_whether_its_colours_are_exchanged() {
    let board: Board = "8/8/2k5/1r6/8/8/8/2KQ4 b - - 0 1".parse().unwrap();
    let (material, exchanged) = Material::of(&board);
    assert_eq!((material.to_string().as_str(), exchanged), ("KQvKR", false));
    let board: Board = "8/8/2k5/1q6/8/8/8/2KR4 w - - 0 1".parse().unwrap();
    let (material, exchanged) = Material::of(&board);
    assert_eq!((material.to_string().as_str(), exchanged), ("KQvKR", true));
}
