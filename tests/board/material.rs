//! Names of materials, codes of pieces, and what captures and promotions leave.

use tbindex::{Color, Conversion, LikePieces, Material, MaterialError, Piece, PieceType};

fn material(text: &str) -> Material {
    text.parse().unwrap()
}

#[test]
fn what_is_no_material_is_refused_with_the_reason() {
    for (text, reason) in [
        ("", "one 'v'"),
        ("KQKR", "one 'v'"),
        ("KvKvK", "one 'v'"),
        ("v", "one 'v'"),
        ("KQv", "one 'v'"),
        ("KXvK", "character 2 is 'X'"),
        ("kqvkr", "character 1 is 'k'"),
        ("KQvK♜", "character 5 is '♜'"),
        ("QvK", "white has 0 kings"),
        ("KKvK", "white has 2 kings"),
        ("KvQ", "black has 0 kings"),
        ("KRQvK", "expected KQRvK"),
        ("QKvK", "expected KQvK"),
    ] {
        let error = text.parse::<Material>().unwrap_err().to_string();
        assert!(error.contains(reason), "{text:?}: {error}");
    }
    let error = format!("K{}vK", "Q".repeat(20))
        .parse::<Material>()
        .unwrap_err();
    assert_eq!(error, MaterialError::TooManyPieces { found: 22 });
}

#[test]
fn kings_lead_and_the_rest_follows_the_name() {
    for (text, order) in [
        ("KvK", "kK"),
        ("KQvKR", "rQkK"),
        ("KRRvK", "RRkK"),
        ("KQPvKRP", "prPQkK"),
    ] {
        let letters: String = material(text).index_order().map(char::from).collect();
        assert_eq!(letters, order, "{text}");
    }
}

#[test]
fn like_sets_hold_the_numbers_of_like_pieces() {
    let like_sets = |text: &str| LikePieces::from(material(text)).sets().to_vec();
    assert_eq!(like_sets("KQvKR"), [0; 0]);
    assert_eq!(like_sets("KRRvK"), [0b0011]);
    assert_eq!(like_sets("KRRvKR"), [0b00110]);
    assert_eq!(like_sets("KNNNvKPP"), [0b011100, 0b000011]);
}

#[test]
fn codes_are_the_published_ones() {
    let known = [
        ('P', 1),
        ('N', 3),
        ('B', 4),
        ('R', 5),
        ('Q', 6),
        ('K', 7),
        ('p', 10),
        ('n', 11),
        ('b', 12),
        ('r', 13),
        ('q', 14),
        ('k', 15),
    ];
    for (letter, code) in known {
        let piece = Piece::try_from(letter).unwrap();
        assert_eq!(piece.code(), code, "{letter}");
        assert_eq!(Piece::from_code(code), Some(piece));
    }
    // 2 and 9 are a white "black pawn" and the reverse, 0 and 8 are empty squares.
    for code in [0, 2, 8, 9, 16, 17, 255] {
        assert_eq!(Piece::from_code(code), None, "{code}");
    }
}

fn names(materials: impl IntoIterator<Item = Material>) -> Vec<String> {
    let names = materials.into_iter().map(|material| material.to_string());
    names.collect()
}

#[test]
fn captures_take_one_piece_of_each_kind_of_the_other_side() {
    let after = material("KQRRvKN").conversions().into_iter();
    let after = names(after.map(|(_, after)| after));
    assert_eq!(after, ["KQRRvK", "KRRvKN", "KQRvKN"]);
}

#[test]
fn promotions_take_pieces_but_no_pawns_and_no_kings() {
    let material = material("KPvKRP");
    let all = material.conversions().into_iter();
    let by_white = all.filter(|(conversion, _)| match conversion {
        Conversion::Capture { captured } => captured.color == Color::Black,
        Conversion::Promotion { by, .. } => *by == Color::White,
    });
    let expected = [
        "KPvKP", "KPvKR", "KQvKRP", "KQvKP", "KRvKRP", "KRvKP", "KBvKRP", "KBvKP", "KNvKRP",
        "KNvKP",
    ];
    assert_eq!(names(by_white.map(|(_, after)| after)), expected);
    let king = Piece::new(Color::Black, PieceType::King);
    assert_eq!(material.after(Conversion::Capture { captured: king }), None);
    let to_king = Conversion::Promotion {
        by: Color::White,
        to: PieceType::King,
        captured: None,
    };
    assert_eq!(material.after(to_king), None);
}

#[test]
fn one_of_a_material_and_its_twin_is_normal() {
    for (text, normal) in [
        ("KvK", "KvK"),
        ("KvKP", "KPvK"),
        ("KQvKRR", "KRRvKQ"),
        ("KRvKN", "KRvKN"),
        ("KNPvKBP", "KBPvKNP"),
        ("KQPvKQ", "KQPvKQ"),
    ] {
        let material: Material = text.parse().unwrap();
        assert_eq!(material.normal().to_string(), normal);
        assert_eq!(material.swap_colors().normal().to_string(), normal);
        assert_eq!(material.normal().normal(), material.normal());
    }
}

#[test]
fn below_is_closed_and_in_order() {
    for text in ["KQvKR", "KPPvK", "KRPvKP", "KQRBvKN", "KBvKBP"] {
        let material: Material = text.parse().unwrap();
        let below = material.below();
        for (k, table) in below.iter().chain([&material.normal()]).enumerate() {
            for (_, needed) in table.conversions() {
                let place = below.iter().position(|&m| m == needed.normal());
                assert!(place.is_some_and(|p| p < k), "{table} needs {needed}");
            }
        }
        assert!(!below.contains(&material.normal()));
    }
    let below = names(material("KPvK").below());
    assert_eq!(below, ["KvK", "KNvK", "KBvK", "KRvK", "KQvK"]);
}
