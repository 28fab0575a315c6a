//! Domains with free kings: all laws of domains whose kings have slices, and that both say the same.

use tbindex::batch::Backend;
use tbindex::bitbase::{
    Bitbase, Captured, Capturer, Captures, Domain, DomainError, Gathered, Man, SeenError, Slice,
    Walk,
};
use tbindex::{Color, Group, Symmetry};

use crate::domains::{domain, fixed, men};
use crate::laws::{
    Extent, counts_are_those_of_the_board, laws_of_captures, laws_of_indices, laws_of_others_fixed,
    laws_of_slice, laws_of_slots, laws_of_squares, laws_of_view,
    representatives_are_one_of_each_class,
};
use crate::parallel;

/// The domain of men besides the kings, in this order, and fixed pieces.
fn free(letters: &str, pieces: &str) -> Domain {
    let free = domain(letters, pieces).with_free_kings();
    assert!(free.has_free_kings());
    assert_eq!(free.men()[..2], men("Kk")[..]);
    assert_eq!(free.men()[2..], men(letters)[..]);
    free
}

fn laws(domain: &Domain, extent: Extent, seed: u64) {
    laws_of_slice(domain, 0, extent, seed);
    laws_of_captures(domain, 0, extent, seed);
}

/// No men but the kings.
const KINGS: [(&str, &str); 10] = [
    ("", ""),
    ("", "Pe4"),
    ("", "ph2"),
    ("", "Pa7 pa2"),
    ("", "Pd4 Pe4"),
    ("", "Pd4 pd5 Pe4"),
    ("", "Pc5 pb7 Pg2 ph6"),
    ("", "Nd4 pd5"),
    ("", "Qc3 rf6"),
    ("", "bb2 Pc3 Bg7"),
];

/// One man.
const ONE: [(&str, &str); 13] = [
    ("R", "Pe4"),
    ("r", "Pb6"),
    ("Q", "Pc6 pc7"),
    ("B", "pe4 Pd3"),
    ("n", "Ph5"),
    ("N", "Nf3 Pa2"),
    ("b", "Rd4 qe5"),
    ("E", "Pe4"),
    ("m", "Pe4 pb3"),
    ("O", "Ra8"),
    ("o", ""),
    ("q", ""),
    ("R", "Rc6 Pc7 rc8"),
];

/// Two men, in all orders of rows, words and bits.
const TWO: [(&str, &str); 12] = [
    ("Rr", "Pe4"),
    ("rR", "Pe4"),
    ("Qn", "Pa6 pc7"),
    ("nQ", "pg3"),
    ("bN", "Bd4"),
    ("NN", "Pf5"),
    ("qB", ""),
    ("bb", "Rc3 pf7"),
    ("Or", "Pb2"),
    ("Qo", "Nd5 pe6"),
    ("Me", ""),
    ("Eq", "rh1"),
];

/// Three men, which take 128 MiB.
const THREE: [(&str, &str); 3] = [("QrN", "Pe4"), ("bRO", "pd5"), ("nBq", "")];

#[test]
fn kings_alone_and_with_one_man() {
    let all: Vec<(&str, &str)> = [&KINGS[..], &ONE[..]].concat();
    parallel::for_each(&all, |k, (letters, pieces)| {
        let domain = free(letters, pieces);
        if letters.is_empty() {
            laws(&domain, Extent::Whole { zeros: 1 }, k as u64);
            laws(&domain, Extent::Whole { zeros: 4 }, k as u64);
        }
        laws(&domain, Extent::Some(200), k as u64);
    });
}

#[test]
fn two_men() {
    let half: Vec<_> = TWO.into_iter().step_by(2).collect();
    parallel::for_each(&half, |k, (letters, pieces)| {
        laws(&free(letters, pieces), Extent::Some(30), k as u64);
    });
}

#[test]
#[ignore = "minutes: all positions with one man, many with two and some with three besides the kings: \
            cargo test --release --test bitbase -- --ignored"]
fn one_to_three_men_at_length() {
    parallel::for_each(&ONE, |k, (letters, pieces)| {
        for zeros in [2, 5] {
            laws(&free(letters, pieces), Extent::Whole { zeros }, k as u64);
        }
    });
    parallel::for_each(&TWO, |k, (letters, pieces)| {
        laws(&free(letters, pieces), Extent::Some(3000), k as u64);
    });
    for (k, (letters, pieces)) in THREE.into_iter().enumerate() {
        laws(&free(letters, pieces), Extent::Some(1000), k as u64);
    }
    laws_of_squares(&domain("rBN", "Pe4"), 100, 1);
}

#[test]
fn slots_squares_and_positions_go_together() {
    for (k, (letters, pieces)) in all().enumerate() {
        laws_of_slots(&free(letters, pieces), 300, k as u64);
    }
    laws_of_slots(&free("QRBNqr", ""), 500, 1);
}

/// All domains of at most two men.
fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    KINGS.into_iter().chain(ONE).chain(TWO)
}

#[test]
fn slots_and_indices_go_together() {
    let chess = all().filter(|(letters, _)| !letters.contains(['E', 'M', 'O', 'e', 'm', 'o']));
    for (k, (letters, pieces)) in chess.enumerate() {
        let domain = free(letters, pieces);
        let count = if letters.len() < 2 { 5 } else { 1 };
        laws_of_indices(&domain, count, k as u64);
    }
}

#[test]
fn sets_count_what_they_have() {
    for (k, (letters, pieces)) in all().enumerate() {
        counts_are_those_of_the_board(&free(letters, pieces), 400, k as u64);
    }
    for (letters, pieces) in [("", "Pd4 Pe4"), ("R", ""), ("n", "Ph5")] {
        representatives_are_one_of_each_class(&free(letters, pieces), 0);
    }
}

#[test]
#[ignore = "half a minute: the class of each of 16 million placements: \
            cargo test --release --test bitbase -- --ignored"]
fn one_slot_of_each_class_represents_it() {
    representatives_are_one_of_each_class(&free("NN", "Pf5"), 0);
}

/// The legal positions do not depend on how the kings are numbered.
#[test]
fn legal_positions_are_those_of_slices() {
    let backend = Backend::detect();
    for (letters, pieces) in all() {
        let slices = domain(letters, pieces);
        let free = slices.with_free_kings();
        for side in Color::ALL {
            let of_slices = Bitbase::legal(&slices, side, backend).expect("memory");
            let of_free = Bitbase::legal(&free, side, backend).expect("memory");
            assert_eq!(of_slices.count_placements(), of_free.count());
            let seen = of_slices.seen_from(&free, false).expect("the same pieces");
            assert!(seen.rows() == of_free.rows(), "{free:?}");
            let back = of_free.seen_from(&slices, false).expect("the same pieces");
            assert!(back.rows() == of_slices.rows(), "{slices:?}");
        }
    }
}

/// A view: the set's men and fixed pieces, those that it is seen from, and whether colours are exchanged.
const VIEWS: [(&str, &str, &str, &str, bool); 33] = [
    ("", "", "", "", false),
    ("", "", "", "", true),
    ("", "Pe4", "", "Pe4", false),
    ("", "Pe4 pb6", "", "pe5 Pb3", true),
    ("", "Pd4 Pe4", "", "Pd4 Pe4", false),
    ("R", "", "R", "", false),
    ("R", "", "r", "", true),
    ("R", "Pe4", "R", "Pe4", false),
    ("Rq", "Pe4 nb3", "Qr", "Nb6 pe5", true),
    ("Qr", "Pa2", "rQ", "Pa2", false),
    ("Qr", "Pa2", "Qr", "Pa2", false),
    ("NN", "Pg7", "nn", "pg2", true),
    // Men who become fixed: pawns are promoted, pieces are left alone.
    ("Q", "", "", "Qe8", false),
    ("Q", "", "", "qe1", true),
    ("Q", "Pa6", "", "Qe8 Pa6", false),
    ("QR", "", "R", "Qe8", false),
    ("RQ", "", "R", "Qe8", false),
    ("qR", "pb5", "Q", "Pb4 rb1", true),
    ("Qr", "", "", "rb2 Qe8", false),
    ("NN", "pc4", "N", "Na8 pc4", false),
    ("QBn", "", "Bn", "Qd8", false),
    ("RQR", "", "RR", "Qd8", false),
    // Mirrored fixed pieces.
    ("", "Pe4", "", "Pd4", false),
    ("", "Pe4 pa7", "", "pd5 Ph2", true),
    ("R", "Pe4", "R", "Pd4", false),
    ("Rn", "Pb3 rg5", "nR", "Pg3 rb5", false),
    ("Rn", "Pb3 rg5", "Nr", "pg6 Rb4", true),
    ("Qr", "Pe4", "r", "Pd4 Qe8", false),
    ("QQ", "pf3", "q", "qh1 Pc6", true),
    // Leapers.
    ("EN", "Pc2", "NE", "Pf2", false),
    ("OR", "Pc2", "RO", "Pc2", false),
    ("Me", "Pc2", "eM", "Pf2", false),
    ("EO", "Qa8", "OE", "Qa8", false),
];

#[test]
fn sets_are_the_same_from_everywhere() {
    let cases: Vec<_> = VIEWS.into_iter().enumerate().collect();
    parallel::for_each(
        &cases,
        |_, &(k, (men, pieces, other_men, other_pieces, swap))| {
            let (from, to) = (domain(men, pieces), domain(other_men, other_pieces));
            let (free_from, free_to) = (from.with_free_kings(), to.with_free_kings());
            for (from, to) in [(&free_from, &free_to), (&free_from, &to), (&from, &free_to)] {
                // Free kings and three men would be 128 MiB.
                if from.men().len() < 5 {
                    laws_of_view(from, to, swap, 100, k as u64);
                }
            }
            laws_of_view(&from, &to, swap, 100, k as u64);
            for group in Group::ALL {
                if let Ok(smaller) = from.in_group(group) {
                    laws_of_view(&smaller, &free_to, swap, 50, k as u64);
                }
                if let Ok(smaller) = to.in_group(group)
                    && free_from.men().len() < 5
                {
                    laws_of_view(&free_from, &smaller, swap, 50, k as u64);
                }
            }
        },
    );
}

/// If the board is seen in the mirror, then leapers are, too.
#[test]
fn leapers_are_mirrored_with_the_fixed_pieces() {
    for (letters, pieces, mirrored_pieces, swap) in [
        ("O", "Pe4", "Pd4", false),
        ("OR", "pb2", "pg2", false),
        ("Mo", "nb2 Pc3", "Ng7 pf6", true),
    ] {
        let from = domain(letters, pieces);
        let mirrored: Vec<Man> = (from.men().iter())
            .map(|&man| if swap { man.swap_color() } else { man })
            .map(|man| match man.walk {
                Walk::Leaper(leaper) => {
                    Man::leaper(man.color, leaper.image(Symmetry::FlipHorizontal))
                }
                Walk::Chess(_) => man,
            })
            .collect();
        let to = Domain::of_men(&mirrored, &fixed(mirrored_pieces)).expect("a domain");
        for from in [&from, &from.with_free_kings()] {
            for to in [&to, &to.with_free_kings()] {
                laws_of_view(from, to, swap, 100, 1);
            }
            // Not with the same steps.
            let same = domain(letters, mirrored_pieces);
            let set = Bitbase::new(from).expect("memory");
            let seen = set.seen_from(&same, false);
            assert!(matches!(seen, Err(SeenError::Pieces)), "{letters}");
        }
    }
}

#[test]
fn other_pieces_are_not_seen() {
    let sees = |men: &str, pieces: &str, others: &str, fixed: &str, swap| {
        let set = Bitbase::new(&free(men, pieces)).expect("memory");
        match (
            set.seen_from(&free(others, fixed), swap),
            set.seen_from(&domain(others, fixed), swap),
        ) {
            (Ok(_), Ok(_)) => true,
            (Err(SeenError::Pieces), Err(SeenError::Pieces)) => false,
            other => panic!("{other:?}"),
        }
    };
    assert!(sees("R", "Pe4", "R", "Pe4", false));
    assert!(!sees("R", "Pe4", "r", "Pe4", false));
    assert!(!sees("R", "Pe4", "R", "Pe5", false));
    assert!(!sees("R", "Pe4", "R", "Pe4 Pe5", false));
    assert!(!sees("", "Qe4", "Q", "", false));
    assert!(!sees("", "Pe4", "", "Pe4", true));
    assert!(!sees("", "Pe4 Pa2", "", "Pd4 Pa2", false));
}

#[test]
fn sets_of_slices_are_captured_into() {
    let backend = Backend::detect();
    let slices = domain("Rn", "pe5 Pc3");
    let free = slices.with_free_kings();
    for captured in free.captured_by(Color::White) {
        let of_slices = match captured {
            Captured::Man(man) => slices.without_man(man - 2),
            Captured::Fixed(fixed) => slices.without_fixed(fixed).expect("no symmetries"),
        };
        let small = Bitbase::legal(&of_slices, Color::Black, backend).expect("memory");
        let own = free.after(captured).expect("no symmetries");
        let own = small.seen_from(&own, false).expect("the same pieces");
        assert!(!own.is_empty());
        assert_eq!(
            Captures::new(&free, captured, &small, false).expect("the same pieces"),
            Captures::new(&free, captured, &own, false).expect("the same pieces"),
        );
    }
}

#[test]
fn what_is_on_a_square_is_told_by_digits() {
    let small = all().filter(|(letters, _)| letters.len() < 2);
    for (k, (letters, pieces)) in small.chain([("Qn", "Pa6")]).enumerate() {
        laws_of_squares(&free(letters, pieces), 0, k as u64);
    }
    for (k, (letters, pieces)) in [
        ("", "Pe4"),
        ("r", "Pe4"),
        ("rB", "Pe4"),
        ("Q", ""),
        ("OR", ""),
    ]
    .into_iter()
    .enumerate()
    {
        laws_of_squares(&domain(letters, pieces), 17 * k, k as u64);
    }
}

#[test]
fn other_pieces_are_fixed() {
    for (letters, pieces) in all() {
        for domain in [free(letters, pieces), domain(letters, pieces)] {
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
                laws_of_others_fixed(&domain, &fixed(others));
            }
        }
    }
}

#[test]
fn kings_are_the_first_two_men() {
    let free = free("Qr", "");
    assert_eq!((free.slices(), free.slots()), (1, 64 * 64 * 64 * 64));
    assert_eq!(free.with_free_kings(), free);
    assert_ne!(free, domain("Qr", ""));
    assert!(free.king_pairs().is_none() && free.king_moves().is_none());
    assert_eq!(Slice::new(&free, 0).kings(), None);
    assert_eq!(free.material(), domain("Qr", "").material());
    assert!(!free.has_twins(0));
    assert!(free.has_pieces(Color::White) && free.has_pieces(Color::Black));
    let alone = domain("Q", "").with_free_kings();
    assert!(alone.has_pieces(Color::White) && !alone.has_pieces(Color::Black));

    assert_eq!(
        free.in_order(&men("KkrQ")).expect("an order").men(),
        men("KkrQ")
    );
    for order in ["kKQr", "QrKk", "KQkr", "Qr", "KkQ", "KkQq"] {
        assert_eq!(
            free.in_order(&men(order)),
            Err(DomainError::Order),
            "{order}"
        );
    }
    // Free kings have no symmetries, whatever the other pieces have.
    assert_eq!(free.in_group(Group::Trivial), Ok(free.clone()));
    for group in [Group::FileMirror, Group::D4] {
        assert_eq!(free.in_group(group), Err(DomainError::Group(group)));
    }
    let pawns = domain("", "Pd4 Pe4");
    assert_eq!(pawns.group(), Group::FileMirror);
    let pawns = pawns.with_free_kings();
    assert_eq!(pawns.group(), Group::Trivial);
    assert_eq!(
        pawns.without_fixed(0).expect("no symmetries").fixed(),
        fixed("Pe4")
    );
    assert_eq!(free.without_man(2).men(), men("Kkr"));
}

#[test]
#[should_panic(expected = "a man that can be captured")]
fn kings_are_not_captured() {
    let _ = free("Q", "").without_man(1);
}

#[test]
#[should_panic(expected = "free kings have one slice")]
fn there_is_no_second_slice() {
    let _ = Slice::new(&free("Q", ""), 1);
}

/// Gathers the captures of the rook, man 3 of white's queen and black's rook, by something.
fn capture_the_rook(by: Capturer) {
    let domain = free("Qr", "");
    let rook = Captured::Man(3);
    let after = domain.after(rook).expect("a rook less");
    let set = Bitbase::new(&after).expect("memory");
    let captures = Captures::new(&domain, rook, &set, false).expect("the pieces that are left");
    let mut gathered = Gathered::new(&domain, Backend::detect());
    gathered.captures_by(&Slice::new(&domain, 0), by, &captures);
}

#[test]
#[should_panic(expected = "kings with slices")]
fn a_free_king_captures_as_a_man() {
    // Those who can, capture: white's king and queen.
    capture_the_rook(Capturer::Man(0));
    capture_the_rook(Capturer::Man(2));
    capture_the_rook(Capturer::King);
}

#[test]
#[should_panic(expected = "a man who can capture")]
fn nobody_captures_his_own_side() {
    capture_the_rook(Capturer::Man(1));
}

#[test]
#[should_panic(expected = "a man who can capture")]
fn who_is_not_there_captures_nothing() {
    capture_the_rook(Capturer::Man(4));
}
