//! Domains: their groups, their slots, and what is refused.

use tbindex::bitbase::{Captured, Domain, DomainError, Man, SlotError};
use tbindex::{Color, Fen, Group, Leaper, Piece, PieceType, Square, Step};

use crate::laws;

/// A piece by its letter.
pub(crate) fn piece(letter: char) -> Piece {
    Piece::from_letter(letter).expect("a letter of a piece")
}

/// A leaper that all symmetries keep.
pub(crate) fn even() -> Leaper {
    Leaper::WAZIR | Leaper::ALFIL
}

/// A leaper that the file mirror keeps: the gold general, with leaps to the left and right.
pub(crate) fn mirrored() -> Leaper {
    let leaps = [Step::new(2, 0), Step::new(-2, 0)];
    let forward = [Step::new(1, 1), Step::new(-1, 1)];
    Leaper::WAZIR | Leaper::from_steps(&leaps) | Leaper::from_steps(&forward)
}

/// A leaper that no symmetry keeps, whose steps lead everywhere on the grid but nowhere back.
pub(crate) fn odd() -> Leaper {
    let steps = [(1, 2), (2, 1), (2, -1), (0, -2), (-1, 0), (-2, 2), (1, 1)];
    steps.into_iter().map(|(f, r)| Step::new(f, r)).collect()
}

/// Men by their letters, white ones capital: those of chess, E for an even leaper, M for a mirrored and O for
/// an odd one.
pub(crate) fn men(letters: &str) -> Vec<Man> {
    let man = |letter: char| {
        let color = Color::ALL[usize::from(letter.is_lowercase())];
        match letter.to_ascii_uppercase() {
            'E' => Man::leaper(color, even()),
            'M' => Man::leaper(color, mirrored()),
            'O' => Man::leaper(color, odd()),
            _ => Man::from(piece(letter)),
        }
    };
    letters.chars().map(man).collect()
}

/// Pieces on squares, `Pe4 qh8`.
pub(crate) fn fixed(pieces: &str) -> Vec<(Piece, Square)> {
    let one = |text: &str| {
        let (letter, square) = text.split_at(1);
        let letter = letter.chars().next().expect("a letter");
        (piece(letter), square.parse().expect("a square"))
    };
    pieces.split_whitespace().map(one).collect()
}

/// The domain of men and fixed pieces.
pub(crate) fn domain(letters: &str, pieces: &str) -> Domain {
    Domain::of_men(&men(letters), &fixed(pieces)).expect("a domain")
}

#[test]
fn the_group_is_the_largest_that_keeps_what_is_fixed() {
    for (letters, pieces, group) in [
        ("", "", Group::D4),
        ("QNrb", "", Group::D4),
        ("Ee", "", Group::D4),
        ("EM", "", Group::FileMirror),
        ("EO", "", Group::Trivial),
        ("Q", "Pe4", Group::Trivial),
        ("Q", "Pe4 Pd4", Group::FileMirror),
        ("Q", "Pe4 pd4", Group::Trivial),
        ("O", "Pe4 Pd4", Group::Trivial),
        ("R", "Ne4", Group::Trivial),
        ("R", "Na1 Nh1", Group::FileMirror),
        ("R", "Na1 Na8", Group::Trivial),
        ("R", "Na1 Nh8", Group::Trivial),
        ("R", "Nc3 Nf3 Nc6 Nf6", Group::D4),
        ("M", "Nc3 Nf3 Nc6 Nf6", Group::FileMirror),
        ("R", "Nc3 Nf3 nc6 nf6", Group::FileMirror),
        ("", "Pc3 Pf3 Pc6 Pf6", Group::FileMirror),
    ] {
        let domain = domain(letters, pieces);
        assert_eq!(domain.group(), group, "{letters} {pieces}");
        for smaller in Group::ALL {
            let found = domain.in_group(smaller);
            if smaller <= group {
                assert_eq!(found.expect("a smaller group").group(), smaller);
            } else {
                assert_eq!(found, Err(DomainError::Group(smaller)));
            }
        }
    }
}

#[test]
fn slots_squares_and_positions_go_together() {
    for (letters, pieces) in [
        ("", ""),
        ("R", ""),
        ("qN", ""),
        ("RRr", ""),
        ("QNbb", ""),
        ("NNNN", ""),
        ("QRBNqr", ""),
        ("E", ""),
        ("MNm", ""),
        ("", "Pe4"),
        ("R", "Pe4"),
        ("RQ", "Pe4 Pd4"),
        ("NN", "Nc3 Nf3"),
        ("Nn", "Nc3 Nf3 Nc6 Nf6"),
        ("Qq", "pa7 Ph2 Rb5"),
    ] {
        laws::laws_of_slots(&domain(letters, pieces), 500, 1);
        let trivial = domain(letters, pieces).in_group(Group::Trivial);
        laws::laws_of_slots(&trivial.expect("a smaller group"), 200, 2);
    }
}

#[test]
fn slots_and_indices_go_together() {
    for (letters, pieces) in [
        ("", ""),
        ("R", ""),
        ("Qr", ""),
        ("NN", ""),
        ("NrN", ""),
        ("R", "Pe4"),
        ("RR", "Pe4 Pd4"),
        ("NN", "Nc3 Nf3"),
        ("Nq", "Nc3 Nf3 Nc6 Nf6"),
        ("qQ", "pa7 Ph2 Rb5"),
    ] {
        let all = domain(letters, pieces);
        for group in Group::ALL.into_iter().filter(|&group| group <= all.group()) {
            let domain = all.in_group(group).expect("a smaller group");
            laws::laws_of_indices(&domain, 5, 1);
        }
    }
}

#[test]
fn materials_are_domains_with_their_pawns_fixed() {
    let domain = Domain::with_fixed("KQNPvKRR".parse().unwrap(), &fixed("Pe4 rb2")).unwrap();
    let mut found = domain.men().to_vec();
    found.sort_unstable();
    let mut expected = men("QNr");
    expected.sort_unstable();
    assert_eq!(found, expected);
    assert_eq!(domain.material(), Some("KQNPvKRR".parse().unwrap()));
    assert!(domain.has_pieces(Color::White) && domain.has_pieces(Color::Black));
    assert!(
        !Domain::try_new("KQvK".parse().unwrap())
            .unwrap()
            .has_pieces(Color::Black)
    );
    let order = men("rNQ");
    assert_eq!(domain.in_order(&order).unwrap().men(), order);
    assert_eq!(domain.in_order(&men("rNN")), Err(DomainError::Order));
    assert_eq!(domain.in_order(&men("rN")), Err(DomainError::Order));

    let kings: tbindex::Material = "KQvK".parse().unwrap();
    assert!(matches!(
        Domain::with_fixed(kings, &fixed("Ra1")),
        Err(DomainError::Fixed { .. })
    ));
    let pawn: tbindex::Material = "KPvK".parse().unwrap();
    assert_eq!(Domain::try_new(pawn), Err(DomainError::Pawn(pawn)));
    let square = |name: &str| name.parse::<Square>().unwrap();
    let of_men = |letters: &str, pieces: &str| Domain::of_men(&men(letters), &fixed(pieces));
    assert_eq!(of_men("P", ""), Err(DomainError::NotFree(PieceType::Pawn)));
    assert_eq!(of_men("k", ""), Err(DomainError::NotFree(PieceType::King)));
    assert_eq!(of_men("QQQQ", "Pa2 Pb2 Pc2"), Err(DomainError::Pieces(9)));
    assert!(of_men("QQQQ", "Pa2 Pb2").is_ok());
    assert!(matches!(of_men("Q", "ka1"), Err(DomainError::Fixed { .. })));
    assert_eq!(
        of_men("Q", "Ra1 qa1"),
        Err(DomainError::Shared(square("a1")))
    );
    for name in ["a1", "h8"] {
        let pawn = format!("p{name}");
        assert_eq!(of_men("Q", &pawn), Err(DomainError::PawnRank(square(name))));
    }
}

#[test]
fn captures_of_symmetric_fixed_pieces_need_a_smaller_group() {
    let symmetric = domain("rn", "Pe4 Pd4");
    let captured = Captured::Fixed(1);
    assert_eq!(
        symmetric.after(captured),
        Err(DomainError::Group(Group::FileMirror))
    );
    let trivial = symmetric.in_group(Group::Trivial).unwrap();
    let after = trivial.after(captured).unwrap();
    assert_eq!(
        (after.men(), after.fixed()),
        (symmetric.men(), &fixed("Pe4")[..])
    );
    let after = symmetric.after(Captured::Man(0)).unwrap();
    assert_eq!(
        (after.men(), after.fixed()),
        (&men("n")[..], symmetric.fixed())
    );
    // The group stays, although what is left would have a larger one.
    let after = domain("MQ", "").after(Captured::Man(0)).unwrap();
    assert_eq!(after.group(), Group::FileMirror);
}

#[test]
fn positions_of_other_pieces_have_no_slot() {
    let slot = |domain: &Domain, fen: &str| {
        let fen: Fen = fen.parse().unwrap();
        domain.slot(&fen.position)
    };
    let rook = domain("R", "Pe4");
    assert!(slot(&rook, "7k/8/8/8/4P3/8/8/KR6 w - -").is_ok());
    let missing = slot(&rook, "7k/8/8/8/3P4/8/8/KR6 w - -");
    assert!(matches!(missing, Err(SlotError::Fixed(..))));
    let touching = slot(&rook, "8/8/8/8/4P3/8/1k6/KR6 w - -");
    assert!(matches!(touching, Err(SlotError::Kings(_))));
    let other = slot(&rook, "7k/8/8/8/4P3/8/8/KQ6 w - -");
    assert!(matches!(other, Err(SlotError::OtherMaterial { .. })));
    let leaper = slot(&domain("E", ""), "7k/8/8/8/8/8/8/KN6 w - -");
    assert!(matches!(leaper, Err(SlotError::Leapers)));
}
