//! That the numbers and names of the interface are the library's.

use std::ffi::CStr;
use std::ptr;

use tbindex::batch::Backend;
use tbindex::{Color, Compact, Dense, Diagonal, Group, Numbering, Rules, Square, Stage, Symmetry};
use tbindex_capi::*;

/// A text that the library gave out for ever.
#[allow(unsafe_code, reason = "C texts are pointers")]
fn text(pointer: *const std::ffi::c_char) -> &'static str {
    // SAFETY: the texts asked for here end with a zero byte and live for ever.
    unsafe { CStr::from_ptr(pointer) }.to_str().unwrap()
}

#[test]
fn squares_have_their_names() {
    for square in Square::all() {
        assert_eq!(text(tbi_square_name(square.number())), square.to_string());
    }
}

#[test]
fn constants_have_the_library_s_codes() {
    let numberings = [TBI_NUMBERING_NATURAL, TBI_NUMBERING_ALTERNATE];
    assert_eq!(numberings, Numbering::ALL.map(|numbering| numbering as u32));
    let sides = [TBI_SIDE_WHITE, TBI_SIDE_BLACK];
    assert_eq!(sides, Color::ALL.map(|side| side as u32));
    let named = [
        (TBI_SYMMETRY_IDENTITY, Symmetry::Identity),
        (TBI_SYMMETRY_FLIP_HORIZONTAL, Symmetry::FlipHorizontal),
        (TBI_SYMMETRY_FLIP_VERTICAL, Symmetry::FlipVertical),
        (TBI_SYMMETRY_ROTATE_180, Symmetry::Rotate180),
        (TBI_SYMMETRY_FLIP_DIAGONAL, Symmetry::FlipDiagonal),
        (TBI_SYMMETRY_ROTATE_270, Symmetry::Rotate270),
        (TBI_SYMMETRY_ROTATE_90, Symmetry::Rotate90),
        (TBI_SYMMETRY_FLIP_ANTI_DIAGONAL, Symmetry::FlipAntiDiagonal),
    ];
    for (number, symmetry) in named {
        assert_eq!(number, u32::from(symmetry as u8));
    }
    let groups = [TBI_GROUP_TRIVIAL, TBI_GROUP_FILE_MIRROR, TBI_GROUP_D4];
    assert_eq!(groups, Group::ALL.map(|group| group as u32));
    let stages = [
        (TBI_STAGE_ALL, Stage::All),
        (TBI_STAGE_DISTINCT, Stage::Distinct),
        (TBI_STAGE_KINGS_APART, Stage::KingsApart),
        (TBI_STAGE_LEGAL, Stage::Legal),
    ];
    assert_eq!(stages.map(|(number, _)| number), [0, 1, 2, 3]);
    assert_eq!(stages.map(|(_, stage)| stage), Stage::ALL);
    let methods = [TBI_METHOD_AUTO, TBI_METHOD_BITMAP, TBI_METHOD_SORT];
    assert_eq!(methods, [0, 1, 2]);
}

/// The slots of the numbering of KQvKR by these rules; 0 if there is none.
#[allow(unsafe_code, reason = "handles are pointers")]
fn slots(rules: tbi_rules, diagonal: tbi_diagonal) -> u64 {
    let mut dense = ptr::null_mut();
    // SAFETY: the text ends with a zero byte, the handle has a place, and is freed once.
    unsafe {
        let natural = TBI_NUMBERING_NATURAL;
        tbi_dense_of_material(c"KQvKR".as_ptr(), natural, rules, diagonal, &mut dense);
        let slots = tbi_dense_size(dense);
        tbi_dense_free(dense);
        slots
    }
}

#[test]
fn rules_and_diagonals_have_their_numbers_and_sizes() {
    let rules = [
        (TBI_RULES_ALL, Rules::All),
        (TBI_RULES_DISTINCT, Rules::Distinct),
        (TBI_RULES_KINGS_APART, Rules::KingsApart),
        (TBI_RULES_KINGS_APART_SHARED, Rules::KingsApartShared),
    ];
    assert_eq!(rules.map(|(number, _)| number), [0, 1, 2, 3]);
    let diagonals = [
        (TBI_DIAGONAL_EXACT, Diagonal::Exact),
        (TBI_DIAGONAL_BOTH, Diagonal::Both),
    ];
    assert_eq!(diagonals.map(|(number, _)| number), [0, 1]);
    let material = "KQvKR".parse().unwrap();
    for (number, rules) in rules {
        for (code, diagonal) in diagonals {
            assert_eq!(
                slots(number, code),
                Compact::<u64>::try_new(material, Numbering::Natural, rules, diagonal)
                    .unwrap()
                    .size()
            );
        }
    }
    assert_eq!(slots(4, TBI_DIAGONAL_EXACT), 0);
    assert_eq!(slots(TBI_RULES_ALL, 2), 0);
}

#[test]
fn versions_and_the_backend_are_the_library_s() {
    assert_eq!(tbi_abi_version(), TBI_ABI_VERSION);
    assert_eq!(text(tbi_version()), env!("CARGO_PKG_VERSION"));
    assert_eq!(text(tbi_backend()), Backend::detect().to_string());
}

#[test]
fn every_status_has_its_name() {
    let names: Vec<_> = (TBI_OK..19)
        .map(|status| text(tbi_status_name(status)))
        .collect();
    assert_eq!(names[0], "TBI_OK");
    assert_eq!(names[TBI_ERROR_INTERNAL as usize], "TBI_ERROR_INTERNAL");
    assert!(
        names[1..18]
            .iter()
            .all(|name| name.starts_with("TBI_ERROR_"))
    );
    assert_eq!(names[18], "unknown status");
}
