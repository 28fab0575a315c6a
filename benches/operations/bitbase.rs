//! Moves of one man over a whole set of positions of five pieces: `moves/MAN/PLACE/CODE`.
//!
//! The man's squares are the bits of a word (`bits`), its words (`words`), or count slabs (`slabs`). The
//! yardstick is `memcpy` of the set, the rival a loop over some positions with tables of attacks; every result is compared
//! with the rival's on a sample of slots.

use criterion::{Criterion, Throughput};
use tbindex::batch::Backend;
use tbindex::bitbase::{Accumulator, Bitbase, Direction, Domain, Man, Row, Slice, Slot, Walk};
use tbindex::{Bitboard, Color, Leaper, Piece, PieceType, Square};
use tbindex_bench::race::{contender, race};
use tbindex_bench::random::Random;

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

pub(crate) fn all(c: &mut Criterion) {
    let piece = |kind| Man::from(Piece::new(Color::White, kind));
    let commoner = Man {
        walk: Walk::Leaper(Leaper::KING),
        color: Color::White,
    };
    let movers = [
        ("queen", piece(PieceType::Queen)),
        ("rook", piece(PieceType::Rook)),
        ("bishop", piece(PieceType::Bishop)),
        ("knight", piece(PieceType::Knight)),
        ("commoner", commoner),
    ];
    let other = Man::from(Piece::new(Color::Black, PieceType::Rook));
    for (name, mover) in movers {
        for (place, place_name) in ["slabs", "words", "bits"].into_iter().enumerate() {
            let mut men = [other; 3];
            men[place] = mover;
            let domain = &Domain::of_men(&men, &[]).expect("a domain");
            // A quarter of the legal positions, without a pattern.
            let mut set = Bitbase::legal(domain, Color::Black, Backend::detect()).expect("memory");
            let words = set.rows_mut().iter_mut().flat_map(|row| &mut row.0);
            let mut random = Random::new(1);
            for word in words {
                let bits = random.bits(64);
                *word &= bits & bits.rotate_left(29);
            }
            let set = &set;
            let mut copy = vec![Row::EMPTY; set.rows().len()];
            let memcpy = contender("memcpy", move || copy.copy_from_slice(set.rows()));
            let mut contenders = vec![memcpy];
            let sample = |slice| {
                let offsets = (0..domain.slice_slots()).step_by(97);
                offsets.map(move |offset| Slot { slice, offset })
            };
            for backend in Backend::available() {
                let mut gathered = Accumulator::new(domain, backend);
                for slice in (0..domain.slices()).step_by(41) {
                    gathered.clear();
                    gathered.man_moves(&Slice::new(domain, slice), place, Direction::Backward, set);
                    let expected = one_by_one(set, place, sample(slice));
                    for (slot, expected) in sample(slice).zip(expected) {
                        let distinct: Bitboard = domain.squares(slot).collect();
                        let (word, bit) = (slot.offset as usize / 64, slot.offset % 64);
                        let found = gathered.rows()[word / 8].0[word % 8] >> bit & 1 == 1;
                        let is_right = distinct.len() < 5 || found == expected;
                        assert!(is_right, "{backend}, {slot:?}");
                    }
                }
                contenders.push(contender(backend.to_string(), move || {
                    for slice in 0..domain.slices() {
                        gathered.man_moves(
                            &Slice::new(domain, slice),
                            place,
                            Direction::Backward,
                            set,
                        );
                    }
                }));
            }
            let group = format!("moves/{name}/{place_name}");
            race(c, &group, Throughput::Bytes(domain.bytes()), contenders);
            let rival = contender("one by one", || {
                let slots = (0..1 << 12).map(|k| Slot {
                    slice: 100,
                    offset: k * 61,
                });
                one_by_one(set, place, slots);
            });
            race(c, &group, Throughput::Elements(1 << 12), [rival]);
        }
    }
}
