//! Legality, checks, moves, confinement and captures, slice by slice.

use tbindex::batch::Backend;
use tbindex::bitbase::{Accumulator, Bitbase, Captured, Capturer, Captures, Domain, Slice};
use tbindex::{Bitboard, Color, Group, Piece, PieceType, Symmetry, attacks};

use super::domains::{KINDS, domain, fixed, free, men};
use super::parallel;
use crate::laws::bitbase::{Extent, laws_of_captures, laws_of_slice};

fn laws(domain: &Domain, slice: usize, extent: Extent, seed: u64) {
    laws_of_slice(domain, slice, extent, seed);
    laws_of_captures(domain, slice, extent, seed);
}

/// The men of all materials of two kings and so many free pieces, in every order of two.
fn materials(men: usize) -> Vec<String> {
    let letters = "QRBNqrbn";
    let mut all = vec![String::new()];
    for _ in 0..men {
        let longer = all.iter().flat_map(|before| {
            let letters = letters.chars();
            letters.map(move |letter| format!("{before}{letter}"))
        });
        all = longer.collect();
    }
    all
}

/// Materials of 3 or 4 pieces, one of them a pawn, as men and the pawn's letter.
fn materials_with_pawns() -> Vec<(String, char)> {
    let men = materials(0).into_iter().chain(materials(1));
    men.flat_map(|men| ['P', 'p'].map(|pawn| (men.clone(), pawn)))
        .collect()
}

/// The name of a square on which a pawn may stand.
fn pawn_square(number: usize) -> String {
    let (file, rank) = (number % 8, 2 + number / 8 % 6);
    format!("{}{rank}", "abcdefgh".as_bytes()[file] as char)
}

/// Slices of all kinds: spread over all, and for D4 one with twins or one that a king leaves by a quarter turn.
fn some_slices(domain: &Domain, count: usize, seed: usize) -> Vec<usize> {
    let spread = (0..count).map(|k| (k * 997 + seed * 131) % domain.slices());
    let turns = |&slice: &usize| {
        let pairs = domain.king_pairs().expect("slices");
        let [white, black] = pairs.all()[slice];
        let king = Piece::new(Color::White, PieceType::King);
        let steps = |from| attacks(king, from, Bitboard::EMPTY).into_iter();
        let of_white = steps(white).filter_map(|to| pairs.find(to, black));
        let mut moves = of_white.chain(steps(black).filter_map(|to| pairs.find(white, to)));
        moves.any(|(_, by)| [Symmetry::Rotate90, Symmetry::Rotate270].contains(&by))
    };
    let special: Vec<usize> = match domain.group() {
        Group::D4 if seed.is_multiple_of(2) => {
            (domain.king_pairs().expect("slices").diagonal_from()..domain.slices()).collect()
        }
        Group::D4 => (0..domain.slices()).filter(turns).collect(),
        _ => Vec::new(),
    };
    let special = special.iter().cycle().skip(5 * seed).take(1);
    spread.chain(special.copied()).collect()
}

#[test]
fn three_and_four_pieces() {
    let all: Vec<String> = [materials(0), materials(1), materials(2)].concat();
    parallel::for_each(&all, |k, letters| {
        let domain = domain(letters, "");
        for slice in some_slices(&domain, 1, k) {
            let zeros = 3 + k as u32 % 3;
            laws(&domain, slice, Extent::Whole { zeros }, k as u64);
        }
    });
}

#[test]
fn pawns_among_three_and_four_pieces() {
    parallel::for_each(&materials_with_pawns(), |k, (letters, pawn)| {
        for at in 0..3 {
            let pawn = format!("{pawn}{}", pawn_square(at * 17 + k * 5));
            let domain = domain(letters, &pawn);
            for slice in some_slices(&domain, 2, k + at) {
                laws(&domain, slice, Extent::Whole { zeros: 2 }, k as u64);
            }
        }
    });
}

/// Domains with fixed pieces, symmetric or not, and leapers of all kinds, of up to four men in all.
const OTHERS: [(&str, &str); 24] = [
    ("R", "Pe4 Pd4"),
    ("qN", "Pb3 Pg3"),
    ("Rb", "Rc4 Rf4"),
    ("Bq", "Na1 Nh1 pd7 pe7"),
    ("", "Nc3 Nf3 Nc6 Nf6"),
    ("r", "Bc3 Bf3 Bc6 Bf6"),
    ("Nr", "qc3 qf3 qc6 qf6"),
    ("Qr", "Pe4"),
    ("BR", "pe4 Qd1"),
    ("nq", "Ph2 Bh3 rh4"),
    ("E", ""),
    ("M", ""),
    ("O", ""),
    ("o", "Pe4"),
    ("EE", ""),
    ("eQ", ""),
    ("mR", ""),
    ("Rm", "Pe4 Pd4"),
    ("OO", ""),
    ("oB", "Pe4 re5"),
    ("Eo", ""),
    ("OeR", ""),
    ("rOm", ""),
    ("MEq", ""),
];

#[test]
fn fixed_pieces_and_leapers() {
    parallel::for_each(&OTHERS, |k, (letters, pieces)| {
        let all = domain(letters, pieces);
        for group in Group::ALL.into_iter().filter(|&group| group <= all.group()) {
            let domain = all.in_group(group).expect("a smaller group");
            for slice in some_slices(&domain, 1, k) {
                let extent = if letters.len() > 2 {
                    Extent::Some(100)
                } else {
                    Extent::Whole { zeros: 4 }
                };
                laws(&domain, slice, extent, k as u64);
            }
        }
    });
}

/// Domains of five pieces, by men and fixed ones.
const FIVE: [(&str, &str); 12] = [
    ("QRB", ""),
    ("qnR", ""),
    ("BbN", ""),
    ("NQr", ""),
    ("rBQ", ""),
    ("nNb", ""),
    ("QNr", "Pe4"),
    ("Brq", "Pc2 Pf2"),
    ("NnR", "pa7 ph7"),
    ("EqR", ""),
    ("Qme", ""),
    ("OoO", ""),
];

/// Domains of six pieces and more.
const SIX: [(&str, &str); 8] = [
    ("QRBN", ""),
    ("nbrq", ""),
    ("RrBb", ""),
    ("NQnq", ""),
    ("BmeR", ""),
    ("QrN", "Pe4 pe5 Bf6"),
    ("bRq", "Rd2 Nc6 Nf6"),
    ("mRn", "pc5 pf5"),
];

#[test]
fn random_slices_of_five_and_six_pieces() {
    let all = [&FIVE[..], &SIX[..]].concat();
    parallel::for_each(&all, |k, (letters, pieces)| {
        let domain = domain(letters, pieces);
        let slice = some_slices(&domain, 1, k).pop().expect("one at least");
        laws(&domain, slice, Extent::Some(30), k as u64);
    });
}

/// Free kings have one slice, which takes 128 MiB with three men.
#[test]
fn slices_of_free_kings() {
    let small: Vec<_> = KINDS[..2].concat();
    parallel::for_each(&small, |k, (letters, pieces)| {
        let domain = free(letters, pieces);
        if letters.is_empty() {
            laws(&domain, 0, Extent::Whole { zeros: 1 }, k as u64);
            laws(&domain, 0, Extent::Whole { zeros: 4 }, k as u64);
        }
        laws(&domain, 0, Extent::Some(200), k as u64);
    });
    let large: Vec<_> = KINDS[2].iter().step_by(2).collect();
    parallel::for_each(&large, |k, (letters, pieces)| {
        laws(&free(letters, pieces), 0, Extent::Some(30), k as u64);
    });
}

#[test]
#[ignore = "minutes: all positions of free kings with one man, many with two and some with three: \
            cargo test --release --test library -- --ignored bitbase::"]
fn slices_of_free_kings_at_length() {
    parallel::for_each(KINDS[1], |k, (letters, pieces)| {
        for zeros in [2, 5] {
            laws(&free(letters, pieces), 0, Extent::Whole { zeros }, k as u64);
        }
    });
    parallel::for_each(KINDS[2], |k, (letters, pieces)| {
        laws(&free(letters, pieces), 0, Extent::Some(3000), k as u64);
    });
    for (letters, pieces) in [("QrN", "Pe4"), ("bRO", "pd5"), ("nBq", "")] {
        laws(&free(letters, pieces), 0, Extent::Some(1000), 1);
    }
}

/// Gathers the captures of the rook, man 3 of white's queen and black's rook with free kings, by something.
fn capture_the_rook(by: Capturer) {
    let domain = free("Qr", "");
    let rook = Captured::Man(3);
    let after = domain.after(rook).expect("a rook less");
    let set = Bitbase::new(&after).expect("memory");
    let captures = Captures::new(&domain, rook, &set, false, Backend::detect())
        .expect("the pieces that are left");
    let mut gathered = Accumulator::new(&domain, Backend::detect());
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

#[test]
#[ignore = "minutes, 17 together with the next two in one thread: every slice of three and four pieces: \
            cargo test --release --test library -- --ignored bitbase::"]
fn every_slice_of_three_and_four_pieces() {
    for (kind, letters) in [materials(0), materials(1), materials(2)]
        .concat()
        .iter()
        .enumerate()
    {
        let domain = Domain::of_men(&men(letters), &[]).expect("a domain");
        let slices: Vec<usize> = (0..domain.slices()).collect();
        parallel::for_each(&slices, |_, &slice| {
            let zeros = 2 + (slice + kind) as u32 % 4;
            laws(&domain, slice, Extent::Whole { zeros }, slice as u64);
        });
    }
}

#[test]
#[ignore = "minutes: every slice with a pawn on one square or another: \
            cargo test --release --test library -- --ignored bitbase::"]
fn every_slice_of_three_and_four_pieces_with_a_pawn() {
    for (kind, (letters, pawn)) in materials_with_pawns().iter().enumerate() {
        let slices: Vec<usize> = (0..3612).collect();
        parallel::for_each(&slices, |_, &slice| {
            let pawn = format!("{pawn}{}", pawn_square(slice * 5 + kind));
            let domain = Domain::of_men(&men(letters), &fixed(&pawn)).expect("a domain");
            laws(&domain, slice, Extent::Whole { zeros: 2 }, slice as u64);
        });
    }
}

#[test]
#[ignore = "minutes: hundreds of slices of five pieces and more: \
            cargo test --release --test library -- --ignored bitbase::"]
fn hundreds_of_slices_of_five_and_six_pieces() {
    let all = [&FIVE[..], &SIX[..], &OTHERS[..]].concat();
    for (k, (letters, pieces)) in all.iter().enumerate() {
        let all = domain(letters, pieces);
        for group in Group::ALL.into_iter().filter(|&group| group <= all.group()) {
            let domain = all.in_group(group).expect("a smaller group");
            let slices = some_slices(&domain, 20, k);
            parallel::for_each(&slices, |at, &slice| {
                // Whole slices of three men take seconds each.
                let extent = match letters.len() {
                    3 if at % 10 == 0 => Extent::Whole { zeros: 4 },
                    _ => Extent::Some(1000),
                };
                laws(&domain, slice, extent, (k * 100 + at) as u64);
            });
        }
    }
}
