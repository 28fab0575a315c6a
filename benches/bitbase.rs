//! Moves of one man over a whole set of positions of five pieces: `moves/MAN/PLACE/CONTENDER`.
//!
//! The man's squares are the bits of a word (`bits`), its words (`words`), or count slabs (`slabs`). The
//! yardstick is `memcpy` of the set, the rival a loop over the positions with tables of attacks. Both are timed in
//! the same run, and every result is compared with the rival's on a sample of slots first.

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tbindex::batch::Backend;
use tbindex::bitbase::{Bitbase, Domain, Man, Row, Slot, Way};
use tbindex::{Bitboard, Color, Leaper, Piece, PieceType, Square};

/// For each of some slots whether `man` reaches a position of the set from it, one after the other.
fn one_by_one(set: &Bitbase, man: usize, slots: impl Iterator<Item = Slot>) -> Vec<bool> {
    let domain = set.domain();
    let men = domain.men().len();
    let each = slots.map(|slot| {
        let squares: Vec<Square> = domain.squares(slot).collect();
        let mut occupied = Bitboard::EMPTY;
        for (k, &square) in squares.iter().enumerate() {
            if k != 2 + man {
                occupied = occupied.with(square);
            }
        }
        let shift = 6 * (men - 1 - man);
        let targets = domain.men()[man].attacks(squares[2 + man], occupied) - occupied;
        targets.into_iter().any(|to| {
            let offset = slot.offset & !(63 << shift) | u64::from(to.number()) << shift;
            set.contains(Slot { offset, ..slot })
        })
    });
    each.collect()
}

fn moves(c: &mut Criterion) {
    let piece = |kind| Man::from(Piece::new(Color::White, kind));
    let movers = [
        ("queen", piece(PieceType::Queen)),
        ("rook", piece(PieceType::Rook)),
        ("bishop", piece(PieceType::Bishop)),
        ("knight", piece(PieceType::Knight)),
        ("commoner", Man::leaper(Color::White, Leaper::KING)),
    ];
    let other = Man::from(Piece::new(Color::Black, PieceType::Rook));
    for (name, mover) in movers {
        for (place, place_name) in ["slabs", "words", "bits"].into_iter().enumerate() {
            let mut men = [other; 3];
            men[place] = mover;
            let domain = Domain::of_men(&men, &[]).expect("a domain");
            // A quarter of the legal positions, without a pattern.
            let mut set = Bitbase::legal(&domain, Color::Black, Backend::detect()).expect("memory");
            for (k, word) in set
                .rows_mut()
                .iter_mut()
                .flat_map(|row| &mut row.0)
                .enumerate()
            {
                *word &= (k as u64 + 1)
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    .rotate_left(29)
                    & (k as u64 + 7).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            }
            let mut group = c.benchmark_group(format!("moves/{name}/{place_name}"));
            group
                .throughput(Throughput::Bytes(domain.bytes()))
                .sample_size(10)
                .warm_up_time(Duration::from_millis(200))
                .measurement_time(Duration::from_secs(1));
            let mut copy = vec![Row::EMPTY; set.rows().len()];
            group.bench_function("memcpy", |b| b.iter(|| copy.copy_from_slice(set.rows())));
            let sample = |slice| {
                let offsets = (0..domain.slice_slots()).step_by(97);
                offsets.map(move |offset| Slot { slice, offset })
            };
            for backend in Backend::available() {
                let mut out = Bitbase::new(&domain).expect("memory");
                out.unite_man_moves(place, Way::Back, &set, backend);
                for slice in (0..domain.slices()).step_by(41) {
                    let expected = one_by_one(&set, place, sample(slice));
                    for (slot, expected) in sample(slice).zip(expected) {
                        let distinct: Bitboard = domain.squares(slot).collect();
                        let legal = distinct.len() == 5;
                        assert!(
                            !legal || out.contains(slot) == expected,
                            "{backend}, {slot:?}"
                        );
                    }
                }
                group.bench_function(backend.name(), |b| {
                    b.iter(|| out.unite_man_moves(place, Way::Back, &set, backend));
                });
            }
            group.throughput(Throughput::Elements(1 << 12));
            let slots = || {
                (0..1 << 12).map(|offset| Slot {
                    slice: 100,
                    offset: offset * 61,
                })
            };
            group.bench_function("one by one", |b| {
                b.iter(|| one_by_one(&set, place, slots()));
            });
            group.finish();
        }
    }
}

criterion_group!(benches, moves);
criterion_main!(benches);
