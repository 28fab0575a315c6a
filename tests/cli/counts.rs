//! Known counts, as the program finds them.

use tbindex::{Color, Numbering};

use crate::program::json;
use crate::support::counts::KNOWN_COUNTS;

/// Either numbering with one side to move: the library's tests count both.
#[test]
fn the_program_counts_what_is_known() {
    for (material, [all, distinct, kings_apart, white, black]) in KNOWN_COUNTS {
        let sides = Color::ALL.into_iter().zip([white, black]);
        for (numbering, (side, legal)) in Numbering::ALL.into_iter().zip(sides) {
            let found = json(&format!(
                "enumerate {material} --stage legal --reduce --side {side} --numbering {numbering}"
            ));
            for (key, count) in [
                ("all", all),
                ("distinct", distinct),
                ("kings_apart", kings_apart),
                ("legal", legal),
                ("count", legal),
            ] {
                assert_eq!(found[key], count, "{material} {key} {numbering}");
            }
        }
    }
}
