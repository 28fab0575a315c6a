//! The kernels of batches, as they are chosen and as loops call them, on the symbolic counterparts of all three
//! backends.

use tbindex::proofs::{
    FullWords, Map, Packs, canonical_with_symmetry_on, decode_columns_on, decode_rows_on,
    encode_columns_on, encode_rows_on, map_on, orbit_size_on,
};
use tbindex::{Equivalence, Group, Layout, LikePieces, Numbering, Symmetry, Word};

use super::scalar::ask_orbit;
use super::{ByCases, GROUPS, for_word, of_groups, with_like, with_pairs};
use crate::case::{Case, Question};
use crate::definition::{self, Same, look_up};
use crate::lanes::{Symbols, byte_of, forget_memory, term_of, term_of_byte, word_of};
use crate::symbols::{always, any_index, mapped_words, scalar};
use crate::term::{Term, constant, less, or, part, variable, widen};

/// Cases of a generic function for each backend, word, number of pieces and numbering. Symbols of the portable backend are
/// those of AVX2, too, but for rows.
macro_rules! cases {
    ($function:ident) => {{
        let mut cases = Vec::new();
        for_word(&mut cases, "portable and avx2, ", $function::<u32, 0>);
        for_word(&mut cases, "avx512, ", $function::<u32, 2>);
        for_word(&mut cases, "portable and avx2, ", $function::<u64, 0>);
        for_word(&mut cases, "avx512, ", $function::<u64, 2>);
        cases
    }};
}

/// Cases of rows, which AVX2 has methods of its own for.
fn cases_of_rows() -> Vec<Case> {
    let mut cases = cases!(rows);
    for_word(&mut cases, "avx2, ", rows::<u32, 1>);
    for_word(&mut cases, "avx2, ", rows::<u64, 1>);
    cases
}

pub(super) const THEOREMS: [ByCases; 10] = [
    ByCases {
        name: "flip-batch",
        statement: "`flip_in_place` moves every piece as the symmetry does, in both words, for every number of pieces, both numberings and all eight symmetries, on every backend.",
        quick: true,
        cases: || cases!(flips),
    },
    ByCases {
        name: "convert-batch",
        statement: "`convert_in_place` keeps every piece's square.",
        quick: true,
        cases: || cases!(conversions),
    },
    ByCases {
        name: "canonical-batch",
        statement: "`canonical_in_place` of distinct pieces writes the smallest of all images, under every group.",
        quick: true,
        cases: || cases!(canonical),
    },
    ByCases {
        name: "canonical-symmetry-batch",
        statement: "`canonical_with_symmetry_in_place` of distinct pieces writes the canonical index and the smallest code of a symmetry that leads there.",
        quick: true,
        cases: || cases!(with_symmetry),
    },
    ByCases {
        name: "orbit-size-batch",
        statement: "`orbit_size_into` writes the number of different images.",
        quick: true,
        cases: || cases!(sizes),
    },
    ByCases {
        name: "like-pairs-batch",
        statement: "The canonical form, with its symmetry and without, of indices with two like pieces, whichever they are, is the smallest of all images with the two in both orders, under every group.",
        quick: false,
        cases: pairs,
    },
    ByCases {
        name: "like-sets-batch",
        statement: "This holds for three like pieces, all or behind a fourth, and for two pairs.",
        quick: false,
        cases: sets,
    },
    ByCases {
        name: "orbit-rank-batch",
        statement: "The theorem of `orbit-rank-scalar` holds for slices, under D4 and of alternate indices.",
        quick: true,
        cases: || cases!(orbit),
    },
    ByCases {
        name: "columns",
        statement: "`encode_columns` and `decode_columns` put every piece on its square, and `encode_columns` sees every bit of every byte.",
        quick: true,
        cases: || cases!(columns),
    },
    ByCases {
        name: "rows",
        statement: "`encode_rows`, but for nine pieces, and `decode_rows` put every piece on its square, wherever vectors do it.",
        quick: true,
        cases: cases_of_rows,
    },
];

/// Two indices of a layout.
fn two_indices<W: Word>(question: &mut Question, layout: &Layout<W>) -> [Term; 2] {
    let mut index = || any_index(question, layout.pieces(), W::BITS);
    [index(), index()]
}

/// The images of two words under a map, on symbolic instructions, as the batch layer makes them on those of a backend.
fn mapped<W: Packs, const KIND: u8>(words: [Term; 2], map: &Map<'_, W>) -> Vec<(usize, Term)> {
    mapped_words::<W>(words, |words| match map.has_few_pieces() {
        true => map_on::<_, W, W::UpToFive>(Symbols::<KIND>, map, None, words, false),
        false => map_on::<_, W, FullWords>(Symbols::<KIND>, map, None, words, false),
    })
}

fn flips<W: Packs, const KIND: u8>(layout: Layout<W>) -> Question {
    let mut question = Question::default();
    let words = two_indices(&mut question, &layout);
    let (n, numbering) = (layout.pieces(), layout.numbering());
    for symmetry in Symmetry::ALL {
        for (k, found) in mapped::<W, KIND>(words, &Map::Flip(&layout, symmetry)) {
            let expected = definition::flipped(words[k], n, numbering, symmetry);
            question.ask(always(), found, expected);
        }
    }
    question
}

fn conversions<W: Packs, const KIND: u8>(layout: Layout<W>) -> Question {
    let mut question = Question::default();
    let words = two_indices(&mut question, &layout);
    let table = definition::conversion(layout.numbering());
    let other = match layout.numbering() {
        Numbering::Natural => Numbering::Alternate,
        Numbering::Alternate => Numbering::Natural,
    };
    for (k, found) in mapped::<W, KIND>(words, &Map::Convert(&layout, other)) {
        let expected = definition::mapped(words[k], layout.pieces(), &table);
        question.ask(always(), found, expected);
    }
    question
}

fn canonical<W: Packs, const KIND: u8>(layout: Layout<W>) -> Question {
    let mut question = Question::default();
    let words = two_indices(&mut question, &layout);
    for (group, _) in GROUPS {
        let same = Equivalence::new(layout, group, LikePieces::default());
        ask_canonical::<W, KIND>(&mut question, &same, words, &[]);
    }
    question
}

fn ask_canonical<W: Packs, const KIND: u8>(
    question: &mut Question,
    same: &Equivalence<W>,
    words: [Term; 2],
    like: &[u32],
) {
    for (k, found) in mapped::<W, KIND>(words, &Map::Canonical(same)) {
        let expected = Same::of(same, like).canonical(words[k]);
        question.ask(always(), found, expected);
    }
}

/// Asks for the canonical index of one word and its symmetry.
fn ask_with_symmetry<W: Packs, const KIND: u8>(
    question: &mut Question,
    same: &Equivalence<W>,
    x: Term,
    like: &[u32],
) {
    let found = scalar(&[], || {
        forget_memory(false);
        let (mut words, mut symmetries) = ([word_of(x)], [0]);
        canonical_with_symmetry_on(Symbols::<KIND>, same, &mut words, &mut symmetries);
        vec![term_of(words[0]), term_of_byte(symmetries[0])]
    });
    let canonical = Same::of(same, like).canonical(x);
    question.ask(always(), found[0], canonical);
    question.ask(
        always(),
        found[1],
        Same::of(same, like).canonical_symmetry(x),
    );
}

fn with_symmetry<W: Packs, const KIND: u8>(layout: Layout<W>) -> Question {
    of_groups(layout, |question, same, x| {
        ask_with_symmetry::<W, KIND>(question, same, x, &[]);
    })
}

fn sizes<W: Packs, const KIND: u8>(layout: Layout<W>) -> Question {
    let mut question = Question::default();
    let x = any_index(&mut question, layout.pieces(), W::BITS);
    let same = Equivalence::new(layout, Group::D4, LikePieces::default());
    let found = scalar(&[], || {
        forget_memory(false);
        let (mut words, mut sizes) = ([word_of(x)], [0]);
        orbit_size_on(Symbols::<KIND>, &layout, &mut words, &mut sizes);
        vec![term_of_byte(sizes[0])]
    });
    question.ask(always(), found[0], Same::of(&same, &[]).orbit_size(x));
    question
}

fn ask_with_like<W: Packs, const KIND: u8>(
    question: &mut Question,
    same: &Equivalence<W>,
    x: Term,
    like: &[u32],
) {
    ask_canonical::<W, KIND>(question, same, [x, x], like);
    ask_with_symmetry::<W, KIND>(question, same, x, like);
}

// The kernels with like pieces are the same on all backends but for how natural halves are exchanged,
// which is the trait's own formula on symbols.
fn pairs() -> Vec<Case> {
    let mut cases = Vec::new();
    with_pairs(&mut cases, "avx512, ", &GROUPS, ask_with_like::<u32, 2>);
    with_pairs(&mut cases, "portable, ", &GROUPS, ask_with_like::<u64, 0>);
    cases
}

fn sets() -> Vec<Case> {
    let mut cases = Vec::new();
    let sets: [(usize, &[u32]); 3] = [(3, &[0b111]), (4, &[0b0111]), (4, &[0b0011, 0b1100])];
    for sets in sets {
        let ask = ask_with_like::<u32, 0>;
        with_like(&mut cases, "portable, ", sets, &GROUPS, ask);
    }
    cases
}

fn orbit<W: Packs, const KIND: u8>(layout: Layout<W>) -> Question {
    let mut question = Question::default();
    if layout.numbering() == Numbering::Natural {
        // Batches convert such indices, and then rank them as alternate ones.
        return question;
    }
    let [x, other] = two_indices(&mut question, &layout);
    // The images of both words, which are the same wherever the words lie.
    let map = |question: &mut Question, x, map| {
        let mut images = mapped::<W, KIND>([x, other], &map);
        let exchanged = mapped::<W, KIND>([other, x], &map).into_iter();
        images.extend(exchanged.map(|(k, image)| (1 - k, image)));
        let first = |word| {
            images
                .iter()
                .find(|image| image.0 == word)
                .expect("an image")
                .1
        };
        for &(k, image) in &images {
            question.ask(always(), image, first(k));
        }
        first(0)
    };
    let rank = |question: &mut Question, x| map(question, x, Map::RankOrbit(&layout));
    let unrank = |question: &mut Question, slot| map(question, slot, Map::UnrankOrbit(&layout));
    ask_orbit(&mut question, layout, Group::D4, x, rank, unrank);
    question
}

/// Any bytes that are squares, and the index that they have.
fn any_squares(
    question: &mut Question,
    pieces: usize,
    numbering: Numbering,
    width: u32,
) -> (Vec<Term>, Term) {
    let natural = any_index(question, pieces, width);
    let squares = definition::codes(natural, pieces);
    let codes: Vec<Term> = squares
        .iter()
        .map(|&square| look_up(square, &definition::code_of_square(numbering), 6))
        .collect();
    let squares = squares.into_iter().map(|square| widen(square, 8)).collect();
    (squares, definition::index_of(&codes, width))
}

/// The bytes of an index's squares.
fn squares_of(index: Term, pieces: usize, numbering: Numbering) -> Vec<Term> {
    definition::codes(index, pieces)
        .into_iter()
        .map(|code| look_up(code, &definition::square_of_code(numbering), 8))
        .collect()
}

fn columns<W: Packs, const KIND: u8>(layout: Layout<W>) -> Question {
    let mut question = Question::default();
    let (n, numbering) = (layout.pieces(), layout.numbering());
    // Bytes that may be no squares.
    let bytes: Vec<Term> = (0..n).map(|_| variable(8)).collect();
    let found = scalar(&[], || {
        forget_memory(false);
        let columns: Vec<[u8; 1]> = bytes.iter().map(|&byte| [byte_of(byte)]).collect();
        let columns: Vec<&[u8]> = columns.iter().map(|column| &column[..]).collect();
        let mut to = [W::ZERO];
        let any = encode_columns_on(Symbols::<KIND>, &layout, &columns, &mut to);
        vec![term_of(to[0]), term_of_byte(any)]
    });
    let codes: Vec<Term> = bytes
        .iter()
        .map(|&byte| look_up(part(byte, 0, 6), &definition::code_of_square(numbering), 6))
        .collect();
    let any = bytes.into_iter().reduce(or).expect("there is a piece");
    let are_squares = less(any, constant(64, 8));
    question.ask(are_squares, found[0], definition::index_of(&codes, W::BITS));
    question.ask(always(), found[1], any);

    let x = any_index(&mut question, n, W::BITS);
    let found = scalar(&[], || {
        forget_memory(false);
        let mut columns = vec![[0u8]; n];
        let mut slices: Vec<&mut [u8]> = columns.iter_mut().map(|c| &mut c[..]).collect();
        decode_columns_on(Symbols::<KIND>, &layout, &[word_of(x)], &mut slices);
        columns
            .iter()
            .map(|column| term_of_byte(column[0]))
            .collect()
    });
    for (found, expected) in found.into_iter().zip(squares_of(x, n, numbering)) {
        question.ask(always(), found, expected);
    }
    question
}

/// Whether a backend looks rows of these layouts up piece by piece, which involves no vectors.
fn looks_up<W: Word>(kind: u8, layout: &Layout<W>) -> bool {
    kind == 0 && layout.numbering() == Numbering::Alternate
}

fn rows<W: Packs, const KIND: u8>(layout: Layout<W>) -> Question {
    let mut question = Question::default();
    let (n, numbering) = (layout.pieces(), layout.numbering());
    if looks_up(KIND, &layout) {
        return question;
    }
    // Rows that fill vectors of any kind, and some after these, which are looked at as symbols no more.
    const DONE: usize = 4;
    const ALL: usize = DONE + 16;
    let rows: Vec<(Vec<Term>, Term)> = (0..2)
        .map(|_| any_squares(&mut question, n, numbering, W::BITS))
        .collect();
    // Rows of nine are loaded as words in memory, which have no symbols.
    if n != 9 {
        let found = scalar(&[], || {
            forget_memory(false);
            let bytes: Vec<u8> = (0..ALL)
                .flat_map(|k| rows[k % 2].0.iter().map(|&byte| byte_of(byte)))
                .collect();
            let mut to = [W::ZERO; ALL];
            encode_rows_on(Symbols::<KIND>, &layout, &bytes, &mut to);
            to[..DONE].iter().map(|&word| term_of(word)).collect()
        });
        for (k, found) in found.into_iter().enumerate() {
            question.ask(always(), found, rows[k % 2].1);
        }
    }

    let words = two_indices(&mut question, &layout);
    let found = scalar(&[], || {
        forget_memory(false);
        let from: Vec<W> = (0..ALL).map(|k| word_of(words[k % 2])).collect();
        let mut bytes = vec![0; ALL * n];
        decode_rows_on(Symbols::<KIND>, &layout, &from, &mut bytes);
        bytes[..DONE * n]
            .iter()
            .map(|&byte| term_of_byte(byte))
            .collect()
    });
    for (k, found) in found.into_iter().enumerate() {
        let squares = squares_of(words[k / n % 2], n, numbering);
        question.ask(always(), found, squares[k % n]);
    }
    question
}
