//! Tables of the numbering, computed by the compiler, and two lists of placements that are made at first use.

use std::sync::LazyLock;

/// Placements of three unlike pieces up to symmetry.
pub(crate) const THREE: u32 = 31332;
/// Placements of two kings apart up to symmetry.
pub(crate) const KINGS: u32 = 462;

/// The number of ways to choose k of n, for n below 64 and k up to 6.
pub(crate) const fn binomial(n: u32, k: usize) -> u32 {
    BINOMIAL[k][n as usize]
}

const BINOMIAL: [[u32; 64]; 7] = {
    let mut table = [[0u32; 64]; 7];
    let mut n = 0;
    while n < 64 {
        table[0][n] = 1;
        let mut k = 1;
        while k < 7 && n > 0 {
            table[k][n] = table[k - 1][n - 1] + table[k][n - 1];
            k += 1;
        }
        n += 1;
    }
    table
};

pub(crate) const fn file(square: u8) -> u8 {
    square & 7
}

pub(crate) const fn rank(square: u8) -> u8 {
    square >> 3
}

/// The triangle a1–d1–d4 in the order of the numbering: the six squares below the diagonal, then the four on it.
pub(crate) const TRIANGLE_SQUARES: [u8; 10] = [1, 2, 3, 10, 11, 19, 0, 9, 18, 27];

/// The number of each square of the triangle.
pub(crate) const TRIANGLE: [u8; 64] = {
    let mut table = [0; 64];
    let mut i = 0;
    while i < 10 {
        table[TRIANGLE_SQUARES[i] as usize] = i as u8;
        i += 1;
    }
    table
};

/// The number of each square below the diagonal among those 28.
const BELOW: [u8; 64] = {
    let mut table = [0; 64];
    let (mut square, mut number) = (0, 0);
    while square < 64 {
        if rank(square) < file(square) {
            table[square as usize] = number;
            number += 1;
        }
        square += 1;
    }
    table
};

const fn distance(a: u8, b: u8) -> u8 {
    let files = file(a).abs_diff(file(b));
    let ranks = rank(a).abs_diff(rank(b));
    if files > ranks { files } else { ranks }
}

const NO_KINGS: u16 = u16::MAX;

/// The number of each placement of two kings, the first one in the triangle.
const KING_PAIRS: [[u16; 64]; 10] = {
    let mut table = [[NO_KINGS; 64]; 10];
    let mut number = 0;
    // Both kings on the diagonal come last.
    let mut diagonal = 0;
    while diagonal < 2 {
        let mut i = 0;
        while i < 10 {
            let a = TRIANGLE_SQUARES[i];
            let mut b = 0;
            while b < 64 {
                let first_on = i >= 6;
                let above = first_on && rank(b) > file(b);
                let both_on = first_on && rank(b) == file(b);
                if distance(a, b) > 1 && !above && both_on == (diagonal == 1) {
                    table[i][b as usize] = number;
                    number += 1;
                }
                b += 1;
            }
            i += 1;
        }
        diagonal += 1;
    }
    assert!(number as u32 == KINGS);
    table
};

/// The number of three squares that are folded: the first lies in the triangle, and the first one off the
/// diagonal lies below it.
#[inline]
pub(crate) fn number_of_three([a, b, c]: [u8; 3]) -> u32 {
    let row = usize::from(TRIANGLE[a as usize]) << 12;
    u32::from(THREE_NUMBERS[row | usize::from(b) << 6 | usize::from(c)])
}

/// The numbers by the first square's place in the triangle and the other two squares.
static THREE_NUMBERS: LazyLock<Vec<u16>> = LazyLock::new(|| {
    let squares = |a| (0..64).flat_map(move |b| (0..64).map(move |c| [a, b, c]));
    let all = TRIANGLE_SQUARES.into_iter().flat_map(squares);
    all.map(|three| three_by_cases(three) as u16).collect()
});

fn three_by_cases([a, b, c]: [u8; 3]) -> u32 {
    let x = u32::from(b > a);
    let y = u32::from(c > a) + u32::from(c > b);
    let row = |square: u8| u32::from(rank(square));
    let (b_wide, c_wide) = (u32::from(b), u32::from(c));
    if file(a) != rank(a) {
        ((u32::from(TRIANGLE[a as usize]) * 63 + b_wide - x) * 62 + c_wide).wrapping_sub(y)
    } else if file(b) != rank(b) {
        23436 + (row(a) * 28 + u32::from(BELOW[b as usize])) * 62 + c_wide - y
    } else if file(c) != rank(c) {
        30380 + (row(a) * 7 + row(b) - x) * 28 + u32::from(BELOW[c as usize])
    } else {
        31164 + (row(a) * 7 + row(b) - x) * 6 + row(c) - y
    }
}

/// The number of two kings on folded squares. They must be apart.
pub(crate) fn number_of_kings([a, b]: [u8; 2]) -> u32 {
    u32::from(KING_PAIRS[TRIANGLE[a as usize] as usize][b as usize])
}

/// The squares of each number of three pieces.
pub(crate) static THREES: LazyLock<Vec<[u8; 3]>> = LazyLock::new(|| {
    let mut list = vec![[0; 3]; THREE as usize];
    for a in TRIANGLE_SQUARES {
        for b in (0..64).filter(|&b| b != a) {
            for c in (0..64).filter(|&c| c != a && c != b) {
                let off = [a, b, c].into_iter().find(|&s| file(s) != rank(s));
                if off.is_none_or(|s| rank(s) < file(s)) {
                    list[number_of_three([a, b, c]) as usize] = [a, b, c];
                }
            }
        }
    }
    list
});

/// The squares of each number of two kings.
pub(crate) static KING_SQUARES: LazyLock<Vec<[u8; 2]>> = LazyLock::new(|| {
    let mut list = vec![[0; 2]; KINGS as usize];
    for (i, row) in KING_PAIRS.iter().enumerate() {
        for (b, &number) in row.iter().enumerate() {
            if number != NO_KINGS {
                list[usize::from(number)] = [TRIANGLE_SQUARES[i], b as u8];
            }
        }
    }
    list
});

/// The number of a pawn's square, counted down from 47 on a2: by files from the edge, up the board, and of a mirror
/// pair the left one first.
pub(crate) const fn pawn_number(square: u8) -> u8 {
    let right = file(square) > 3;
    let folded = if right {
        7 - file(square)
    } else {
        file(square)
    };
    47 - (folded * 12 + (rank(square) - 1) * 2 + right as u8)
}

/// The square of a pawn's number.
pub(crate) const fn pawn_square(number: u8) -> u8 {
    let n = 47 - number;
    let folded = n / 12;
    let rank = n % 12 / 2 + 1;
    let file = if n & 1 == 1 { 7 - folded } else { folded };
    rank << 3 | file
}

/// The number of placements of some leading pawns, the leading one on a rank below `rank` (1 to 6, from the second)
/// of a file.
#[inline]
pub(crate) const fn leading_pawns_below(file: u8, rank: u8, pawns: usize) -> u32 {
    PAWNS_BELOW[pawns - 1][file as usize][rank as usize]
}

const PAWNS_BELOW: [[[u32; 8]; 4]; 5] = {
    let mut below = [[[0; 8]; 4]; 5];
    let mut pawns = 0;
    while pawns < 5 {
        let mut file = 0;
        while file < 4 {
            let mut rank = 1;
            while rank < 7 {
                let number = pawn_number((rank as u8) << 3 | file as u8) as u32;
                let here = binomial(number, pawns);
                below[pawns][file][rank + 1] = below[pawns][file][rank] + here;
                rank += 1;
            }
            file += 1;
        }
        pawns += 1;
    }
    below
};
