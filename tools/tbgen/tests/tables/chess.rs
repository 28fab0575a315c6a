//! Moves and counters as they are read and written, names of endgames, placements of pawns, and which table needs which.

use std::collections::HashSet;

use tbgen::{Endgame, GamePosition, Letters, Shape, all_up_to, depth_first, led_to_by};
use tbindex::{Color, Piece, PieceType, Square, Symmetry};

use crate::solved::material;

#[test]
fn each_comes_after_those_that_it_needs() {
    let all = all_up_to(5);
    let ordered = depth_first(&all);
    assert_eq!(ordered.len(), all.len());
    for (number, material) in ordered.iter().enumerate() {
        for needed in led_to_by(material) {
            assert!(ordered[..number].contains(&needed), "{material} {needed}");
        }
    }
    // Three pawns come before what they do not need.
    let at = |name: &str| {
        let material = name.parse().unwrap();
        ordered.iter().position(|other| *other == material)
    };
    assert!(at("KRBNvK") < at("KPPPvK") && at("KPPPvK") < at("KRBvKN"));
}

/// All moves of a position, as engines and as people write them, in order.
fn moves(fen: &str, letters: &[&str]) -> Vec<[String; 2]> {
    let position = GamePosition::parse(fen, &Letters::parse(letters).unwrap()).unwrap();
    let moves = position.moves();
    let mut all: Vec<[String; 2]> = (moves.iter().enumerate())
        .map(|(number, step)| [step.uci(), position.san(&moves, number)])
        .collect();
    all.sort();
    all
}

#[test]
fn moves_are_told_apart_by_no_more_than_they_need() {
    for (fen, uci, san) in [
        ("1k6/8/8/8/8/8/4K3/R6R w - - 0 1", "a1d1", "Rad1"),
        ("1k6/8/8/8/8/8/4K3/R6R w - - 0 1", "h1b1", "Rhb1+"),
        ("1k6/8/8/8/8/8/4K3/R6R w - - 0 1", "a1a8", "Ra8+"),
        ("1k6/8/R7/8/8/8/4K3/R7 w - - 0 1", "a1a3", "R1a3"),
        ("1k6/8/8/8/4Q2Q/8/1K6/7Q w - - 0 1", "h4e1", "Qh4e1"),
        ("1k6/8/8/8/4Q2Q/8/1K6/7Q w - - 0 1", "e4e1", "Qee1"),
        ("1k6/8/8/8/4Q2Q/8/1K6/7Q w - - 0 1", "h1e1", "Q1e1"),
        // One of the two is pinned, and can't go there.
        ("4k3/8/8/b7/8/2N5/4N3/4K3 w - - 0 1", "e2d4", "Nd4"),
        ("k2r4/2P5/1K6/8/8/8/8/8 w - - 0 1", "c7d8q", "cxd8=Q#"),
        ("k2r4/2P5/1K6/8/8/8/8/8 w - - 0 1", "c7c8n", "c8=N"),
        ("7K/k7/8/Pp6/8/8/8/8 w - b6 0 1", "a5b6", "axb6+"),
        ("8/8/8/p7/8/P7/1r6/K6k w - - 0 1", "a1b2", "Kxb2"),
    ] {
        let all = moves(fen, &[]);
        let found = all.iter().find(|step| step[0] == uci);
        assert_eq!(found.unwrap()[1], san, "{fen} {uci}");
        // No two moves are written alike.
        let mut names: Vec<&String> = all.iter().map(|step| &step[1]).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all.len(), "{fen}");
    }
    let all = moves("8/8/8/8/8/4k3/8/K1L2L2 w - - 0 1", &["L=WD"]);
    let found = all.iter().find(|step| step[0] == "c1d1");
    assert_eq!(found.unwrap()[1], "Lcd1");
}

#[test]
fn counters_are_read_counted_and_printed() {
    let parse = |end: &str| {
        let fen = format!("8/8/8/1k6/8/p7/K6R/8 w - - {end}");
        GamePosition::parse(fen.trim(), &Letters::default())
    };
    for (end, counter, number) in [
        ("", 0, 1),
        ("0 1", 0, 1),
        ("37 90", 37, 90),
        ("150", 150, 1),
        ("bm Rh5;", 0, 1),
        ("hmvc 90; bm Rh5; fmvn 3;", 90, 3),
        ("bm Rh5; hmvc 7;", 7, 1),
        ("c0 \"a; hmvc 3;\"; bm Rh5;", 0, 1),
        ("37 90 bm Rh5;", 37, 90),
    ] {
        let position = parse(end).unwrap();
        assert_eq!(position.counter(), counter);
        let fen = position.fen();
        assert!(fen.ends_with(&format!(" {counter} {number}")), "{fen}");
        for step in position.moves() {
            assert_eq!(step.after.move_number(), number);
            let replies = step.after.moves();
            let mut numbers = replies.iter().map(|reply| reply.after.move_number());
            assert!(numbers.all(|next| next == number + 1));
            let counted = if step.capture {
                0
            } else {
                150.min(counter + 1)
            };
            assert_eq!(step.after.counter(), counted);
        }
    }
    for (end, says) in [
        ("151 1", "expected 0 to 150"),
        ("99999999999999999999 1", "expected 0 to 150"),
        ("+1 1", "the fifty-move counter is \"+1\""),
        ("hmvc x;", "the fifty-move counter is \"x\""),
        ("x x", "the fifty-move counter is \"x\""),
        ("0 -1", "the number of the move is \"-1\""),
        ("0 99999999999", "the number of the move is \"99999999999\""),
        ("fmvn x;", "the number of the move is \"x\""),
        ("0 1 2 3", "there is \"2\" after"),
        ("0 1 # comment", "there is \"#\" after"),
        ("hmvc 60", "the fifty-move counter is \"hmvc\""),
        ("c0 \"open;", "a quote of its operations is not closed"),
    ] {
        let error = parse(end).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }
}

/// Parts are the placements of the pawns, of which mirror images count as one.
#[test]
fn placements_of_pawns_are_counted_once() {
    for (name, count) in [
        ("KQvK", 1),
        ("KPvK", 24),
        ("KRPvKR", 24),
        // 48 · 47 / 2 pairs, of which 24 are their own mirror images.
        ("KPPvK", (1128 + 24) / 2),
        ("KPvKP", 48 * 47 / 2),
        ("KPPPvK", 48 * 47 * 46 / 6 / 2),
        ("KPPvKP", 48 * 47 / 2 * 46 / 2),
    ] {
        let shape = Shape::new(material(name)).unwrap();
        assert_eq!(shape.parts(), count, "{name}");
        let placements = (0..count).map(|part| {
            let mut pawns = shape.domain(part).fixed().to_vec();
            pawns.sort_by_key(|(piece, square)| (piece.color as u8, *square));
            pawns
        });
        let placements: HashSet<Vec<(Piece, Square)>> = placements.collect();
        assert_eq!(placements.len(), count, "{name}");
        for pawns in &placements {
            let mut image: Vec<(Piece, Square)> = (pawns.iter())
                .map(|&(piece, square)| (piece, Symmetry::FlipHorizontal.apply(square)))
                .collect();
            image.sort_by_key(|(piece, square)| (piece.color as u8, *square));
            assert!(
                image == *pawns || !placements.contains(&image),
                "{name}: {pawns:?}"
            );
        }
    }
}

fn endgame(text: &str) -> Endgame {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn names_read_back() {
    for (text, name) in [
        ("K[WD]vK", "K[WD]vK"),
        ("K[0x11880]NvK[FD]", "K[W]NvK[FD]"),
        ("KN[W]vK[F]", "K[W]NvK[F]"),
        ("KQvKR", "KQvKR"),
        ("K[0x0]vK", "K[0x0]vK"),
        ("KRvK[01,02]", "KRvK[flAlfN]"),
    ] {
        assert_eq!(endgame(text).to_string(), name);
        assert_eq!(endgame(name), endgame(text));
    }
}

#[test]
fn errors_name_what_is_wrong() {
    for text in [
        "K[WD",
        "K[XX]vK",
        "K[WD]PvK",
        "KQKvK",
        "K[W][F]QRvK",
        "[W]vK",
        "K[W]v",
        "K[W]",
        "K[W]xvK",
    ] {
        assert!(text.parse::<Endgame>().is_err(), "{text}");
    }
}

#[test]
fn smaller_endgames_have_the_same_names_in_any_cast() {
    for text in ["K[WD]QRvK", "K[F]vKQ[W]", "K[W]N[D]vK", "KQ[A]vKR"] {
        for smaller in endgame(text).needed() {
            assert_eq!(smaller.own().to_string(), smaller.to_string(), "{text}");
            let material = smaller.own().material;
            assert_eq!(material.normal(), material, "{smaller}");
            let chess = smaller.leapers().is_empty();
            assert_eq!(smaller.own().piece_set.is_chess(), chess, "{smaller}");
        }
    }
}

#[test]
fn men_are_those_of_the_pieces() {
    let gold = endgame("K[WfF]vK[WfF]");
    for color in Color::ALL {
        let piece = Piece::new(color, PieceType::Queen);
        assert_eq!(gold.piece_set.piece(gold.piece_set.man(piece)), piece);
    }
    let [white, black] =
        Color::ALL.map(|color| gold.piece_set.man(Piece::new(color, PieceType::Queen)));
    assert_eq!(white.swap_color(), black);
}

#[test]
fn letters_are_read_and_printed() {
    let letters = Letters::parse(&["l=WD", "G=WfF"]).unwrap();
    let meanings: Vec<String> = letters.meanings().collect();
    assert_eq!(meanings, ["L=WD", "G=WfF"]);
    for wrong in ["WD", "Q=WD", "LL=W", "=W", "1=W", "L=XX"] {
        assert!(Letters::parse(&[wrong]).is_err(), "{wrong}");
    }
    assert!(Letters::parse(&["L=W", "l=F"]).is_err());
}
