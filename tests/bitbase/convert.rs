//! Sets converted to other domains.

use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Captured, Captures, ConvertError, Domain, Man, Walk};
use tbindex::{Color, Group, Symmetry};

use super::domains::{domain, fixed, free, men};
use super::parallel;
use crate::laws::bitbase::laws_of_conversion;

/// A view: the set's men and fixed pieces, those that it is seen from, and whether colours are exchanged.
const VIEWS: [(&str, &str, &str, &str, bool); 55] = [
    ("", "", "", "", false),
    ("", "", "", "", true),
    ("", "Pe4", "", "Pe4", false),
    ("", "Pe4 pb6", "", "pe5 Pb3", true),
    ("", "Pd4 Pe4", "", "Pd4 Pe4", false),
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
    // Fixed pieces in both.
    ("R", "Pe4", "R", "Pe4", false),
    ("Rq", "Pe4 nb3", "Qr", "Nb6 pe5", true),
    ("Qr", "Pa2", "rQ", "Pa2", false),
    ("Qr", "Pa2", "Qr", "Pa2", false),
    ("NN", "Pg7", "nn", "pg2", true),
    ("RN", "Nc3 Nf3", "R", "Na1 Nf3 Nc3", false),
    // Men who become fixed: pawns are promoted, pieces are left alone.
    ("R", "", "", "Rb2", false),
    ("R", "", "", "rb2", true),
    ("Q", "", "", "Qe8", false),
    ("Q", "", "", "qe1", true),
    ("Q", "Pa6", "", "Qe8 Pa6", false),
    ("QR", "", "R", "Qe8", false),
    ("RQ", "", "R", "Qe8", false),
    ("QN", "", "Q", "Nd5", false),
    ("QN", "", "", "Nd5 Qa1", false),
    ("qR", "pb5", "Q", "Pb4 rb1", true),
    ("Qr", "", "", "rb2 Qe8", false),
    ("Qn", "", "q", "Ng7", true),
    ("NN", "", "N", "Na2", false),
    ("NN", "pc4", "N", "Na8 pc4", false),
    ("QBn", "", "Bn", "Qd8", false),
    ("QRn", "", "nQ", "Rd5", false),
    ("QRn", "", "rq", "Nd5", true),
    ("QRn", "", "R", "Qc3 nf6", false),
    ("RQR", "", "RR", "Qd8", false),
    ("QRR", "", "QR", "Rc3", false),
    // Mirrored fixed pieces.
    ("", "Pe4", "", "Pd4", false),
    ("", "Pe4 pa7", "", "pd5 Ph2", true),
    ("R", "Pe4", "R", "Pd4", false),
    ("Rn", "Pb3 rg5", "nR", "Pg3 rb5", false),
    ("Rn", "Pb3 rg5", "Nr", "pg6 Rb4", true),
    ("Qr", "Pe4", "r", "Pd4 Qe8", false),
    ("QQ", "pf3", "q", "qh1 Pc6", true),
    // Leapers.
    ("EN", "", "NE", "", false),
    ("EN", "Pc2", "NE", "Pf2", false),
    ("OR", "", "RO", "", false),
    ("OR", "Pc2", "RO", "Pc2", false),
    ("Me", "", "eM", "", false),
    ("Me", "Pc2", "eM", "Pf2", false),
    ("EO", "Qa8", "OE", "Qa8", false),
];

/// Sets of positions are the same from everywhere: from slices under all groups, and with free kings.
#[test]
fn sets_are_the_same_from_everywhere() {
    parallel::for_each(&VIEWS, |k, &(men, pieces, others, other_pieces, swap)| {
        let (from, to) = (domain(men, pieces), domain(others, other_pieces));
        laws_of_conversion(&from, &to, swap, 300, k as u64);
        let (free_from, free_to) = (from.with_free_kings(), to.with_free_kings());
        // With three men the slots are many, and those of free kings take 128 MiB.
        if others.len() < 3 {
            laws_of_conversion(&from, &free_to, swap, 100, k as u64);
        }
        if men.len().max(others.len()) == 3 {
            return;
        }
        laws_of_conversion(&free_from, &to, swap, 100, k as u64);
        laws_of_conversion(&free_from, &free_to, swap, 100, k as u64);
        for group in Group::ALL {
            if let Ok(smaller) = from.in_group(group) {
                laws_of_conversion(&smaller, &to, swap, 100, k as u64);
                laws_of_conversion(&smaller, &free_to, swap, 50, k as u64);
            }
            if let Ok(smaller) = to.in_group(group) {
                laws_of_conversion(&from, &smaller, swap, 100, k as u64);
                laws_of_conversion(&free_from, &smaller, swap, 50, k as u64);
            }
        }
    });
}

#[test]
fn leapers_are_mirrored_with_the_colours() {
    let from = domain("OQ", "");
    let mut turned: Vec<_> = men("qO").iter().map(|man| man.swap_color()).collect();
    turned[0] = men("q")[0];
    assert_eq!(turned[1].color, Color::Black);
    let to = Domain::of_men(&turned, &[]).expect("a domain");
    laws_of_conversion(&from, &to, true, 300, 1);
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
                Walk::Leaper(leaper) => Man {
                    walk: Walk::Leaper(leaper.image(Symmetry::FlipHorizontal)),
                    ..man
                },
                Walk::Chess(_) => man,
            })
            .collect();
        let to = Domain::of_men(&mirrored, &fixed(mirrored_pieces)).expect("a domain");
        for from in [&from, &from.with_free_kings()] {
            for to in [&to, &to.with_free_kings()] {
                laws_of_conversion(from, to, swap, 100, 1);
            }
            // Not with the same steps.
            let same = domain(letters, mirrored_pieces);
            let set = Bitbase::new(from).expect("memory");
            let seen = set.convert(&same, false, Backend::detect());
            assert!(matches!(seen, Err(ConvertError::Pieces)), "{letters}");
        }
    }
}

#[test]
fn sets_of_slices_are_captured_into() {
    let backend = Backend::detect();
    let slices = domain("Rn", "pe5 Pc3");
    let free = slices.with_free_kings();
    for captured in free.captured_by(Color::White) {
        let of_slices = match captured {
            Captured::Man(man) => slices.after(Captured::Man(man - 2)),
            fixed @ Captured::Fixed(_) => slices.after(fixed),
        };
        let of_slices = of_slices.expect("no symmetries");
        let small = Bitbase::legal(&of_slices, Color::Black, backend).expect("memory");
        let own = free.after(captured).expect("no symmetries");
        let own = small
            .convert(&own, false, Backend::detect())
            .expect("the same pieces");
        assert!(!own.is_empty());
        assert_eq!(
            Captures::new(&free, captured, &small, false, Backend::detect())
                .expect("the same pieces"),
            Captures::new(&free, captured, &own, false, Backend::detect())
                .expect("the same pieces"),
        );
    }
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
            Bitbase::convert_into(&mut all, sets, false, |_| true, Backend::detect())
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
        let captures =
            Captures::new(&domain, captured, &set, false, Backend::detect()).expect("what is left");
        assert!(!captures.is_empty() && captures == captures.clone());
        let mut order = after.men().to_vec();
        order.reverse();
        let reversed = after.in_order(&order).expect("the same men");
        let there = set
            .convert(&reversed, false, Backend::detect())
            .expect("the same pieces");
        assert_eq!(
            Captures::new(&domain, captured, &there, false, Backend::detect())
                .expect("what is left"),
            captures
        );
        let turned: Vec<_> = after.men().iter().map(|man| man.swap_color()).collect();
        let turned = Domain::of_men(
            &turned,
            &fixed(if after.fixed().is_empty() { "" } else { "Pe4" }),
        );
        let turned = turned.expect("the other side's");
        let there = set
            .convert(&turned, true, Backend::detect())
            .expect("the same pieces");
        assert_eq!(
            Captures::new(&domain, captured, &there, true, Backend::detect())
                .expect("what is left"),
            captures
        );
        let of_each = |sets: &[&Bitbase], wanted: &dyn Fn(usize) -> bool| {
            let each = Captures::of_each(&domain, captured, sets, false, wanted, Backend::detect());
            each.expect("what is left")
        };
        let [none, same] = &of_each(&[&none_of(&after), &set], &|_| true)[..] else {
            panic!("captures into two sets");
        };
        assert!(none.is_empty() && *same == captures);
        // In some slices alone.
        let wanted = |slice: usize| slice % 5 == 2;
        let few = of_each(&[&set, &none_of(&after), &set], &wanted);
        let alone = &of_each(&[&set], &wanted)[0];
        assert!(few[0] == *alone && few[1].is_empty() && few[2] == *alone);
        assert!(*alone != captures && !alone.is_empty());
    }
    let captured = Captured::Man(0);
    let set = Bitbase::new(&domain).expect("memory");
    let others = Captures::new(&domain, captured, &set, false, Backend::detect());
    assert!(matches!(others, Err(ConvertError::Pieces)));
}

#[test]
fn sets_of_other_pieces_are_refused() {
    for (men, pieces, others, fixed, swap, sees) in [
        ("QR", "", "RQ", "", false, true),
        ("QR", "", "RQ", "", true, false),
        ("QR", "", "QRR", "", false, false),
        ("QR", "", "Q", "", false, false),
        ("QR", "", "Q", "Na1", false, false),
        ("Q", "", "Q", "Na1", false, false),
        ("Q", "Ra1", "Q", "Ra2", false, false),
        ("Q", "Ra1", "QR", "", false, false),
        ("Q", "Ra1", "q", "ra8", true, true),
        ("O", "", "o", "", true, false),
        ("R", "Pe4", "R", "Pe4", false, true),
        ("R", "Pe4", "r", "Pe4", false, false),
        ("R", "Pe4", "R", "Pe5", false, false),
        ("R", "Pe4", "R", "Pe4 Pe5", false, false),
        ("", "Qe4", "Q", "", false, false),
        ("", "Pe4", "", "Pe4", true, false),
        ("", "Pe4 Pa2", "", "Pd4 Pa2", false, false),
    ] {
        let from = [domain(men, pieces), free(men, pieces)];
        let to = [domain(others, fixed), free(others, fixed)];
        for (from, to) in [(0, 0), (1, 0), (1, 1)].map(|(a, b)| (&from[a], &to[b])) {
            match none_of(from).convert(to, swap, Backend::detect()) {
                Ok(_) => assert!(sees, "{from:?} {to:?}"),
                Err(ConvertError::Pieces) => assert!(!sees, "{from:?} {to:?}"),
                Err(error) => panic!("{error}"),
            }
        }
    }
}
