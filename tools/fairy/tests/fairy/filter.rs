//! Conditions, and what is wrong with texts that are none.

use tbindex::Leaper;
use tbindex::fairy::{Classifier, Grid, PieceFacts};
use tbindex_fairy::{Filter, MatingPower};

fn accepts(filter: &str, piece: &str) -> bool {
    let filter: Filter = filter.parse().unwrap();
    let piece = piece.parse().unwrap();
    let mut facts = [PieceFacts::default()];
    Classifier::new(Grid::CHESS).classify_into(&[piece], &mut facts);
    filter.accepts(piece, &facts[0], None)
}

#[test]
fn conditions_mean_what_they_say() {
    for (filter, yes, no) in [
        ("free", "N", "F"),
        ("bound", "F", "N"),
        ("!free", "F", "N"),
        ("!!free", "N", "F"),
        ("confined", "fF", "F"),
        ("colourbound", "F", "fK"),
        ("!colourbound", "N", "sW"),
        ("degenerate", "sW", "fF"),
        ("connected", "N", "F"),
        ("disconnected", "F", "N"),
        ("masked", "F", "01,02,10,15"),
        ("mask=no-left", "rF", "lF"),
        ("mask!=checker colour", "N", "F"),
        ("atom=y", "K", "N"),
        ("colouring=pinwheel-1", "hlN", "hrN"),
        ("colouring = staircase A", "04,15", "05,15"),
        ("moves<=4", "W", "K"),
        ("moves<4", "fW", "W"),
        ("moves>4", "K", "W"),
        ("moves>=4", "W", "fW"),
        ("moves==8", "N", "W"),
        ("moves!=8", "W", "N"),
        ("!moves=8", "W", "N"),
        ("rank=1", "sW", "W"),
        ("index=8", "A", "D"),
        ("index>=2", "D", "sW"),
        (" free , moves <= 8 ", "N", "KN"),
    ] {
        assert!(accepts(filter, yes), "{filter} {yes}");
        assert!(!accepts(filter, no), "{filter} {no}");
    }
}

#[test]
fn conditions_on_mates_look_at_what_a_piece_achieves() {
    let gold = MatingPower {
        mates: 36,
        legal_white: 205_896,
        wins_white: 189_792,
        legal_black: 223_944,
        losses_black: 175_050,
        longest: 74,
    };
    for (filter, expected) in [
        ("mates", true),
        ("!mates", false),
        ("mates>36", false),
        ("mates>=36,wins>50%", true),
        ("wins", false),
        ("wins>=92%", true),
        ("wins > 93 %", false),
        ("wins=189792", true),
        ("longest>=74", true),
        ("longest<74", false),
        ("bound,longest=74", true),
    ] {
        let filter: Filter = filter.parse().unwrap();
        assert!(filter.asks_for_mates());
        let bound = PieceFacts::default();
        let found = filter.accepts(Leaper::EMPTY, &bound, Some(&gold));
        assert_eq!(found, expected, "{filter:?}");
    }
    assert!(!"free".parse::<Filter>().unwrap().asks_for_mates());
    assert!(accepts("bound,mates", "F") && !accepts("bound,mates", "N"));
}

#[test]
fn errors_point_at_what_is_wrong() {
    for (text, at, part) in [
        ("", 0, "is not a condition"),
        ("free,", 5, "is not a condition"),
        ("free,boundd", 5, "is not a condition"),
        ("free, !boundd", 7, "is not a condition"),
        ("moves<=x", 7, "is not a number"),
        ("moves~4", 0, "is not a condition"),
        ("mask=nowhere", 5, "no such name"),
        ("free,mask<no left", 9, "has names, not numbers"),
        ("atom=rook", 5, "no such name"),
        ("longest>50%", 8, "is not a number"),
        ("wins>%", 5, "is not a number"),
        ("wins>101%", 5, "is no share"),
        ("colouring=stripes", 10, "no such name"),
    ] {
        let error = text.parse::<Filter>().expect_err(text);
        assert_eq!(error.at(), at, "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }
}
