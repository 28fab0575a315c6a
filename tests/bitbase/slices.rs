//! Legality, checks, moves, confinement and captures, slice by slice.
//!
//! `prove` takes every position of every slice of up to four pieces for all of these but captures.

use std::collections::BTreeSet;
use std::panic::catch_unwind;

use tbindex::batch::Backend;
use tbindex::bitbase::{Accumulator, Bitbase, Captured, Capturer, Captures, Domain, Slice};
use tbindex::{Bitboard, Color, Group, Piece, PieceType, Symmetry, attacks};

use super::domains::{KINDS, domain, free};
use crate::laws::bitbase::{laws_of_captures, laws_of_slice};
use crate::support::parallel;
use crate::support::thorough::one_in;

/// The laws hold of so many slices of a domain, and of `count` positions of each; if `TBINDEX_THOROUGH` is set, of twenty
/// times as many slices, or of free kings of twenty times as many positions.
fn laws_hold(domain: &Domain, slices: usize, count: usize, seed: usize) {
    let more = 20 / one_in(20);
    let (slices, count) = match domain.king_pairs() {
        Some(_) => (some_slices(domain, slices * more, seed), count),
        None => (BTreeSet::from([0]), count * more),
    };
    for slice in slices {
        laws_of_slice(domain, slice, count, seed as u64);
        laws_of_captures(domain, slice, count, seed as u64);
    }
}

/// The men of all materials of two kings and so many free pieces, in every order of two.
fn materials(men: u32) -> impl Iterator<Item = String> {
    let letter = |number: usize| char::from(b"QRBNqrbn"[number % 8]);
    (0..8usize.pow(men)).map(move |number| (0..men).map(|k| letter(number >> (3 * k))).collect())
}

/// Slices of all kinds: spread over all, and for D4 one with twins or one that a king leaves by a quarter turn.
fn some_slices(domain: &Domain, count: usize, seed: usize) -> BTreeSet<usize> {
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
    let all: Vec<String> = (0..=2).flat_map(materials).collect();
    parallel::for_each(&all, |k, letters| {
        laws_hold(&domain(letters), 1, 100, k);
    });
}

#[test]
fn pawns_among_three_and_four_pieces() {
    let men: Vec<String> = (0..=1).flat_map(materials).collect();
    parallel::for_each(&men, |k, letters| {
        for (at, pawn) in ["P", "p"].repeat(3).into_iter().enumerate() {
            let (file, rank) = ((at + 5 * k) % 8, 2 + (at + k) % 6);
            let text = format!("{letters} {pawn}{}{rank}", char::from(b'a' + file as u8));
            laws_hold(&domain(&text), 2, 100, k + at);
        }
    });
}

/// Domains with fixed pieces, symmetric or not, and leapers of all kinds, of up to four men in all.
const OTHERS: [&str; 24] = [
    "R Pe4 Pd4",
    "qN Pb3 Pg3",
    "Rb Rc4 Rf4",
    "Bq Na1 Nh1 pd7 pe7",
    "Nc3 Nf3 Nc6 Nf6",
    "r Bc3 Bf3 Bc6 Bf6",
    "Nr qc3 qf3 qc6 qf6",
    "Qr Pe4",
    "BR pe4 Qd1",
    "nq Ph2 Bh3 rh4",
    "E",
    "M",
    "O",
    "o Pe4",
    "EE",
    "eQ",
    "mR",
    "Rm Pe4 Pd4",
    "OO",
    "oB Pe4 re5",
    "Eo",
    "OeR",
    "rOm",
    "MEq",
];

#[test]
fn fixed_pieces_and_leapers() {
    parallel::for_each(&OTHERS, |k, text| {
        let all = domain(text);
        let count = if all.men().len() > 2 { 100 } else { 300 };
        let smaller = Group::ALL.map(|group| all.in_group(group));
        for smaller in smaller.into_iter().flatten() {
            laws_hold(&smaller, 1, count, k);
        }
    });
}

/// Domains of five pieces and more, of which one in nine is looked at, or all if `TBINDEX_THOROUGH` is set.
const LARGE: [&str; 20] = [
    "QRB",
    "qnR",
    "BbN",
    "NQr",
    "rBQ",
    "nNb",
    "QNr Pe4",
    "Brq Pc2 Pf2",
    "NnR pa7 ph7",
    "EqR",
    "Qme",
    "OoO",
    "QRBN",
    "nbrq",
    "RrBb",
    "NQnq",
    "BmeR",
    "QrN Pe4 pe5 Bf6",
    "bRq Rd2 Nc6 Nf6",
    "mRn pc5 pf5",
];

#[test]
fn random_slices_of_five_and_six_pieces() {
    let some: Vec<_> = LARGE.iter().step_by(one_in(9)).collect();
    parallel::for_each(&some, |k, text| {
        laws_hold(&domain(text), 1, 30, k);
    });
}

/// Free kings have one slice, which takes 128 MiB with three men.
#[test]
fn slices_of_free_kings() {
    let step = one_in(6);
    let huge = ["QrN Pe4", "bRO pd5"].iter().skip(2 * (step - 1));
    let large = KINDS[2].iter().step_by(step).chain(huge);
    let few = |men: usize, count| KINDS[men].iter().map(move |text| (text, count));
    let all = few(0, 200).chain(few(1, 60));
    let all = all.chain(large.map(|text| (text, 30)));
    parallel::for_each(&all.collect::<Vec<_>>(), |k, (text, count)| {
        laws_hold(&free(text), 1, *count, k);
    });
}

/// Of white's queen, black's rook and free kings, those of white can capture the rook, as men.
#[test]
fn who_is_not_there_or_of_the_same_side_captures_nothing() {
    let capture_the_rook = |by| {
        let domain = free("Qr");
        let rook = Captured::Man(3);
        let after = domain.after(rook).expect("a rook less");
        let set = Bitbase::try_new(&after).expect("memory");
        let captures = Captures::try_new(&domain, rook, &set, false, Backend::detect());
        let captures = captures.expect("the pieces that are left");
        let mut gathered = Accumulator::new(&domain, Backend::detect());
        gathered.captures_by(&Slice::new(&domain, 0), by, &captures);
    };
    [0, 2]
        .map(Capturer::Man)
        .into_iter()
        .for_each(capture_the_rook);
    for by in [Capturer::Man(1), Capturer::Man(4), Capturer::King] {
        assert!(catch_unwind(|| capture_the_rook(by)).is_err(), "{by:?}");
    }
}
