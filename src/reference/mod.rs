//! The operations on an [index](crate::Layout) by one table look-up for each piece and plain loops.
//!
//! This is the oracle that tests, benches and fuzz targets compare with, and the form in which most
//! generators have this code. It shares no mask, table or trick with the rest of the library: the
//! tables are read from the two published pictures of the board, the symmetries from their published
//! maps of file and rank, and a canonical form is computed by its definition.

use crate::board::{Group, Square, Symmetry};
use crate::index::{Numbering, Word};

/// The natural numbering as it is published, rank 8 on top.
const NATURAL_PICTURE: &str = "
    8| 70 71 72 73 74 75 76 77
    7| 60 61 62 63 64 65 66 67
    6| 50 51 52 53 54 55 56 57
    5| 40 41 42 43 44 45 46 47
    4| 30 31 32 33 34 35 36 37
    3| 20 21 22 23 24 25 26 27
    2| 10 11 12 13 14 15 16 17
    1| 00 01 02 03 04 05 06 07";

/// The alternate numbering as it is published, rank 8 on top.
const ALTERNATE_PICTURE: &str = "
    8| 64 04 14 24 26 16 06 66
    7| 05 65 34 44 46 36 67 07
    6| 15 35 74 54 56 76 37 17
    5| 25 45 55 75 77 57 47 27
    4| 21 41 51 71 73 53 43 23
    3| 11 31 70 50 52 72 33 13
    2| 01 61 30 40 42 32 63 03
    1| 60 00 10 20 22 12 02 62";

/// The picture of a numbering as a table: the code of each square, a1 first.
const fn codes_from_picture(picture: &str) -> [u8; 64] {
    let text = picture.as_bytes();
    let mut codes = [0; 64];
    // Rows come from the top, and in each the eight codes follow the bar.
    let mut rank = 8;
    let mut at = 0;
    while at < text.len() {
        if text[at] == b'|' {
            rank -= 1;
            let mut file = 0;
            while file < 8 {
                let digits = at + 2 + 3 * file;
                codes[8 * rank + file] = 8 * (text[digits] - b'0') + text[digits + 1] - b'0';
                file += 1;
            }
        }
        at += 1;
    }
    codes
}

const fn inverse(codes: &[u8; 64]) -> [u8; 64] {
    let mut squares = [0; 64];
    let mut square = 0;
    while square < 64 {
        squares[codes[square] as usize] = square as u8;
        square += 1;
    }
    squares
}

const CODES: [[u8; 64]; 2] = [
    codes_from_picture(NATURAL_PICTURE),
    codes_from_picture(ALTERNATE_PICTURE),
];

/// The code of each square, by numbering and the square's number.
#[doc(hidden)]
pub static CODE_OF_SQUARE: [[u8; 64]; 2] = CODES;

/// The number of the square with each code, by numbering and code.
#[doc(hidden)]
pub static SQUARE_OF_CODE: [[u8; 64]; 2] = [inverse(&CODES[0]), inverse(&CODES[1])];

/// The published map of a symmetry, (file, rank) to (file, rank).
const fn image(symmetry: Symmetry, file: u8, rank: u8) -> (u8, u8) {
    match symmetry {
        Symmetry::Identity => (file, rank),
        Symmetry::FlipHorizontal => (7 - file, rank),
        Symmetry::FlipVertical => (file, 7 - rank),
        Symmetry::Rotate180 => (7 - file, 7 - rank),
        Symmetry::FlipDiagonal => (rank, file),
        Symmetry::FlipAntiDiagonal => (7 - rank, 7 - file),
        Symmetry::Rotate90 => (rank, 7 - file),
        Symmetry::Rotate270 => (7 - rank, file),
    }
}

const fn image_codes(codes: &[u8; 64]) -> [[u8; 64]; 8] {
    let squares = inverse(codes);
    let mut table = [[0; 64]; 8];
    let mut k = 0;
    while k < 8 {
        let symmetry = Symmetry::ALL[k];
        let mut code = 0;
        while code < 64 {
            let square = squares[code];
            let (file, rank) = image(symmetry, square % 8, square / 8);
            table[symmetry as usize][code] = codes[(8 * rank + file) as usize];
            code += 1;
        }
        k += 1;
    }
    table
}

/// The code of each code's image, by numbering, symmetry (its code) and code.
#[doc(hidden)]
pub static IMAGE: [[[u8; 64]; 8]; 2] = [image_codes(&CODES[0]), image_codes(&CODES[1])];

/// The codes of an index's pieces, piece 0 first.
fn codes<W: Word>(pieces: usize, index: W) -> Vec<u8> {
    (0..pieces).map(|k| code(pieces, index, k)).collect()
}

#[inline]
fn code<W: Word>(pieces: usize, index: W, k: usize) -> u8 {
    let high = (index >> (3 * (pieces + k)) as u32).low_byte() & 7;
    let low = (index >> (3 * k) as u32).low_byte() & 7;
    8 * high + low
}

#[inline]
fn put<W: Word>(pieces: usize, index: &mut W, k: usize, code: u8) {
    *index |= W::from(code / 8) << (3 * (pieces + k)) as u32;
    *index |= W::from(code % 8) << (3 * k) as u32;
}

/// The index of these codes, piece 0 first.
fn from_codes<W: Word>(codes: &[u8]) -> W {
    let mut index = W::ZERO;
    for (k, &code) in codes.iter().enumerate() {
        put(codes.len(), &mut index, k, code);
    }
    index
}

/// The index of pieces on these squares, piece 0 first.
#[must_use]
pub fn encode<W: Word>(numbering: Numbering, squares: &[Square]) -> W {
    let table = &CODE_OF_SQUARE[numbering as usize];
    let codes: Vec<u8> = squares.iter().map(|s| table[s.index()]).collect();
    from_codes(&codes)
}

/// The squares of an index, piece 0 first.
#[must_use]
pub fn decode<W: Word>(pieces: usize, numbering: Numbering, index: W) -> Vec<Square> {
    let table = &SQUARE_OF_CODE[numbering as usize];
    codes(pieces, index)
        .into_iter()
        .map(|code| Square::new(table[usize::from(code)]))
        .collect()
}

/// The index with each piece's code replaced by its entry in the table.
#[inline]
fn look_up<W: Word>(pieces: usize, table: &[u8; 64], index: W) -> W {
    let mut image = W::ZERO;
    for k in 0..pieces {
        put(
            pieces,
            &mut image,
            k,
            table[usize::from(code(pieces, index, k))],
        );
    }
    image
}

/// The image of an index under a symmetry, a look-up for each piece.
#[must_use]
pub fn flip<W: Word>(pieces: usize, numbering: Numbering, symmetry: Symmetry, index: W) -> W {
    look_up(pieces, &IMAGE[numbering as usize][symmetry as usize], index)
}

/// All orders in which a list can be arranged.
fn permutations(list: &[u8]) -> Vec<Vec<u8>> {
    if list.len() < 2 {
        return vec![list.to_vec()];
    }
    let mut all = Vec::new();
    for (k, &first) in list.iter().enumerate() {
        let mut rest = list.to_vec();
        rest.remove(k);
        for mut tail in permutations(&rest) {
            tail.insert(0, first);
            all.push(tail);
        }
    }
    all
}

/// All equivalents of an index, repetitions included: its images under the group, each with every
/// like set in every order. `like` holds the sets as bit masks of piece numbers. The smallest of them is the canonical
/// index by its definition. The work grows with the factorials of the like sets' sizes; for large sets see
/// [`canonical_with_symmetry`].
#[must_use]
pub fn equivalents<W: Word>(
    pieces: usize,
    numbering: Numbering,
    group: Group,
    like: &[u32],
    index: W,
) -> Vec<W> {
    let mut all: Vec<Vec<u8>> = group
        .members()
        .iter()
        .map(|&symmetry| codes(pieces, flip(pieces, numbering, symmetry, index)))
        .collect();
    for &set in like {
        let members: Vec<usize> = (0..pieces).filter(|&k| set >> k & 1 == 1).collect();
        let mut arranged = Vec::new();
        for codes in &all {
            let own: Vec<u8> = members.iter().map(|&k| codes[k]).collect();
            for order in permutations(&own) {
                let mut codes = codes.clone();
                for (&k, code) in members.iter().zip(order) {
                    codes[k] = code;
                }
                arranged.push(codes);
            }
        }
        all = arranged;
    }
    all.iter().map(|codes| from_codes(codes)).collect()
}

/// The canonical index and the symmetry with the smallest code that leads there, by trying all images,
/// with the like pieces of each sorted.
#[must_use]
pub fn canonical_with_symmetry<W: Word>(
    pieces: usize,
    numbering: Numbering,
    group: Group,
    like: &[u32],
    index: W,
) -> (W, Symmetry) {
    let mut best = (sort_sets(pieces, like, index), Symmetry::Identity);
    for &symmetry in group.members() {
        let image = flip(pieces, numbering, symmetry, index);
        best = best.min((sort_sets(pieces, like, image), symmetry));
    }
    best
}

#[inline]
fn sort_sets<W: Word>(pieces: usize, like: &[u32], index: W) -> W {
    like.iter()
        .filter(|set| set.count_ones() > 1)
        .fold(index, |sorted, &set| sort_set(pieces, set, sorted))
}

/// The pieces of a set in the smallest order: the least code on the greatest piece number.
fn sort_set<W: Word>(pieces: usize, set: u32, index: W) -> W {
    let mut own = [0; 32];
    let mut count = 0;
    for k in (0..pieces).filter(|&k| set >> k & 1 == 1) {
        own[count] = code(pieces, index, k);
        count += 1;
    }
    own[..count].sort_unstable_by(|a, b| b.cmp(a));
    let mut sorted = W::ZERO;
    let mut next = own.iter();
    for k in 0..pieces {
        let code = match set >> k & 1 {
            1 => *next.next().unwrap_or(&0),
            _ => code(pieces, index, k),
        };
        put(pieces, &mut sorted, k, code);
    }
    sorted
}
