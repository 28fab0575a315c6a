//! The places of numberings, by worked examples of the format and as bijections.

use std::ops::Range;

use syzygy_tables::numbering::{Numbering, NumberingError, square_of};
use syzygy_tables::{ColoredPiece, Material};

use crate::thorough::one_in;

fn mask(squares: &[u8]) -> u64 {
    squares.iter().fold(0, |mask, square| mask | 1 << square)
}

fn numbering(codes: &[u8], order: u8, order2: u8, file: Option<u8>) -> Numbering {
    let pieces: Vec<_> = codes
        .iter()
        .map(|&code| ColoredPiece::from_code(code).unwrap())
        .collect();
    Numbering::try_new(&pieces, order, order2, file).unwrap()
}

/// All numberings of a material: every order of pieces that can be, and every place of the leading groups.
fn all_numberings(name: &str) -> Vec<Numbering> {
    let material: Material = name.parse().unwrap();
    let mut orders = vec![Vec::new()];
    for piece in material.pieces() {
        orders = orders
            .into_iter()
            .flat_map(|order: Vec<ColoredPiece>| {
                (0..=order.len()).map(move |at| {
                    let mut longer = order.clone();
                    longer.insert(at, piece);
                    longer
                })
            })
            .collect();
    }
    orders.sort();
    orders.dedup();
    let files = match material.has_pawns() {
        true => (0..4).map(Some).collect(),
        false => vec![None],
    };
    let mut all = Vec::new();
    for pieces in &orders {
        for &file in &files {
            for order in 0..7 {
                for order2 in 0..7 {
                    let numbering = Numbering::try_new(pieces, order, order2, file);
                    all.extend(
                        numbering
                            .ok()
                            .filter(|n| n.orders() == (order, order2) || order2 == 0),
                    );
                }
            }
        }
    }
    all
}

/// Every place decodes to different squares that encode to it again, and the positions in order are those of the
/// places. A few have two places, because all leading pieces are on the diagonal. Of large numberings some stretches are
/// looked at, or all if `TBINDEX_THOROUGH` is set.
fn check_bijection(numbering: &Numbering, step: u64) {
    const MOST: u64 = 100_000;
    let stretches = (0..numbering.len()).step_by(one_in(20) * MOST as usize);
    let last = numbering.len().saturating_sub(MOST);
    for start in stretches.chain([last]) {
        let end = numbering.len().min(start + MOST);
        check_stretch(numbering, start..end, step);
    }
}

fn check_stretch(numbering: &Numbering, places: Range<u64>, step: u64) {
    let mut positions = numbering.positions(places.start);
    let mut many = [0; 100];
    let mut bulk = numbering.positions(places.start);
    let packed_order: Vec<_> = numbering.pieces().collect();
    let mut slots: Vec<(ColoredPiece, usize)> = numbering.material().pieces().zip(0..).collect();
    for index in places.clone() {
        let packed = positions.next().unwrap();
        let at = ((index - places.start) % many.len() as u64) as usize;
        if at == 0 {
            bulk.fill(&mut many);
        }
        assert_eq!(
            many[at], packed,
            "{index} of {packed_order:?}, all at once and one by one"
        );
        if index % step != 0 {
            continue;
        }
        let squares = numbering.squares(index);
        let squares = &squares[..count_of(numbering)];
        assert_eq!(mask(squares).count_ones() as usize, squares.len());
        assert_eq!(
            numbering.index(squares),
            index,
            "{squares:?} in {packed_order:?}"
        );
        assert_eq!(mask(&packed.to_le_bytes()[..squares.len()]), mask(squares));
        // Byte for byte: each piece is on one of its own squares.
        slots.sort();
        for &(piece, slot) in &slots {
            let square = square_of(packed, slot);
            let found = packed_order
                .iter()
                .zip(squares)
                .any(|(&p, &s)| (p, s) == (piece, square));
            assert!(found, "piece {piece:?} on {square} at {index}");
        }
    }
    assert!(places.end < numbering.len() || positions.next().is_none());
}

fn count_of(numbering: &Numbering) -> usize {
    numbering.pieces().len()
}

#[test]
fn worked_examples_of_the_format() {
    let krk = numbering(&[14, 6, 4], 0, 15, None);
    assert_eq!(krk.index(&[18, 0, 1]), 30772);
    assert_eq!(krk.len(), 31332);
    let kpk = numbering(&[1, 6, 14], 2, 15, Some(3));
    // Ke6 Pe4, ke8
    assert_eq!(kpk.index(&[28, 44, 60]), 11445);
    assert_eq!(kpk.len(), 23436);
    let krrk = numbering(&[6, 14, 4, 4], 0, 15, None);
    assert_eq!(krrk.len(), 873_642);
    let kpkp = numbering(&[1, 9, 6, 14], 1, 3, Some(0));
    assert_eq!(kpkp.len(), 1_066_524);
    assert!(kpkp.groups_by_weight().eq([1, 3, 0, 2]));
    let five = numbering(&[6, 14, 4, 3, 12], 0, 15, None);
    assert_eq!(five.len(), 114_675_120);
}

#[test]
fn leading_pawns_have_the_sizes_of_the_format() {
    let sizes = [
        [6, 6, 6, 6],
        [252, 180, 108, 36],
        [5201, 2645, 953, 125],
        [70315, 25375, 5491, 295],
        [700_336, 178_696, 23176, 496],
    ];
    for (pawns, sizes) in (1..).zip(sizes) {
        for (file, size) in (0..).zip(sizes) {
            let pieces = [&[1; 5][..pawns], &[6, 14]].concat();
            let numbering = numbering(&pieces, 0, 15, Some(file));
            assert_eq!(numbering.leading_placements().count(), size);
        }
    }
}

#[test]
fn places_of_three_pieces_are_a_bijection() {
    for name in ["KQvK", "KPvK"] {
        for numbering in all_numberings(name) {
            check_bijection(&numbering, 1);
        }
    }
}

#[test]
fn places_of_four_pieces_are_a_bijection() {
    check_some(&[
        ("KRRvK", 5, 7),
        ("KQvKR", 51, 31),
        ("KPvKP", 78, 11),
        ("KPPvK", 54, 5),
        ("KRPvK", 138, 11),
    ]);
}

#[test]
fn places_of_five_pieces_are_a_bijection() {
    check_some(&[
        ("KBBvKN", 9601, 1009),
        ("KPPvKP", 4801, 1009),
        ("KPPPvK", 1499, 1009),
    ]);
}

/// Checks one in so many numberings of each material, in steps.
fn check_some(of: &[(&str, usize, u64)]) {
    for &(name, every, step) in of {
        let all = all_numberings(name);
        assert!(!all.is_empty());
        for numbering in all.iter().step_by(every) {
            check_bijection(numbering, step);
        }
    }
}

#[test]
fn mirror_images_have_one_place() {
    let krrk = numbering(&[14, 6, 4, 4], 1, 15, None);
    for index in (0..krrk.len()).step_by(97) {
        let squares = krrk.squares(index);
        let s = &squares[..4];
        for flip in [7, 56, 63] {
            let image: Vec<_> = s.iter().map(|s| s ^ flip).collect();
            assert_eq!(krrk.index(&image), index);
        }
        if s[..2].iter().any(|&s| s & 7 != s >> 3) {
            let image: Vec<_> = s.iter().map(|&s| (s & 7) << 3 | s >> 3).collect();
            assert_eq!(krrk.index(&image), index);
        }
    }
}

#[test]
fn orders_that_no_file_may_have_are_refused() {
    let pieces = |codes: &[u8]| -> Vec<_> {
        codes
            .iter()
            .map(|&code| ColoredPiece::from_code(code).unwrap())
            .collect()
    };
    let try_new = |codes: &[u8], order, order2, file| {
        Numbering::try_new(&pieces(codes), order, order2, file).map(|_| ())
    };
    assert_eq!(try_new(&[6, 14], 0, 15, None), Err(NumberingError::Pieces));
    assert_eq!(
        try_new(&[6, 14, 12], 0, 15, None),
        Err(NumberingError::Pieces)
    );
    assert_eq!(
        try_new(&[6, 14, 4], 0, 15, Some(0)),
        Err(NumberingError::File)
    );
    assert_eq!(try_new(&[1, 6, 14], 0, 15, None), Err(NumberingError::File));
    assert_eq!(
        try_new(&[6, 1, 14], 0, 15, Some(0)),
        Err(NumberingError::Order)
    );
    assert_eq!(
        try_new(&[6, 4, 14, 4], 0, 15, None),
        Err(NumberingError::Order)
    );
    assert_eq!(
        try_new(&[6, 14, 4], 1, 15, None),
        Err(NumberingError::Place)
    );
    assert_eq!(
        try_new(&[1, 9, 6, 14], 1, 1, Some(0)),
        Err(NumberingError::Place)
    );
    assert_eq!(
        try_new(&[1, 9, 6, 14], 1, 4, Some(0)),
        Err(NumberingError::Place)
    );
}
