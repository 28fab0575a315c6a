//! Positions as they are read and turned.

use tbindex::{Fen, FenError, Rights};

#[test]
fn exchanged_colours_turn_the_board_upside_down() {
    let fen: Fen = "8/8/2k5/1r6/8/8/8/2KQ4 b - -".parse().unwrap();
    assert_eq!(
        fen.position.swap_colors().to_string(),
        "2kq4/8/8/8/1R6/2K5/8/8 w - - 0 1"
    );
}

#[test]
fn broken_lines_are_refused_with_the_reason() {
    for (text, reason) in [
        ("", "1 ranks between slashes"),
        ("8/8/8/8/8/8/8 w - -", "7 ranks"),
        ("8/8/8/8/8/8/8/8/8 w - -", "9 ranks"),
        ("8/8/8/9/8/8/8/8 w - -", "rank 5 has '9'"),
        ("8/8/8/8/8/8/4k4/8 w - -", "rank 2 has 9 squares"),
        ("8/8/8/8/8/8/43k/8 w - -", "rank 2 has two numbers"),
        ("8/8/8/8/8/8/7/8 w - -", "rank 2 has 7 squares"),
        ("8/8/8/8/8/8/8/K1x5 w - -", "rank 1 has 'x'"),
        ("8/8/8/8/8/8/8/K1k4P w - -", "a pawn stands on h1"),
        ("8/8/8/8/8/8/8/K1k5", "side to move is \"\""),
        ("8/8/8/8/8/8/8/K1k5 white - -", "side to move is \"white\""),
        ("8/8/8/8/8/8/8/K1k5 w KK -", "castling rights are \"KK\""),
        ("8/8/8/8/8/8/8/K1k5 w - e4", "en-passant square is \"e4\""),
        ("8/8/8/8/8/8/8/K1k5 w - x", "en-passant square is \"x\""),
        ("8/8/8/8/8/8/8/K1k5 w - e3", "rank 6 with white to move"),
        ("8/8/8/8/8/8/8/K1k5 b - e6", "en-passant square is \"e6\""),
    ] {
        let error = text.parse::<Fen>().unwrap_err().to_string();
        assert!(error.contains(reason), "{text:?}: {error}");
    }
}

#[test]
fn rights_are_seen() {
    let fen: Fen = "8/8/8/pP6/8/8/8/1k1K4 w - a6 0 1".parse().unwrap();
    assert_eq!(fen.en_passant, Some("a6".parse().unwrap()));
    let fen: Fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1".parse().unwrap();
    assert!(!fen.castling.is_empty() && fen.en_passant.is_none());
}

#[test]
fn rights_are_kept_dropped_or_refused() {
    for (text, kept) in [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", "KQkq -"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w HAha -", "KQkq -"),
        ("r3k3/8/8/8/8/8/8/R2K3R b KQkq -", "q -"),
        ("4k3/8/8/pP6/8/8/8/4K3 w - a6", "- a6"),
        ("4k3/8/8/1P6/8/8/8/4K3 w - a6", "- -"),
        ("4k3/p7/8/pP6/8/8/8/4K3 w - a6", "- -"),
        ("4k3/8/n7/pP6/8/8/8/4K3 w - a6", "- -"),
        ("4k3/8/8/8/4P3/8/8/4K3 b - e3", "- e3"),
        ("4k3/8/8/8/4p3/8/8/4K3 b - e3", "- -"),
    ] {
        let fen: Fen = text.parse().unwrap();
        for (rights, left) in [(Rights::Keep, kept), (Rights::Drop, "- -")] {
            let fen = fen.clone().with_rights(rights).unwrap();
            let square = fen.en_passant.map(|square| square.to_string());
            let square = square.as_deref().unwrap_or("-");
            assert_eq!(format!("{} {square}", fen.castling), left, "{text}");
        }
        let refused = fen.with_rights(Rights::Refuse);
        assert_eq!(refused, Err(FenError::Rights), "{text}");
    }
    let fen: Fen = "4k3/8/8/8/8/8/8/4KR2 w F - 0 1".parse().unwrap();
    assert!(fen.castling.chess960 && fen.castling.to_string() == "-");
    assert_eq!("Drop".parse(), Ok(Rights::Drop));
}
