//! Domains: their groups, their slots, and what is refused.

use std::panic::catch_unwind;

use tbindex::Step;
use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Captured, Domain, DomainError, LikeMen, Man, Slice, Walk};
use tbindex::{Color, Fen, Group, Leaper, Piece, PieceType, Square};

use crate::laws::bitbase as laws;
use crate::support::counts::KNOWN_COUNTS;
use crate::support::thorough::one_in;

/// A piece by its letter.
fn piece(letter: char) -> Piece {
    Piece::try_from(letter).expect("a letter of a piece")
}

/// A leaper that all symmetries keep.
fn even() -> Leaper {
    "WA".parse().expect("a piece")
}

/// A leaper that the file mirror keeps: the gold general, with leaps to the left and right.
fn mirrored() -> Leaper {
    let leaps = [Step::new(2, 0), Step::new(-2, 0)];
    let forward = [Step::new(1, 1), Step::new(-1, 1)];
    let wazir: Leaper = "W".parse().expect("a piece");
    wazir | leaps.into_iter().chain(forward).collect()
}

/// A leaper that no symmetry keeps, whose steps lead everywhere on the grid but nowhere back.
fn odd() -> Leaper {
    let steps = [(1, 2), (2, 1), (2, -1), (0, -2), (-1, 0), (-2, 2), (1, 1)];
    steps.into_iter().map(|(f, r)| Step::new(f, r)).collect()
}

/// Men by their letters, white ones capital: those of chess, E for an even leaper, M for a mirrored and O for
/// an odd one.
fn men(letters: &str) -> Vec<Man> {
    let man = |letter: char| {
        let color = Color::ALL[usize::from(letter.is_lowercase())];
        let walk = match letter.to_ascii_uppercase() {
            'E' => Walk::Leaper(even()),
            'M' => Walk::Leaper(mirrored()),
            'O' => Walk::Leaper(odd()),
            _ => Walk::Chess(piece(letter).kind),
        };
        Man { walk, color }
    };
    letters.chars().map(man).collect()
}

/// Pieces on squares, `Pe4 qh8`.
fn fixed(pieces: &str) -> Vec<(Piece, Square)> {
    let one = |text: &str| {
        let (letter, square) = text.split_at(1);
        let letter = letter.chars().next().expect("a letter");
        (piece(letter), square.parse().expect("a square"))
    };
    pieces.split_whitespace().map(one).collect()
}

/// The domain of men and of fixed pieces, which have squares: `QNr Pe4 qh8`.
fn try_domain(text: &str) -> Result<Domain, DomainError> {
    let has_square = |word: &&str| word.ends_with(|letter: char| letter.is_ascii_digit());
    let (pieces, letters): (Vec<&str>, Vec<&str>) = text.split(' ').partition(has_square);
    let men = men(&letters.concat());
    let domain = Domain::of_men(&men, &fixed(&pieces.join(" ")))?;
    assert_eq!(domain.men(), men);
    Ok(domain)
}

pub(crate) fn domain(text: &str) -> Domain {
    try_domain(text).expect("a domain")
}

/// The domain with free kings, who are the first two men.
pub(crate) fn free(text: &str) -> Domain {
    let sliced = domain(text);
    let free = sliced.with_free_kings();
    assert!(free.king_pairs().is_none());
    assert_eq!(free.men()[..2], men("Kk")[..]);
    assert_eq!(free.men()[2..], *sliced.men());
    free
}

/// Domains of all kinds, with none to two men besides the kings and with fixed pieces, symmetric ones and others.
pub(crate) const KINDS: [&[&str]; 3] = [
    &[
        "",
        "Pe4",
        "ph2",
        "Pa7 pa2",
        "Pd4 Pe4",
        "Pd4 pd5 Pe4",
        "Pc5 pb7 Pg2 ph6",
        "Nd4 pd5",
        "Qc3 rf6",
        "bb2 Pc3 Bg7",
    ],
    &[
        "R Pe4",
        "r Pb6",
        "Q Pc6 pc7",
        "B pe4 Pd3",
        "n Ph5",
        "N Nf3 Pa2",
        "b Rd4 qe5",
        "E Pe4",
        "m Pe4 pb3",
        "O Ra8",
        "o",
        "q",
        "R Rc6 Pc7 rc8",
    ],
    // In all orders of rows, words and bits.
    &[
        "Rr Pe4",
        "rR Pe4",
        "Qn Pa6 pc7",
        "nQ pg3",
        "bN Bd4",
        "NN Pf5",
        "qB",
        "bb Rc3 pf7",
        "Or Pb2",
        "Qo Nd5 pe6",
        "Me",
        "Eq rh1",
    ],
];

/// Domains with more symmetries, which free kings do not have.
const SYMMETRIC: [&str; 14] = [
    "R",
    "E",
    "Rr",
    "RR",
    "NNN",
    "RbR",
    "NrN",
    "ME",
    "OO",
    "MNm",
    "RQ Pe4 Pd4",
    "NN Nc3 Nf3",
    "NN Nc3 Nf3 Nc6 Nf6",
    "qQ pa7 Ph2 Rb5",
];

/// All of these domains with at most so many men besides the kings, those of one or none under every group, and with free
/// kings.
fn all_kinds(most: usize) -> impl Iterator<Item = Domain> {
    let kinds = KINDS[..=most].iter().copied().flatten();
    let free = kinds.clone().map(|text| free(text));
    let symmetric = SYMMETRIC.iter().map(|text| domain(text));
    let symmetric = symmetric.filter(move |all| most > 1 || all.men().len() <= most);
    let sliced = kinds.map(|text| domain(text)).chain(symmetric);
    let sliced = sliced.flat_map(|all| {
        let is_wanted = |&group: &Group| all.men().len() < 2 || group == all.group();
        let groups = Group::ALL.into_iter().filter(is_wanted);
        let each = groups.filter_map(|group| all.in_group(group).ok());
        each.collect::<Vec<_>>()
    });
    sliced.chain(free)
}

#[test]
fn the_group_is_the_largest_that_keeps_what_is_fixed() {
    for (text, group) in [
        ("", Group::D4),
        ("QNrb", Group::D4),
        ("Ee", Group::D4),
        ("EM", Group::FileMirror),
        ("EO", Group::Trivial),
        ("Q Pe4", Group::Trivial),
        ("Q Pe4 Pd4", Group::FileMirror),
        ("Q Pe4 pd4", Group::Trivial),
        ("O Pe4 Pd4", Group::Trivial),
        ("R Ne4", Group::Trivial),
        ("R Na1 Nh1", Group::FileMirror),
        ("R Na1 Na8", Group::Trivial),
        ("R Na1 Nh8", Group::Trivial),
        ("R Nc3 Nf3 Nc6 Nf6", Group::D4),
        ("M Nc3 Nf3 Nc6 Nf6", Group::FileMirror),
        ("R Nc3 Nf3 nc6 nf6", Group::FileMirror),
        ("Pc3 Pf3 Pc6 Pf6", Group::FileMirror),
    ] {
        let domain = domain(text);
        assert_eq!(domain.group(), group, "{text}");
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
fn slots_squares_positions_and_counts_go_together() {
    let many = ["QNbb", "NNNN", "QRBNqr"].map(domain);
    let all = all_kinds(2).chain(many).chain([free("QRBNqr")]);
    for (k, domain) in all.enumerate() {
        laws::laws_of_slots(&domain, 300, k as u64);
        if domain.bytes() < 1 << 25 {
            laws::counts_are_those_of_the_board(&domain, 400, k as u64);
        }
    }
}

#[test]
fn other_pieces_are_fixed() {
    for domain in all_kinds(2) {
        for others in [
            "",
            "Pe4",
            "Pd4 Pe4",
            "Na1 qh8",
            "Pe8",
            "Ra1 qa1",
            "ka1",
            "Pa2 Pb2 Pc2 Pd2 Pe2 Pf2",
            "Pa2 Pb2 Pc2 Pd2 Pe2 Pf2 Pg2",
        ] {
            laws::laws_of_others_fixed(&domain, &fixed(others));
        }
    }
}

#[test]
fn what_is_on_a_square_is_told_by_digits() {
    let some = [domain("rB Pe4"), free("Qn Pa6")];
    let large = (one_in(2) == 1).then(|| domain("rBN Pe4"));
    for (k, domain) in all_kinds(1).chain(some).chain(large).enumerate() {
        laws::laws_of_squares(&domain, 17 * k % domain.slices(), k as u64);
    }
}

#[test]
fn one_slot_of_each_class_represents_it() {
    let few = [
        "",
        "R",
        "Rr",
        "RR",
        "OO",
        "NN Nc3 Nf3 Nc6 Nf6",
        "qq Pe4 Pd4",
    ];
    for domain in few.map(domain) {
        for slice in [0, domain.slices() - 1] {
            laws::representatives_are_one_of_each_class(&domain, slice);
        }
    }
    // Like men that don't stand side by side.
    let apart = domain("RbR");
    laws::representatives_are_one_of_each_class(&apart, apart.slices() - 1);
    let large = (one_in(2) == 1).then_some("NN Pf5");
    for text in ["Pd4 Pe4", "R", "n Ph5"].into_iter().chain(large) {
        laws::representatives_are_one_of_each_class(&free(text), 0);
    }
}

#[test]
fn legal_positions_are_as_many_as_is_known() {
    for (name, [.., white, black]) in KNOWN_COUNTS {
        // A material with pawns is many domains.
        let Ok(domain) = Domain::try_new(name.parse().unwrap(), &[]) else {
            continue;
        };
        for (side, known) in Color::ALL.into_iter().zip([white, black]) {
            let legal = Bitbase::legal(&domain, side, Backend::detect()).expect("memory");
            let count = legal.count_classes(LikeMen::Together);
            assert_eq!(count, known, "{name}, {side} to move");
        }
    }
}

#[test]
fn materials_are_domains_with_their_pawns_fixed() {
    let domain = Domain::try_new("KQNPvKRR".parse().unwrap(), &fixed("Pe4 rb2")).unwrap();
    let mut found = domain.men().to_vec();
    found.sort_unstable();
    let mut expected = men("QNr");
    expected.sort_unstable();
    assert_eq!(found, expected);
    assert_eq!(domain.material(), Some("KQNPvKRR".parse().unwrap()));
    let has_pieces =
        |domain: &Domain| Color::ALL.map(|by| domain.captured_by(!by).next().is_some());
    assert_eq!(has_pieces(&domain), [true, true]);
    let alone = Domain::try_new("KQvK".parse().unwrap(), &[]).unwrap();
    assert_eq!(has_pieces(&alone), [true, false]);
    assert_eq!(has_pieces(&alone.with_free_kings()), [true, false]);

    let kings = "KQvK".parse().unwrap();
    assert!(matches!(
        Domain::try_new(kings, &fixed("Ra1")),
        Err(DomainError::Fixed { .. })
    ));
    let pawn = "KPvK".parse().unwrap();
    assert_eq!(Domain::try_new(pawn, &[]), Err(DomainError::Pawn(pawn)));
    assert!(try_domain("QQQQ Pa2 Pb2").is_ok());
    let king = try_domain("Q ka1");
    assert!(matches!(king, Err(DomainError::Fixed { .. })));
    for (text, error) in [
        ("P", DomainError::NotFree(PieceType::Pawn)),
        ("k", DomainError::NotFree(PieceType::King)),
        ("QQQQ Pa2 Pb2 Pc2", DomainError::Pieces(9)),
        ("Q Ra1 qa1", DomainError::Shared(Square::A1)),
        ("Q pa1", DomainError::PawnRank(Square::A1)),
        ("Q ph8", DomainError::PawnRank(Square::new(63))),
    ] {
        assert_eq!(try_domain(text), Err(error));
    }
}

#[test]
fn captures_of_symmetric_fixed_pieces_need_a_smaller_group() {
    let symmetric = domain("rn Pe4 Pd4");
    let captured = Captured::Fixed(1);
    let refused = Err(DomainError::Group(Group::FileMirror));
    assert_eq!(symmetric.after(captured), refused);
    let trivial = symmetric.in_group(Group::Trivial).unwrap();
    assert_eq!(trivial.after(captured), Ok(domain("rn Pe4")));
    let after = symmetric.after(Captured::Man(0));
    assert_eq!(after, Ok(domain("n Pe4 Pd4")));
    // The group stays, although what is left would have a larger one.
    let after = domain("MQ").after(Captured::Man(0)).unwrap();
    assert_eq!(after.group(), Group::FileMirror);
}

#[test]
fn positions_of_other_pieces_have_no_slot() {
    let slot = |domain: &Domain, fen: &str| {
        let fen: Fen = fen.parse().unwrap();
        domain.slot(&fen.position)
    };
    let rook = domain("R Pe4");
    assert!(slot(&rook, "7k/8/8/8/4P3/8/8/KR6 w - -").is_ok());
    let missing = slot(&rook, "7k/8/8/8/3P4/8/8/KR6 w - -");
    assert!(matches!(missing, Err(DomainError::NotThere(..))));
    let touching = slot(&rook, "8/8/8/8/4P3/8/1k6/KR6 w - -");
    assert!(matches!(touching, Err(DomainError::Touching(_))));
    let other = slot(&rook, "7k/8/8/8/4P3/8/8/KQ6 w - -");
    assert!(matches!(other, Err(DomainError::OtherMaterial { .. })));
    let leaper = slot(&domain("E"), "7k/8/8/8/8/8/8/KN6 w - -");
    assert!(matches!(leaper, Err(DomainError::Leapers)));
}

#[test]
fn kings_are_the_first_two_men() {
    let free = free("Qr");
    assert_eq!((free.slices(), free.slice_slots()), (1, 64 * 64 * 64 * 64));
    assert_eq!(free.with_free_kings(), free);
    assert_ne!(free, domain("Qr"));
    assert_eq!(free.material(), domain("Qr").material());
    assert!(!free.has_twins(0));

    // Free kings have no symmetries, whatever the other pieces have.
    assert_eq!(free.in_group(Group::Trivial), Ok(free.clone()));
    for group in [Group::FileMirror, Group::D4] {
        assert_eq!(free.in_group(group), Err(DomainError::Group(group)));
    }
    let pawns = domain("Pd4 Pe4");
    assert_eq!(pawns.group(), Group::FileMirror);
    let pawns = pawns.with_free_kings();
    assert_eq!(pawns.group(), Group::Trivial);
    let alone = pawns.after(Captured::Fixed(0)).expect("no symmetries");
    assert_eq!(alone.fixed(), fixed("Pe4"));
    let after = free.after(Captured::Man(2)).expect("a queen");
    assert_eq!(after.men(), men("Kkr"));
}

#[test]
fn kings_are_not_captured_and_free_ones_have_one_slice() {
    let free = free("Q");
    assert!(catch_unwind(|| free.after(Captured::Man(1))).is_err());
    assert!(catch_unwind(|| Slice::new(&free, 1).number()).is_err());
}
