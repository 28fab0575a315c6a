//! Like pieces, however many there are.
//!
//! Where two pieces are alike the canonical form is compared with its definition as a whole. For larger sets the
//! proof has parts, which README.md puts together.

use tbindex::batch::Backend;
use tbindex::{Equivalence, Group, Layout, LikePieces, Numbering, Symmetry, Word};

use super::ByCases;
use crate::Theorem;
use crate::case::{Case, Question};
use crate::definition::{codes, flipped, index_of};
use crate::symbols::{always, any_index};
use crate::term::{Term, bit, choose, constant, equal, join, less, not, part, variable};

pub(super) const THEOREMS: [ByCases; 2] = [
    ByCases {
        name: "like-order",
        statement: "If a piece has a greater code than a like piece with a smaller number, their exchange makes the index smaller, and the high digits of two codes in order are their high digits in order.",
        quick: true,
        cases: order,
    },
    ByCases {
        name: "like-fold",
        statement: "If no piece is like the leading one, then of the four images that mirrors make (and of the four that mirrors make before the exchange of file and rank) the one in which the leading piece is folded is the least and has no equal, for every way to sort like pieces that leaves the leading piece alone and high digits to high digits.",
        quick: true,
        cases: fold,
    },
];

pub(super) fn theorem_of_networks() -> Theorem {
    Theorem::new(
        "like-networks",
        "`sort_like` puts every sequence of two codes in order: for all sets of up to 21 pieces that begin with piece 0, and for every set of ten pieces, in batches on every backend, too.",
        "exhaustively",
        false,
        networks,
    )
}

/// The index whose pieces have the codes 0 and 1, by the bits of a number.
fn of_bits<W: Word>(layout: Layout<W>, bits: u32) -> W {
    let low = (0..layout.pieces() as u32).filter(|k| bits >> k & 1 == 1);
    low.fold(W::ZERO, |x, k| x | W::ONE << (3 * k))
}

/// The bits of a set's members in order: the ones on the smallest piece numbers.
fn in_order(set: u32, bits: u32) -> u32 {
    let mut ones = (bits & set).count_ones();
    let mut sorted = bits & !set;
    for k in (0..32).filter(|k| set >> k & 1 == 1) {
        if ones > 0 {
            sorted |= 1 << k;
            ones -= 1;
        }
    }
    sorted
}

fn networks() -> Result<String, String> {
    let mut count = 0u64;
    for pieces in 2..=21 {
        let layout = Layout::<u128>::new(pieces, Numbering::Natural);
        let set = (1 << pieces) - 1;
        let like = LikePieces::try_new(&[set], pieces).expect("a set of all pieces");
        let same = Equivalence::new(layout, Group::Trivial, like);
        for bits in 0..=set {
            let sorted = same.sort_like(of_bits(layout, bits));
            if sorted != of_bits(layout, in_order(set, bits)) {
                return Err(format!("{pieces} pieces, codes {bits:#b}"));
            }
            count += 1;
        }
    }
    let layout = Layout::<u64>::new(10, Numbering::Natural);
    for set in (0..1u32 << 10).filter(|set| set.count_ones() > 1) {
        let like = LikePieces::try_new(&[set], 10).expect("a set of pieces");
        let same = Equivalence::new(layout, Group::Trivial, like);
        let all = || (0..1u32 << 10).filter(|bits| bits & !set == 0);
        let indices: Vec<u64> = all().map(|bits| of_bits(layout, bits)).collect();
        let expected: Vec<u64> = all()
            .map(|bits| of_bits(layout, in_order(set, bits)))
            .collect();
        let scalar: Vec<u64> = indices.iter().map(|&x| same.sort_like(x)).collect();
        if scalar != expected {
            return Err(format!("the set {set:#b} of ten pieces"));
        }
        for backend in Backend::available() {
            let mut found = indices.clone();
            backend.canonical_in_place(&same, &mut found);
            if found != expected {
                return Err(format!("the set {set:#b} of ten pieces, {backend}"));
            }
        }
        count += indices.len() as u64;
    }
    Ok(format!("{count} sequences"))
}

fn order() -> Vec<Case> {
    let mut cases: Vec<Case> = (2..=21)
        .map(|pieces| {
            Case::new(format!("{pieces} pieces"), move || {
                let mut question = Question::default();
                let x = any_index(&mut question, pieces, 128);
                let own = codes(x, pieces);
                for greater in 1..pieces {
                    for lesser in 0..greater {
                        let mut exchanged = own.clone();
                        exchanged.swap(greater, lesser);
                        let exchanged = index_of(&exchanged, 128);
                        let inverted = less(own[lesser], own[greater]);
                        question.ask(inverted, less(exchanged, x), always());
                    }
                }
                question
            })
        })
        .collect();
    cases.push(Case::new("high digits".to_owned(), || {
        let mut question = Question::default();
        let (a, b) = (variable(6), variable(6));
        let (least, greatest) = sorted(a, b);
        let high = |code| part(code, 3, 3);
        let (least_high, greatest_high) = sorted(high(a), high(b));
        question.ask(always(), high(least), least_high);
        question.ask(always(), high(greatest), greatest_high);
        question
    }));
    cases
}

/// Two words in order.
fn sorted(a: Term, b: Term) -> (Term, Term) {
    (choose(less(b, a), b, a), choose(less(b, a), a, b))
}

/// Words about which nothing is known, and whose bits diagrams ask for in turns.
fn any_words(question: &mut Question, count: u32, width: u32) -> Vec<Term> {
    let words: Vec<Term> = (0..count).map(|_| variable(width)).collect();
    for bit in (0..width).rev() {
        question.order.extend(words.iter().map(|&word| (word, bit)));
    }
    words
}

fn fold() -> Vec<Case> {
    let mut cases = Vec::new();
    for pieces in 1..=21 {
        for numbering in Numbering::ALL {
            for exchange in [false, true] {
                let label = format!("{pieces} pieces, {numbering}, exchange {exchange}");
                cases.push(Case::new(label, move || {
                    ask_fold(pieces, numbering, exchange)
                }));
            }
        }
    }
    cases
}

fn ask_fold(pieces: usize, numbering: Numbering, exchange: bool) -> Question {
    let mut question = Question::default();
    let n = pieces as u32;
    let x = any_index(&mut question, pieces, 6 * n);
    let mirrors = [
        Symmetry::Identity,
        Symmetry::FlipHorizontal,
        Symmetry::FlipVertical,
        Symmetry::Rotate180,
    ];
    let images: Vec<Term> = mirrors
        .iter()
        .map(|&mirror| {
            let image = flipped(x, pieces, numbering, mirror);
            match exchange {
                true => flipped(image, pieces, numbering, Symmetry::FlipDiagonal),
                false => image,
            }
        })
        .collect();
    // Which images have the same high half, whose sorted form then is the same, whatever it is.
    let same_high = match (numbering, exchange) {
        (Numbering::Alternate, _) => [0, 0, 0, 0],
        (Numbering::Natural, false) => [0, 0, 2, 2],
        (Numbering::Natural, true) => [0, 1, 0, 1],
    };
    let high = |word| part(word, 3 * n, 3 * n);
    for (&image, of) in images.iter().zip(same_high) {
        question.ask(always(), high(image), high(images[of]));
    }
    let others = 3 * (n - 1);
    let sorted: Vec<Term> = if others == 0 {
        images.clone()
    } else {
        // The sorted high digits of the other pieces, and their low digits.
        let any = any_words(&mut question, 8, others);
        images
            .iter()
            .zip(same_high)
            .zip(&any[4..])
            .map(|((&image, high), &low)| {
                let lead = |at| part(image, at, 3);
                let high = join(lead(6 * n - 3), any[high]);
                join(high, join(lead(3 * n - 3), low))
            })
            .collect()
    };
    // The bits of the leading piece that decide about the mirrors.
    let (files, ranks) = match numbering {
        Numbering::Natural => (bit(x, 3 * n - 1), bit(x, 6 * n - 1)),
        Numbering::Alternate => (bit(x, 3 * n - 2), bit(x, 3 * n - 1)),
    };
    let lower = choose(files, sorted[1], sorted[0]);
    let upper = choose(files, sorted[3], sorted[2]);
    let folded = choose(ranks, upper, lower);
    for (code, &other) in (0..).zip(&sorted) {
        let is_folded = equal(join(ranks, files), constant(code, 2));
        question.ask(not(is_folded), less(folded, other), always());
    }
    // The file mirror alone: two images.
    if !exchange {
        let folded = choose(files, sorted[1], sorted[0]);
        question.ask(files, less(folded, sorted[0]), always());
        question.ask(not(files), less(folded, sorted[1]), always());
    }
    question
}
