//! Sets seen from other domains.

use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Captured, Captures, Domain, SeenError};
use tbindex::{Color, Group};

use crate::domains::{domain, fixed, men};
use crate::laws::laws_of_view;

/// A view: the set's men and fixed pieces, those that it is seen from, and whether colours are exchanged.
const VIEWS: [(&str, &str, &str, &str, bool); 30] = [
    ("", "", "", "", false),
    ("", "", "", "", true),
    ("R", "", "R", "", false),
    ("R", "", "r", "", true),
    ("Qr", "", "rQ", "", false),
    ("Qr", "", "Rq", "", true),
    ("NN", "", "NN", "", false),
    ("NN", "", "nn", "", true),
    ("QNr", "", "NrQ", "", false),
    ("QNr", "", "rNQ", "", false),
    ("QNr", "", "nqR", "", true),
    ("RRN", "", "RNR", "", false),
    // Men of the set that are fixed.
    ("R", "", "", "Rb2", false),
    ("R", "", "", "rb2", true),
    ("QN", "", "N", "Qd5", false),
    ("QN", "", "Q", "Nd5", false),
    ("QN", "", "", "Nd5 Qa1", false),
    ("Qn", "", "q", "Ng7", true),
    ("NN", "", "N", "Na2", false),
    ("QRn", "", "nQ", "Rd5", false),
    ("QRn", "", "Rn", "Qd5", false),
    ("QRn", "", "rq", "Nd5", true),
    ("QRn", "", "R", "Qc3 nf6", false),
    ("QRR", "", "QR", "Rc3", false),
    // Fixed pieces in both.
    ("R", "Pe4", "R", "Pe4", false),
    ("Rq", "Pe4 nb3", "Qr", "Nb6 pe5", true),
    ("RN", "Nc3 Nf3", "R", "Na1 Nf3 Nc3", false),
    // Leapers.
    ("EN", "", "NE", "", false),
    ("OR", "", "RO", "", false),
    ("Me", "", "eM", "", false),
];

#[test]
fn sets_are_the_same_from_everywhere() {
    for (k, (men, pieces, other_men, other_pieces, swap)) in VIEWS.into_iter().enumerate() {
        let from = domain(men, pieces);
        let to = domain(other_men, other_pieces);
        laws_of_view(&from, &to, swap, 300, k as u64);
        // The same under other groups, where there are few slots.
        if men.len() < 3 {
            for group in Group::ALL {
                if let Ok(smaller) = from.in_group(group) {
                    laws_of_view(&smaller, &to, swap, 100, k as u64);
                }
                if let Ok(smaller) = to.in_group(group) {
                    laws_of_view(&from, &smaller, swap, 100, k as u64);
                }
            }
        }
    }
}

#[test]
fn leapers_are_mirrored_with_the_colours() {
    let from = domain("OQ", "");
    let mut turned: Vec<_> = men("qO").iter().map(|man| man.swap_color()).collect();
    turned[0] = men("q")[0];
    assert_eq!(turned[1].color, Color::Black);
    let to = Domain::of_men(&turned, &[]).expect("a domain");
    laws_of_view(&from, &to, true, 300, 1);
}

fn none_of(domain: &Domain) -> Bitbase {
    Bitbase::new(domain).expect("memory")
}

#[test]
fn sets_that_do_not_go_together_are_refused() {
    let [queen, rook] = ["Q", "R"].map(|men| none_of(&domain(men, "")));
    let refuses = |all: &[&Bitbase], sets: &[&Bitbase]| {
        let unite = || {
            let mut all: Vec<Bitbase> = all.iter().map(|set| set.try_clone().unwrap()).collect();
            let mut all: Vec<&mut Bitbase> = all.iter_mut().collect();
            Bitbase::unite_all_seen(&mut all, sets, false, |_| true)
        };
        std::panic::catch_unwind(unite).is_err()
    };
    assert!(refuses(&[&queen], &[]));
    assert!(refuses(&[&queen, &rook], &[&queen, &queen]));
    assert!(refuses(&[&queen, &queen], &[&queen, &rook]));
    assert!(!refuses(&[], &[]) && !refuses(&[&queen], &[&queen]));
    assert!(!refuses(&[&queen], &[&rook]), "an error");
}

#[test]
fn captures_see_their_set_themselves() {
    let domain = domain("QRn", "pe5");
    for captured in domain.captured_by(Color::White) {
        let after = domain.after(captured).expect("no symmetry");
        let set = Bitbase::legal(&after, Color::Black, Backend::detect()).expect("memory");
        let captures = Captures::new(&domain, captured, &set, false).expect("what is left");
        assert!(!captures.is_empty() && captures == captures.clone());
        let mut order = after.men().to_vec();
        order.reverse();
        let reversed = after.in_order(&order).expect("the same men");
        let there = set.seen_from(&reversed, false).expect("the same pieces");
        assert_eq!(
            Captures::new(&domain, captured, &there, false).expect("what is left"),
            captures
        );
        let turned: Vec<_> = after.men().iter().map(|man| man.swap_color()).collect();
        let turned = Domain::of_men(
            &turned,
            &fixed(if after.fixed().is_empty() { "" } else { "Pe4" }),
        );
        let turned = turned.expect("the other side's");
        let there = set.seen_from(&turned, true).expect("the same pieces");
        assert_eq!(
            Captures::new(&domain, captured, &there, true).expect("what is left"),
            captures
        );
        let both = Captures::of_each(&domain, captured, &[&none_of(&after), &set], false);
        let [none, same] = &both.expect("what is left")[..] else {
            panic!("captures into two sets");
        };
        assert!(none.is_empty() && *same == captures);
        // In some slices alone.
        let wanted = |slice: usize| slice % 5 == 2;
        let sets = [&set, &none_of(&after), &set];
        let few = Captures::of_each_in_slices(&domain, captured, &sets, false, wanted);
        let few = few.expect("what is left");
        let alone = Captures::in_slices(&domain, captured, &set, false, wanted);
        let alone = alone.expect("what is left");
        assert!(few[0] == alone && few[1].is_empty() && few[2] == alone);
        assert!(alone != captures && !alone.is_empty());
    }
    let captured = Captured::Man(0);
    let set = Bitbase::new(&domain).expect("memory");
    let others = Captures::new(&domain, captured, &set, false);
    assert!(matches!(others, Err(SeenError::Pieces)));
}

#[test]
fn sets_of_other_pieces_are_refused() {
    let sees = |men: &str, pieces: &str, others: &str, fixed: &str, swap| {
        let set = Bitbase::new(&domain(men, pieces)).expect("memory");
        match set.seen_from(&domain(others, fixed), swap) {
            Ok(_) => true,
            Err(SeenError::Pieces) => false,
            Err(error) => panic!("{error}"),
        }
    };
    assert!(sees("QR", "", "RQ", "", false));
    assert!(!sees("QR", "", "RQ", "", true));
    assert!(!sees("QR", "", "QRR", "", false));
    assert!(!sees("QR", "", "Q", "", false));
    assert!(!sees("QR", "", "Q", "Na1", false));
    assert!(!sees("Q", "", "Q", "Na1", false));
    assert!(!sees("Q", "Ra1", "Q", "Ra2", false));
    assert!(!sees("Q", "Ra1", "QR", "", false));
    assert!(sees("Q", "Ra1", "q", "ra8", true));
    assert!(!sees("O", "", "o", "", true));
}
