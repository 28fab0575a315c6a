//! Sets converted to other domains.

use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Captured, Captures, Domain, DomainError, Man, Row, Seen};
use tbindex::{Color, Group, Symmetry};

use super::domains::{domain, free};
use crate::laws::bitbase::{laws_of_conversion, turned};
use crate::support::parallel;
use crate::support::thorough::one_in;

/// A view: the set's domain, and the one that it is seen from.
const VIEWS: [[&str; 2]; 28] = [
    ["", ""],
    ["Pe4 pb6", "pb6 Pe4"],
    ["Pd4 Pe4", "Pd4 Pe4"],
    ["R", "R"],
    ["Qr", "rQ"],
    ["NN", "NN"],
    ["QNr", "NrQ"],
    ["RRN", "RNR"],
    // Fixed pieces in both.
    ["Qr Pa2", "Qr Pa2"],
    ["Rq Pe4 nb3", "qR nb3 Pe4"],
    ["NN Pg7", "NN Pg7"],
    ["RN Nc3 Nf3", "R Na1 Nf3 Nc3"],
    // Men who become fixed: pawns are promoted, pieces are left alone.
    ["R", "Rb2"],
    ["Q Pa6", "Qe8 Pa6"],
    ["QR", "R Qe8"],
    ["RQ", "R Qe8"],
    ["QN", "Nd5 Qa1"],
    ["qR pb5", "q pb5 Rb8"],
    ["NN pc4", "N Na8 pc4"],
    ["QBn", "Bn Qd8"],
    ["QRn", "nQ Rd5"],
    ["QRn", "R Qc3 nf6"],
    ["RQR", "RR Qd8"],
    ["QRR", "QR Rc3"],
    // Leapers.
    ["EN Pc2", "NE Pc2"],
    ["OR", "RO"],
    ["Mo nb2 Pc3", "oM Pc3 nb2"],
    ["EO Qa8", "OE Qa8"],
];

/// The same men and fixed pieces, the colours exchanged or not, on a board that is turned.
fn image(domain: &Domain, swap_colors: bool, symmetry: Symmetry) -> Domain {
    let others = domain.men().iter().filter(|man| !man.is_king());
    let others: Vec<_> = others
        .map(|&man| turned(man, swap_colors, symmetry))
        .collect();
    let fixed = domain.fixed().iter().map(|&(piece, square)| {
        let piece = turned(piece.into(), swap_colors, symmetry).piece();
        (piece.expect("no leaper"), symmetry.apply(square))
    });
    Domain::of_men(&others, &fixed.collect::<Vec<_>>()).expect("a domain")
}

/// Sets of positions are the same from everywhere: in other orders, of the other side, in the mirror, from slices under all
/// groups, and with free kings. Every third view is looked at in one of the four images, or every view in all of them if
/// `TBINDEX_THOROUGH` is set.
#[test]
fn sets_are_the_same_from_everywhere() {
    parallel::for_each(&VIEWS, |k, &view| {
        if k % one_in(3) != 0 {
            return;
        }
        let turn = k / one_in(3);
        let [from, to] = view.map(domain);
        let law = |from: &Domain, to: &Domain, swap, count| {
            laws_of_conversion(from, to, swap, count, k as u64);
        };
        for (at, (swap, by)) in [
            (false, Symmetry::Identity),
            (true, Symmetry::FlipVertical),
            (false, Symmetry::FlipHorizontal),
            (true, Symmetry::Rotate180),
        ]
        .into_iter()
        .enumerate()
        {
            if at % one_in(4) != turn % one_in(4) {
                continue;
            }
            let to = image(&to, swap, by);
            law(&from, &to, swap, 200);
            // With three men the slots are many, and those of free kings take 128 MiB.
            if from.men().len().max(to.men().len()) == 3 {
                continue;
            }
            let [free_from, free_to] = [&from, &to].map(Domain::with_free_kings);
            law(&from, &free_to, swap, 100);
            law(&free_from, &to, swap, 100);
            law(&free_from, &free_to, swap, 100);
            for group in Group::ALL.into_iter().filter(|_| at == turn % 4) {
                if let Ok(smaller) = from.in_group(group) {
                    law(&smaller, &to, swap, 100);
                    law(&smaller, &free_to, swap, 50);
                }
                if let Ok(smaller) = to.in_group(group) {
                    law(&from, &smaller, swap, 100);
                    law(&free_from, &smaller, swap, 50);
                }
            }
        }
    });
}

fn none_of(domain: &Domain) -> Bitbase {
    Bitbase::try_new(domain).expect("memory")
}

#[test]
fn sets_that_do_not_go_together_are_refused() {
    let [queen, rook] = ["Q", "R"].map(|men| none_of(&domain(men)));
    let refuses = |rows: &[&Bitbase], sets: &[&Bitbase]| {
        let unite = || {
            let mut rows: Vec<_> = rows.iter().map(|set| set.slice(0).to_vec()).collect();
            let mut out: Vec<&mut [Row]> = rows.iter_mut().map(|rows| &mut rows[..]).collect();
            let seen = Seen::try_new(sets, queen.domain(), false, Backend::detect())?;
            seen.unite_into(0, |_| true, &mut out);
            Ok::<(), DomainError>(())
        };
        std::panic::catch_unwind(unite).is_err()
    };
    // With two men or fewer, slices have as many rows.
    let three = none_of(&domain("QQR"));
    assert!(refuses(&[&queen], &[]) && refuses(&[], &[&queen]));
    assert!(refuses(&[&three], &[&queen]));
    assert!(refuses(&[&queen, &queen], &[&queen, &rook]));
    assert!(!refuses(&[&queen], &[&queen]));
    assert!(!refuses(&[&queen], &[&rook]), "an error");
}

/// Captures into a set are the same however it is seen.
#[test]
fn captures_see_their_set_themselves() {
    let backend = Backend::detect();
    for domain in [domain("QRn pe5"), free("Rn pe5 Pc3")] {
        for captured in domain.captured_by(Color::White) {
            let after = domain.after(captured).expect("no symmetry");
            let set = Bitbase::legal(&after, Color::Black, backend).expect("memory");
            let captures_of = |set: &Bitbase, swap| {
                let captures = Captures::try_new(&domain, captured, set, swap, backend);
                captures.expect("what is left")
            };
            let captures = captures_of(&set, false);
            assert!(!captures.is_empty() && captures == captures.clone());
            let others = after.men().iter().rev().copied();
            let others: Vec<Man> = others.filter(|man| !man.is_king()).collect();
            let reversed = Domain::of_men(&others, after.fixed()).expect("the same men");
            let reversed = match after.king_pairs() {
                Some(_) => reversed.in_group(after.group()).expect("the same group"),
                None => reversed.with_free_kings(),
            };
            let sliced = image(&after, false, Symmetry::Identity);
            let turned = image(&after, true, Symmetry::FlipVertical);
            for (to, swap) in [(reversed, false), (sliced, false), (turned, true)] {
                let there = set.convert(&to, swap, backend).expect("the same pieces");
                assert_eq!(captures_of(&there, swap), captures);
            }
            let of_each = |sets: &[&Bitbase], wanted: &dyn Fn(usize) -> bool| {
                let each = Captures::of_each(&domain, captured, sets, false, wanted, backend);
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
            assert!(after.slices() == 1 || *alone != captures && !alone.is_empty());
        }
    }
    let domain = domain("QRn pe5");
    let set = none_of(&domain);
    let others = Captures::try_new(&domain, Captured::Man(0), &set, false, backend);
    assert!(matches!(others, Err(DomainError::OtherPieces)));
}

#[test]
fn sets_of_other_pieces_are_refused() {
    for (from, to, swap, sees) in [
        ("QR", "RQ", false, true),
        ("QR", "RQ", true, false),
        ("QR", "QRR", false, false),
        ("QR", "Q", false, false),
        ("QR", "Q Na1", false, false),
        ("Q", "Q Na1", false, false),
        ("Q Ra1", "Q Ra2", false, false),
        ("Q Ra1", "QR", false, false),
        ("Q Ra1", "q ra8", true, true),
        ("O", "o", true, false),
        ("O Pe4", "O Pd4", false, false),
        ("Mo nb2 Pc3", "mO Ng7 pf6", true, false),
        ("R Pe4", "R Pe4", false, true),
        ("R Pe4", "r Pe4", false, false),
        ("R Pe4", "R Pe5", false, false),
        ("R Pe4", "R Pe4 Pe5", false, false),
        ("Qe4", "Q", false, false),
        ("Pe4", "Pe4", true, false),
        ("Pe4 Pa2", "Pd4 Pa2", false, false),
    ] {
        let [from, to] = [from, to].map(|text| [domain(text), free(text)]);
        for (from, to) in [(0, 0), (1, 0), (1, 1)].map(|(a, b)| (&from[a], &to[b])) {
            match none_of(from).convert(to, swap, Backend::detect()) {
                Ok(_) => assert!(sees, "{from:?} {to:?}"),
                Err(DomainError::OtherPieces) => assert!(!sees, "{from:?} {to:?}"),
                Err(error) => panic!("{error}"),
            }
        }
    }
}
