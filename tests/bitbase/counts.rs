//! How many positions there are.

use std::fs;

use serde_json::Value;
use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Domain, LikeMen};
use tbindex::{Color, Material, Piece, PieceType, Square};

use crate::domains::domain;
use crate::laws::{counts_are_those_of_the_board, representatives_are_one_of_each_class};
use crate::skipped::skipped;

/// The domains that all positions of a material fall into: one for each placement of its pawns, of those that
/// are mirror images of each other only one.
fn domains(material: Material) -> Vec<Domain> {
    let pawns: Vec<Piece> = (material.name_order())
        .filter(|piece| piece.kind == PieceType::Pawn)
        .collect();
    let mut placements: Vec<Vec<(Piece, Square)>> = vec![Vec::new()];
    for pawn in pawns {
        let with_pawn = placements.iter().flat_map(|before| {
            (8..56).map(Square::new).filter_map(move |square| {
                // Like pawns in the order of their squares.
                let fits = before.iter().all(|&(other, at)| {
                    at != square && (other != pawn || at.number() < square.number())
                });
                fits.then(|| [&before[..], &[(pawn, square)]].concat())
            })
        });
        placements = with_pawn.collect();
    }
    let mirrored = |placement: &[(Piece, Square)]| {
        let mirror = |square: Square| Square::new(square.number() ^ 7);
        let mut mirrored: Vec<(Piece, Square)> = (placement.iter())
            .map(|&(pawn, at)| (pawn, mirror(at)))
            .collect();
        mirrored.sort_by_key(|&(pawn, at)| (pawn.color as u8, at.number()));
        mirrored
    };
    for placement in &mut placements {
        placement.sort_by_key(|&(pawn, at)| (pawn.color as u8, at.number()));
    }
    let of_two = |placement: &[(Piece, Square)]| {
        let numbers = |placement: &[(Piece, Square)]| -> Vec<u8> {
            placement.iter().map(|(_, at)| at.number()).collect()
        };
        numbers(placement) <= numbers(&mirrored(placement))
    };
    let one_of_two = placements.iter().filter(|placement| of_two(placement));
    one_of_two
        .map(|placement| Domain::with_fixed(material, placement).expect("a domain"))
        .collect()
}

#[test]
fn legal_positions_are_as_many_as_is_known() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/counts.json");
    let Ok(text) = fs::read_to_string(path) else {
        skipped(
            "legal_positions_are_as_many_as_is_known",
            &format!("no {path}"),
        );
        return;
    };
    let known: Value = serde_json::from_str(&text).unwrap();
    let rows = known["counts"].as_object().unwrap();
    assert!(rows.len() >= 12);
    let backend = Backend::detect();
    for (name, row) in rows {
        let material: Material = name.parse().unwrap();
        let domains = domains(material);
        for (side, key) in [(Color::White, "legal_white"), (Color::Black, "legal_black")] {
            let count: u64 = (domains.iter())
                .map(|domain| {
                    let legal = Bitbase::legal(domain, side, backend).expect("memory");
                    legal.count_classes(LikeMen::Together)
                })
                .sum();
            assert_eq!(Some(count), row[key].as_u64(), "{name} {key}");
        }
    }
}

#[test]
fn sets_count_what_they_have() {
    for (k, (letters, pieces)) in [
        ("", ""),
        ("R", ""),
        ("Rr", ""),
        ("RR", ""),
        ("NNN", ""),
        ("RbR", ""),
        ("ME", ""),
        ("OO", ""),
        ("", "Pe4"),
        ("QQ", "Pe4 Pd4"),
        ("NN", "Nc3 Nf3 Nc6 Nf6"),
    ]
    .into_iter()
    .enumerate()
    {
        counts_are_those_of_the_board(&domain(letters, pieces), 400, k as u64);
    }
}

#[test]
fn one_slot_of_each_class_represents_it() {
    for (letters, pieces) in [
        ("", ""),
        ("R", ""),
        ("Rr", ""),
        ("RR", ""),
        ("OO", ""),
        ("NN", "Nc3 Nf3 Nc6 Nf6"),
        ("qq", "Pe4 Pd4"),
    ] {
        let domain = domain(letters, pieces);
        for slice in [0, domain.slices() - 1] {
            representatives_are_one_of_each_class(&domain, slice);
        }
    }
    // Like men that don't stand side by side.
    let domain = domain("RbR", "");
    representatives_are_one_of_each_class(&domain, domain.slices() - 1);
}
