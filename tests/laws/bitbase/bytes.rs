//! Any bytes as a domain and a slice.

use tbindex::bitbase::{Domain, Man, Walk};
use tbindex::{Color, Group, Leaper, Piece, PieceType, Square};

use super::{
    laws_of_captures, laws_of_conversion, laws_of_others_fixed, laws_of_slice, laws_of_slots,
    laws_of_squares,
};

/// All laws of a slice of a domain that any bytes describe: how many men and fixed pieces, under which group
/// or with free kings, what they are, and where.
pub fn laws_of_bytes(bytes: &[u8]) {
    let Some((&[counts, group, slice, high, seed], mut rest)) = bytes.split_first_chunk() else {
        return;
    };
    let mut take = |count: usize| -> Option<&[u8]> {
        let (taken, left) = rest.split_at_checked(count)?;
        rest = left;
        Some(taken)
    };
    let (men, fixed) = (usize::from(counts % 4), usize::from(counts / 4 % 4));
    let piece = |byte: u8| {
        let kind = PieceType::ALL[1 + usize::from(byte >> 1) % 5];
        Piece::new(Color::ALL[usize::from(byte & 1)], kind)
    };
    let mut walkers = Vec::new();
    for _ in 0..men {
        let Some(&[kind]) = take(1) else { return };
        let man = piece(kind);
        if kind >> 7 == 0 && man.kind != PieceType::Pawn {
            walkers.push(Man::from(man));
        } else {
            let Some(&[a, b, c]) = take(3) else { return };
            let leaper = Leaper::new(u32::from_le_bytes([a, b, c, 0]));
            walkers.push(Man {
                walk: Walk::Leaper(leaper),
                color: man.color,
            });
        }
    }
    let Some(there) = take(2 * fixed) else { return };
    let fixed: Vec<(Piece, Square)> = there
        .chunks_exact(2)
        .map(|pair| (piece(pair[0]), Square::new(pair[1] & 63)))
        .collect();
    // Some can't be: two on a square, pawns on the first rank.
    let Ok(domain) = Domain::of_men(&walkers, &fixed) else {
        return;
    };
    let group = Group::ALL[usize::from(group % 3)].min(domain.group());
    let mut domain = domain.in_group(group).expect("a smaller group");
    // Free kings and two men are a slice of 2 MiB, which takes long. Three men would be 128 MiB.
    let free_kings = match men {
        0 | 1 => counts >> 4 & 1 == 1,
        2 => counts >> 4 == 15,
        _ => false,
    };
    if free_kings {
        domain = domain.with_free_kings();
    }
    let kings = domain.men().len() - men;
    let number = (usize::from(high) << 8 | usize::from(slice)) % domain.slices();
    let (count, seed) = (20, u64::from(seed));
    laws_of_slots(&domain, 10, seed);
    laws_of_slice(&domain, number, count, seed);
    laws_of_captures(&domain, number, count, seed);
    let mut order = domain.men().to_vec();
    order[kings..].rotate_right(usize::from(men > 1));
    let other = Domain::of_men(&order[kings..], domain.fixed()).expect("the same men");
    let mut other = other.in_group(group).expect("the same group");
    if free_kings {
        other = other.with_free_kings();
    }
    if men < 3 {
        if counts >> 5 & 1 == 1 {
            other = other.with_free_kings();
        }
        laws_of_conversion(&domain, &other, false, 20, seed);
        laws_of_conversion(&other, &domain, false, 20, seed);
        laws_of_squares(&domain, number, seed);
    }
    laws_of_others_fixed(&domain, &fixed[..fixed.len() / 2]);
}
