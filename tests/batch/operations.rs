//! Every batch operation against the scalar function, which the tests of `index` hold against the reference. `prove` holds
//! both against the definition for all indices.
//!
//! The backends that ran are printed. `TBINDEX_REQUIRE_BACKENDS` names those that must have run,
//! separated by commas: on a machine that lacks one of them the tests fail.

use std::io::Write;

use tbindex::batch::{Backend, BatchWord, OutOfRange};
use tbindex::bitbase::{Accumulator, Bitbase, Direction, Domain, Slice};
use tbindex::{
    Color, Dense, Equivalence, Group, Layout, LikePieces, Moves, Numbering, Orbit, Square, Symmetry,
};

use crate::laws::batch::{
    canonical_equals_scalar, flip_equals_scalar, maps_equal_scalar, squares_equal_scalar,
};
use crate::support::equivalence::equivalence;
use crate::support::random::Random;

#[test]
fn the_backends_that_run_are_told() {
    let required = std::env::var("TBINDEX_REQUIRE_BACKENDS").unwrap_or_default();
    for name in required
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
    {
        if let Err(error) = name.parse::<Backend>() {
            panic!("TBINDEX_REQUIRE_BACKENDS asks for {name}: {error}");
        }
    }
    let backends: Vec<Backend> = Backend::available().collect();
    let names: Vec<String> = backends.iter().map(ToString::to_string).collect();
    // Not `eprintln!`, which is only shown of tests that fail.
    let neon = if cfg!(target_feature = "neon") {
        " with NEON"
    } else {
        ""
    };
    let (processor, names) = (std::env::consts::ARCH, names.join(", "));
    writeln!(
        std::io::stderr(),
        "backends run on {processor}{neon}: {names}"
    )
    .expect("stderr is open");
    assert_eq!(backends[0].to_string(), "portable");
    assert_eq!(backends.last(), Some(&Backend::detect()));
}

/// Every backend with every layout that a word has room for; under Miri, with those of 1, 5 and 9 pieces.
fn cases<W: BatchWord>() -> impl Iterator<Item = (Backend, Layout<W>)> {
    let pieces = (1..=W::MAX_PIECES).step_by(if cfg!(miri) { 4 } else { 1 });
    let layouts = pieces.flat_map(|n| Numbering::ALL.map(|to| Layout::new(n, to)));
    layouts.flat_map(|layout| Backend::available().map(move |backend| (backend, layout)))
}

/// Valid indices, every second one with many pieces on the diagonals and on shared squares,
/// where the ties are.
fn mixed_indices<W: BatchWord>(random: &mut Random, layout: &Layout<W>, count: usize) -> Vec<W> {
    let masks = layout.masks();
    (0..count)
        .map(|k| {
            let valid = masks.low | masks.high;
            let x = W::truncate(random.bits(64).into()) & valid;
            match (k % 2, random.bits(2)) {
                (0, _) => x,
                // Rank = file.
                (_, 0) => x & masks.low | (x & masks.low) << (3 * layout.pieces() as u32),
                // Rank = 7 − file.
                (_, 1) => x & masks.low | (!x & masks.low) << (3 * layout.pieces() as u32),
                // All bits of a digit alike, so that few squares are taken.
                (_, 2) => {
                    let ones = x & masks.ones | x & masks.ones << (3 * layout.pieces() as u32);
                    ones | ones << 1 | ones << 2
                }
                _ => x & W::truncate(random.bits(64).into()) & valid,
            }
        })
        .collect()
}

/// Every so many lengths and starts are tried: all, but under Miri, which is slow.
const STEP: usize = if cfg!(miri) { 11 } else { 1 };
/// A length that is long enough for every unrolled loop.
const LONG: usize = if cfg!(miri) { 100 } else { 1000 };

/// Every length up to two lines and one word, and those around one turn of a loop and two, which are up to four lines each.
fn lengths<W>() -> impl Iterator<Item = usize> {
    let line = 64 / size_of::<W>();
    let turn = 4 * line;
    let turns = [
        turn - 1,
        turn,
        turn + 1,
        turn + line + 1,
        2 * turn + line - 1,
    ];
    (0..=2 * line + 1).step_by(STEP).chain(turns)
}

fn maps_hold<W: BatchWord>() {
    let random = &mut Random::new(1);
    for (backend, layout) in cases::<W>() {
        let same = Equivalence::new(layout, Group::D4, LikePieces::default());
        for length in lengths::<W>() {
            let indices = mixed_indices(random, &layout, length);
            for start in (0..64 / size_of::<W>()).step_by(STEP) {
                maps_equal_scalar(backend, &same, start, &indices);
            }
        }
        maps_equal_scalar(backend, &same, 3, &mixed_indices(random, &layout, LONG));
    }
}

#[test]
fn maps_equal_scalar_for_every_length_start_and_piece_count() {
    maps_hold::<u32>();
    maps_hold::<u64>();
}

/// The bytes of the pages that go past the caches together: no fewer go there.
const GROUP_BYTES: usize = 32 << 10;

/// Past the caches: as few words as go there and a little more, from every start, by a flip; and every kernel with one
/// group of pages or two and some lines behind them.
fn maps_hold_past_the_caches<W: BatchWord>() {
    tbindex::batch::pretend_that_caches_are_tiny();
    let (block, line) = (GROUP_BYTES / size_of::<W>(), 64 / size_of::<W>());
    let random = &mut Random::new(5);
    let is_wanted = |n| W::BITS == 32 || [1, 5, 6, 10].contains(&n);
    let some = cases::<W>().filter(|(_, layout)| is_wanted(layout.pieces()));
    for (backend, layout) in some {
        // Where the slice does not begin with a line, whole lines are one less.
        let indices = mixed_indices(random, &layout, block + 3 * line + 1);
        for start in 0..line {
            for left in 0..=3 * line + 1 {
                // Each start with each length for one of the symmetries.
                let symmetry = Symmetry::ALL[1 + (start + left) % 7];
                flip_equals_scalar(backend, &layout, symmetry, start, &indices[..block + left]);
            }
        }
        let indices = mixed_indices(random, &layout, 2 * block + 32 * line + 1);
        let same = Equivalence::new(layout, Group::D4, LikePieces::default());
        let mut ends = (0..32).step_by(4).cycle();
        let mut some = || {
            let end = ends.next().unwrap_or(0);
            &indices[..(1 + end / 4 % 2) * block + (1 + end) * line + 1]
        };
        for _ in 0..8 {
            maps_equal_scalar(backend, &same, 3, some());
        }
        for group in Group::ALL {
            for like in like_patterns(layout.pieces()) {
                let same = equivalence(layout, group, &like);
                canonical_equals_scalar(backend, &same, 5, some());
            }
        }
    }
}

#[test]
fn maps_equal_scalar_past_the_caches() {
    maps_hold_past_the_caches::<u32>();
    maps_hold_past_the_caches::<u64>();
}

/// Ways of being alike: none, all, the leading pieces, the last ones, two sets, one set with gaps.
fn like_patterns(n: usize) -> Vec<Vec<u32>> {
    let all = (1u32 << n) - 1;
    let mut patterns = vec![vec![], vec![all], vec![all >> 1], vec![all & !1]];
    patterns.push(vec![all & 0x155]);
    patterns.push(vec![all & 0x155, all & 0x2aa]);
    patterns.push(vec![all >> (n / 2), all & !(all >> (n / 2))]);
    patterns.push(vec![all & 0x33, all & 0x0c]);
    patterns.sort();
    patterns.dedup();
    patterns
}

fn canonical_holds<W: BatchWord>() {
    let random = &mut Random::new(2);
    for (backend, layout) in cases::<W>() {
        for group in Group::ALL {
            for like in like_patterns(layout.pieces())
                .into_iter()
                .step_by(STEP.div_ceil(3))
            {
                let same = equivalence(layout, group, &like);
                for length in lengths::<W>().chain([LONG]) {
                    let indices = mixed_indices(random, &layout, length);
                    let start = length * 5 % (64 / size_of::<W>());
                    canonical_equals_scalar(backend, &same, start, &indices);
                }
            }
            // Every start, where the pieces are distinct.
            let same = equivalence(layout, group, &[]);
            for start in (0..64 / size_of::<W>()).step_by(STEP) {
                let indices = mixed_indices(random, &layout, 40);
                canonical_equals_scalar(backend, &same, start, &indices);
            }
        }
    }
}

#[test]
fn canonical_forms_equal_scalar_for_every_length_group_and_like_pattern() {
    canonical_holds::<u32>();
    canonical_holds::<u64>();
}

fn squares_hold<W: BatchWord>() {
    let random = &mut Random::new(3);
    for (backend, layout) in cases::<W>() {
        for length in lengths::<W>().chain([LONG]) {
            squares_equal_scalar(backend, &layout, &mixed_indices(random, &layout, length));
        }
        // A byte that is not a square is reported where it is, wherever it is.
        let n = layout.pieces();
        let mut to = vec![W::ZERO; 40];
        for (position, piece) in (0..40).flat_map(|p| (0..n).map(move |k| (p, k))) {
            // All bytes that are no squares take their turn.
            let turn = 64 + (7 * (n * position + piece) % 192) as u8;
            for value in [64, 128, 255, turn] {
                let mut rows = vec![17; n * 40];
                let mut columns = vec![[17; 40]; n];
                rows[position * n + piece] = value;
                columns[piece][position] = value;
                let columns: Vec<&[u8]> = columns.iter().map(<[u8; 40]>::as_slice).collect();
                for encoded in [
                    backend.encode_rows(&layout, &rows, &mut to),
                    backend.encode_columns(&layout, &columns, &mut to),
                ] {
                    let found = value;
                    let error = OutOfRange::Square {
                        position,
                        piece,
                        found,
                    };
                    assert_eq!(encoded, Err(error), "{backend}, {layout:?}");
                }
            }
        }
    }
}

#[test]
fn squares_equal_scalar_for_every_length_and_piece_count() {
    squares_hold::<u32>();
    squares_hold::<u64>();
}

/// Large enough for several tasks, with ends in the middle of a line.
#[cfg(feature = "rayon")]
#[test]
fn parallel_equals_sequential() {
    use std::convert::Infallible;

    use tbindex::batch::parallel::{self, Bitmap, Rows};
    fn check<W: BatchWord>(numbering: Numbering) {
        let backend = Backend::detect();
        let layout = Layout::<W>::new(4, numbering);
        let same = equivalence(layout, Group::D4, &[0b11]);
        let indices = mixed_indices(&mut Random::new(4), &layout, 700_001);
        let (indices, len) = (&indices[3..], indices.len() - 3);
        let (mut one, mut all) = (vec![W::ZERO; len], vec![W::ZERO; len]);
        let (mut by_one, mut by_all) = (vec![0; len], vec![0; len]);
        backend.canonical_with_symmetry_into(&same, indices, &mut one, &mut by_one);
        let parts = ((indices, &mut all[..]), &mut by_all[..]);
        let Ok(()) =
            parallel::try_for_each(parts, backend, |backend, _, ((from, to), symmetries)| {
                backend.canonical_with_symmetry_into(&same, from, to, symmetries);
                Ok::<_, Infallible>(())
            });
        assert_eq!((&one, &by_one), (&all, &by_all));

        let (mut bits_one, mut bits_all) = (vec![0; len.div_ceil(64)], vec![0; len.div_ceil(64)]);
        backend.is_canonical_into(&same, indices, &mut bits_one);
        let parts = (indices, Bitmap(&mut bits_all[..]));
        let Ok(()) = parallel::try_for_each(parts, backend, |backend, _, (from, Bitmap(bits))| {
            backend.is_canonical_into(&same, from, bits);
            Ok::<_, Infallible>(())
        });
        assert_eq!(bits_one, bits_all);

        let mut rows = vec![0; 4 * len];
        let parts = (indices, Rows(&mut rows[..], 4));
        let Ok(()) = parallel::try_for_each(parts, backend, |backend, _, (from, Rows(rows, _))| {
            backend.decode_rows(&layout, from, rows);
            Ok::<_, Infallible>(())
        });
        let encode = |rows: &[u8], to: &mut [W]| {
            parallel::try_for_each(
                (Rows(rows, 4), to),
                backend,
                |backend, first, (rows, to)| {
                    let encoded = backend.encode_rows(&layout, rows.0, to);
                    encoded.map_err(|error| match error {
                        OutOfRange::Square {
                            position,
                            piece,
                            found,
                        } => (first + position, piece, found),
                        error => panic!("{error}"),
                    })
                },
            )
        };
        assert_eq!(encode(&rows, &mut all), Ok(()));
        assert_eq!(indices, all);
        let mut bad = rows.clone();
        (bad[4 * 600_000 + 1], bad[4 * 650_000 + 2]) = (64, 99);
        assert_eq!(encode(&bad, &mut all), Err((600_000, 1, 64)));

        let mut columns = vec![vec![0; len]; 4];
        let slices: Vec<&mut [u8]> = columns.iter_mut().map(Vec::as_mut_slice).collect();
        let Ok(()) = parallel::try_for_each(
            (indices, slices),
            backend,
            |backend, _, (from, mut columns)| {
                backend.decode_columns(&layout, from, &mut columns);
                Ok::<_, Infallible>(())
            },
        );
        let one_column = |k: usize| rows.iter().skip(k).step_by(4).copied().collect();
        let expected: Vec<Vec<u8>> = (0..4).map(one_column).collect();
        assert!(columns == expected);
    }
    for numbering in Numbering::ALL {
        check::<u32>(numbering);
        check::<u64>(numbering);
    }
}

/// Slices that are not of the same positions are refused, whichever is the longer one.
#[cfg(feature = "rayon")]
#[test]
fn parallel_operations_refuse_other_lengths() {
    use tbindex::batch::parallel::{Bitmap, Parts, Rows, try_for_each};
    fn refuses<P: Parts>(parts: P, message: &str) {
        let refused = || try_for_each::<P, ()>(parts, Backend::detect(), |_, _, _| Ok(()));
        assert_eq!(panics_with(|| refused().unwrap()), message);
    }
    let (long, short) = (&[0u32; 1000][..], &[0u8; 10][..]);
    refuses(
        (long, short),
        "try_for_each: a slice of 10 for 1000 positions: expected 1000",
    );
    refuses(
        (short, long),
        "try_for_each: a slice of 1000 for 10 positions: expected 10",
    );
    refuses(
        (long, Bitmap(short)),
        "try_for_each: a slice of 10 for 1000 positions: expected 16",
    );
    refuses(
        (short, Rows(long, 3)),
        "try_for_each: a slice of 1000 for 10 positions: expected 30",
    );
    refuses(
        vec![short, &short[1..]],
        "try_for_each: a slice of 9 for 10 positions: expected 10",
    );
}

/// Panics say which operation was called, with which lengths.
#[test]
fn panics_name_the_operation_and_both_lengths() {
    let backend = Backend::detect();
    let layout = Layout::<u32>::new(2, Numbering::Natural);
    let message = panics_with(|| {
        backend.flip_into(&layout, Symmetry::FlipVertical, &[0; 4], &mut [0; 3]);
    });
    assert_eq!(message, "flip_into: a slice of 3, expected 4");
    let moves = Moves::<u32>::try_new("KvK".parse().unwrap(), Numbering::Natural).unwrap();
    let message = panics_with(|| {
        backend.is_legal_into(&moves, Color::White, &[0; 65], &mut [0]);
    });
    assert_eq!(message, "is_legal_into: a slice of 1, expected 2");
    let message = panics_with(|| backend.encode_rows(&layout, &[0; 5], &mut [0; 2]).unwrap());
    assert_eq!(message, "encode_rows: a slice of 5, expected 4");
    let message = panics_with(|| backend.decode_columns(&layout, &[0; 5], &mut [&mut [0; 5]]));
    assert_eq!(message, "decode_columns: a slice of 1, expected 2");
}

/// Not batches alone: numbers and slices that a value does not have are named with the function.
#[test]
fn numbers_out_of_range_are_named_with_their_end() {
    let layout = Layout::<u32>::new(2, Numbering::Natural);
    let message = panics_with(|| _ = layout.square(0, 2));
    assert_eq!(message, "square: piece 2, expected one below 2");
    let message = panics_with(|| _ = layout.encode(&[Square::A1]));
    assert_eq!(message, "encode: a slice of 1, expected 2");
    let orbit = Orbit::<u32>::new(layout, Group::D4);
    let end = orbit.size();
    let message = panics_with(|| _ = orbit.unrank(end));
    assert_eq!(
        message,
        format!("unrank: slot {end}, expected one below {end}")
    );
    let domain = Domain::try_new("KRvK".parse().unwrap(), &[]).unwrap();
    let message = panics_with(|| _ = Slice::new(&domain, 462));
    assert_eq!(message, "Slice::new: slice 462, expected one below 462");
    let other = Domain::try_new("KQvK".parse().unwrap(), &[]).unwrap();
    let set = Bitbase::try_new(&other).unwrap();
    let message = panics_with(|| {
        let mut moves = Accumulator::new(&domain, Backend::detect());
        moves.man_moves(&Slice::new(&domain, 0), 0, Direction::Forward, &set);
    });
    assert!(
        message.starts_with("man_moves: positions of Domain"),
        "{message}"
    );
}

/// The message of a panic.
fn panics_with(code: impl FnOnce()) -> String {
    let code = std::panic::AssertUnwindSafe(code);
    let panic = std::panic::catch_unwind(code).expect_err("a panic");
    *panic.downcast::<String>().expect("a message with figures")
}
