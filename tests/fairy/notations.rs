//! Pieces as numbers, lists, diagrams and in Betza's letters.

use tbindex::{Leaper, Symmetry};

use super::piece;

/// The pairs of letters that choose among a knight's moves.
const PAIRS: [&str; 18] = [
    "fh", "bh", "lh", "rh", "ff", "fs", "bb", "bs", "ll", "lv", "rr", "rv", "lf", "rf", "fl", "fr",
    "bl", "br",
];

/// Checks that texts are refused at these places, with messages that have these parts.
fn assert_refused(cases: &[(&str, usize, &str)]) {
    for &(text, at, part) in cases {
        let error = text.parse::<Leaper>().expect_err(text);
        assert_eq!(error.at(), at, "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[track_caller]
fn assert_reads(betza: &str, squares: &str) {
    assert_eq!(piece(betza).list().to_string(), squares, "{betza}");
}

#[test]
fn atoms_are_the_published_ones() {
    assert_reads("W", "08,12,13,17");
    assert_reads("D", "03,11,14,22");
    assert_reads("F", "07,09,16,18");
    assert_reads("A", "01,05,20,24");
    assert_reads("N", "02,04,06,10,15,19,21,23");
    assert_reads("K", "07,08,09,12,13,16,17,18");
    assert_eq!(piece("WFDAN"), !Leaper::EMPTY);
    assert_eq!(piece("KNAD"), !Leaper::EMPTY);
}

#[test]
fn directions_pick_the_moves_that_designers_mean() {
    assert_reads("fW", "08");
    assert_reads("fsW", "08,12,13");
    assert_reads("vD", "03,22");
    assert_reads("fF", "07,09");
    assert_reads("flF", "07");
    assert_reads("lfF", "07");
    assert_reads("fsF", "07,09");
    assert_reads("rlbF", "16,18");
    assert_reads("flbrA", "01,24");
    assert_reads("fK", "07,08,09");
    // Silver general, gold general, and the shogi knight.
    assert_reads("FfW", "07,08,09,16,18");
    assert_reads("WfF", "07,08,09,12,13,17");
    assert_reads("ffN", "02,04");
    assert_reads("fN", "02,04");
    assert_reads("fsN", "06,10");
    assert_reads("bsN", "15,19");
    assert_reads("bbN", "21,23");
    assert_reads("ffbbfsbsN", "02,04,06,10,15,19,21,23");
    assert_reads("rfN", "04");
    assert_reads("frN", "10");
    assert_reads("fhN", "02,04,06,10");
    assert_reads("vN", "02,04,21,23");
    assert_reads("sN", "06,10,15,19");
    assert_reads("lvN", "02,21");
    assert_reads("llN", "06,15");
    // The charging knight: forward like a knight, sideways and back like a king.
    assert_reads("fhNrlbK", "02,04,06,10,12,13,16,17,18");
    // The crab, and the Fibnif.
    let (crab, y) = (Leaper::new(0x4400a), Leaper::new(0x10140));
    assert_eq!(piece("ffbsN"), crab);
    assert_reads("fbNF", "02,04,07,09,16,18,21,23");
    assert_reads("hlN", "02,10,15,23");
    assert_reads("hrN", "04,06,19,21");
    assert_eq!(piece("fFbW"), y);
}

#[test]
fn letters_turn_as_the_moves_do() {
    // A quarter turn clockwise takes f to r, r to b, b to l, l to f.
    let turned = |text: &str| -> String {
        let turn = |c| match c {
            'f' => 'r',
            'r' => 'b',
            'b' => 'l',
            'l' => 'f',
            'v' => 's',
            's' => 'v',
            other => other,
        };
        text.chars().map(turn).collect()
    };
    for atom in ["W", "F", "D", "A", "K"] {
        for directions in ["f", "b", "l", "r", "v", "s", "fl", "fr", "bl", "br", "sb"] {
            let text = format!("{directions}{atom}");
            let image = piece(&text).image(Symmetry::Rotate90);
            assert_eq!(image, piece(&turned(&text)), "{text}");
        }
    }
    for pair in PAIRS {
        let text = format!("{pair}N");
        let image = piece(&text).image(Symmetry::Rotate90);
        assert_eq!(image, piece(&turned(&text)), "{text}");
    }
    assert_eq!(piece("hlN").image(Symmetry::FlipHorizontal), piece("hrN"));
}

#[test]
fn pieces_are_written_in_few_letters() {
    assert_eq!(Leaper::EMPTY.betza(), None);
    assert_eq!((!Leaper::EMPTY).betza().as_deref(), Some("KDAN"));
    let (crab, y) = (Leaper::new(0x4400a), Leaper::new(0x10140));
    assert_eq!(crab.betza().as_deref(), Some("ffbsN"));
    assert_eq!(y.betza().as_deref(), Some("bWfF"));
}

#[test]
fn errors_point_at_the_character() {
    let direction = "is not a direction of";
    assert_refused(&[
        ("WxF", 1, "'x' is not a direction"),
        ("mWcF", 0, "'m' says how"),
        ("Wf", 2, "found the end"),
        ("Wf2", 2, "found \"2\""),
        ("WE", 1, "'E' is not an atom"),
        ("t[FR]", 0, "'t' says how"),
        ("[W", 0, "'[': brackets"),
        ("f(1,2)", 1, "'(': brackets"),
        ("WR", 1, "beyond the 5x5 range"),
        ("fC", 1, "beyond the 5x5 range"),
        ("NN", 1, "beyond the 5x5 range"),
        ("FW2", 2, "beyond the 5x5 range"),
        ("H", 0, "beyond the 5x5 range"),
        ("bffW", 1, direction),
        ("fhW", 1, direction),
        ("fKhN", 2, direction),
        ("fFvhN", 2, direction),
    ]);
}

#[test]
fn drawings_are_read_with_crosses_too() {
    let knight = ".X.X.\nX...X\n..N..\nX...X\n.X.X.\n";
    assert_eq!(knight.parse(), Ok(Leaper::KNIGHT));
    let wazir = "- - - - - / - - x - - / - x o x - / - - x - - / - - - - -";
    assert_eq!(wazir.parse(), Ok(piece("W")));
    assert_eq!("none".parse(), Ok(Leaper::EMPTY));
    assert_eq!("0x0".parse(), Ok(Leaper::EMPTY));
    assert_eq!(" 23 , 2,4 ".parse(), "02,04,23".parse::<Leaper>());
}

#[test]
fn errors_of_other_notations_point_at_the_character() {
    assert_refused(&[
        (" ", 1, "no piece"),
        ("?", 0, "'?' starts no piece"),
        ("queen", 0, "\"queen\" is not a name"),
        ("Gold general", 0, "is not a name"),
        ("0x12g4", 4, "base 16, found \"g\""),
        (" 0b012", 5, "base 2, found \"2\""),
        ("0x1000000", 8, "too large"),
        ("0xffffffffffff", 8, "too large"),
        ("0x", 2, "base 16, found the end"),
        ("02,25,04", 3, "found \"25\""),
        ("02,00", 3, "found \"00\""),
        ("02,N", 3, "found \"N\""),
        ("02,,04", 3, "found \",\""),
        ("02,", 3, "a square, 01 to 24, found the end"),
        ("02;04", 2, "a comma between squares, found ';'"),
        ("...../.....", 11, "5 rows, this one has 2"),
        (
            "...../..../...../...../.....",
            10,
            "row 2 of the diagram has 4",
        ),
        (
            ".. .. .. .. ..\n.. 08 .. .. ..\n..\n..\n..",
            18,
            "expected 07 or X",
        ),
        ("...../...../..X../...../.....", 14, "\"X\" in the middle"),
    ]);
}

#[test]
fn the_caret_stands_under_the_character_of_its_line() {
    let text = ". . . . .\n. . ? . .\n. . o . .\n. . . . .\n. . . . .";
    let error = text.parse::<Leaper>().unwrap_err().to_string();
    assert!(error.ends_with("\n  . . ? . .\n      ^"), "{error}");
}
