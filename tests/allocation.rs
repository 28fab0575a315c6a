//! Operations that take memory, and others that take none: a file that lies about its size makes nobody allocate by what
//! it says, and positions become indices and back where they are. The allocator that counts makes this a
//! program of its own.

#[path = "support/checksums.rs"]
pub mod checksums;
#[path = "support/contents.rs"]
pub mod contents;
#[path = "support/opened.rs"]
pub mod opened;

use std::fs;
use std::sync::Mutex;

use peak_alloc::PeakAlloc;
use tbindex::store::{IndexFile, Overwrite, SetOperation, StoreErrorKind, Target, unwatched};
use tbindex::{Color, Numbering, PlacementCodec, Square};

use crate::checksums::forged;
use crate::contents::{Write, bytes_of, distinct, sorted, write, write_compact};
use crate::opened::WAYS;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Held by each test: what one takes would be seen by another.
static ALONE: Mutex<()> = Mutex::new(());

/// The most bytes that were there at once beside those before, of several tries the least: now and then
/// whatever runs the tests takes some itself.
fn taken(mut work: impl FnMut()) -> usize {
    let once = |_| {
        MEMORY.reset_peak_usage();
        let before = MEMORY.current_usage();
        work();
        MEMORY.peak_usage().saturating_sub(before)
    };
    (0..20).map(once).min().unwrap()
}

#[test]
fn headers_and_tables_that_lie_are_refused_without_large_allocations() {
    let _alone = ALONE.lock().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lie");
    let set: Vec<u32> = (0..1000).map(|x| 4 * x).collect();
    for (name, write) in [("plain", write as Write<u32>), ("compact", write_compact)] {
        let good = bytes_of(write, sorted("KQvKR"), &set);
        let table = good.len() - 32;
        let mut lies = 0;
        // Every field that says how much there is of something: in the header and in the table.
        let wide = [40, 48, 56, 64, 72, table].map(|at| (at, 8));
        let narrow = [80, table + 16, table + 20, table + 28].map(|at| (at, 4));
        for (at, width) in wide.into_iter().chain(narrow) {
            let values = [
                1u64 << 20,
                1 << 31,
                u64::from(u32::MAX),
                1 << 40,
                1 << 62,
                u64::MAX,
            ];
            for value in values {
                let bytes = forged(&good, at, &value.to_le_bytes()[..width]);
                if bytes[..] == good[..] {
                    continue;
                }
                lies += 1;
                fs::write(&path, &bytes).unwrap();
                drop(bytes);
                for open in WAYS {
                    MEMORY.reset_peak_usage();
                    let before = MEMORY.current_usage();
                    let refused = open(&path).and_then(|file| {
                        let read = match file.header().count {
                            0 => Ok(()),
                            _ => file.reader()?.read_into(0, &mut [0u32]),
                        };
                        let found = file.search(1 << 20);
                        file.verify(1, &mut unwatched)?;
                        file.verify(2, &mut unwatched)?;
                        read.and(found.map(drop))
                    });
                    assert!(refused.is_err(), "{name}: {value} at {at}");
                    let most = MEMORY.peak_usage() - before;
                    assert!(most < 1 << 17, "{name}: {value} at {at}: {most} bytes");
                }
            }
        }
        assert!(lies > 50, "{lies}");
    }
}

/// From the least memory on, whatever the files, and the result is the same.
#[test]
fn set_operations_keep_to_the_memory_that_they_state() {
    /// The program and its stacks, which no allocator sees.
    const PROGRAM: u64 = 8 << 20;
    let _alone = ALONE.lock().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: String| folder.path().join(name);
    for (name, write) in [("plain", write as Write<u32>), ("compact", write_compact)] {
        for step in 1..=5 {
            let set: Vec<u32> = (0..1_500_000).map(|x| x * step).collect();
            write(&path(format!("{name}{step}")), distinct("KQRvKR"), &set).unwrap();
        }
    }
    let target = Target::plain(path("out".to_owned()), Overwrite::Replace);
    for (name, count) in [("plain", 2), ("plain", 5), ("compact", 2), ("compact", 5)] {
        for operation in SetOperation::ALL {
            let mut expected = None;
            for open in WAYS {
                let file = |step| open(&path(format!("{name}{step}"))).unwrap();
                let files: Vec<IndexFile> = (1..=count).map(file).collect();
                let refused = operation.plan(&files, 1 << 20, 1).unwrap_err();
                let StoreErrorKind::TooLittleMemory { needed, .. } = refused.kind else {
                    panic!("{refused}");
                };
                for (memory, threads) in [(needed, 3), (2 * needed, 3), (1 << 30, 1), (1 << 30, 3)]
                {
                    let plan = operation.plan(&files, memory, threads).unwrap();
                    assert!(plan.memory <= memory && plan.threads <= threads, "{plan:?}");
                    MEMORY.reset_peak_usage();
                    let before = MEMORY.current_usage();
                    let combined = operation.combine_files_into(
                        &files,
                        &target,
                        memory,
                        threads,
                        &mut unwatched,
                    );
                    let taken = (MEMORY.peak_usage() - before) as u64;
                    let header = combined.unwrap();
                    assert_eq!(*expected.get_or_insert(header), header);
                    let run = format!("{operation} of {count} {name} files");
                    assert!(taken + PROGRAM <= plan.memory, "{run}: {taken}, {plan:?}");
                }
            }
        }
    }
}

#[test]
fn positions_become_indices_and_back_without_allocation() {
    let _alone = ALONE.lock().unwrap();
    for numbering in Numbering::ALL {
        let material = "KRRRNvKRPP".parse().unwrap();
        let codec = PlacementCodec::<u64>::try_new(material, numbering).unwrap();
        let squares: Vec<Square> = (3..12).map(|k| Square::new(5 * k)).collect();
        let index = codec.encode_squares(&squares).unwrap();
        let work = || {
            assert_eq!(codec.encode_squares(&squares), Ok(index));
            let back = codec.decode_squares(index).unwrap();
            assert!(back.eq(squares.iter().copied()));
            let position = codec.decode(index, Color::White).unwrap();
            let sorted = codec.equivalence().sort_like(index);
            assert_eq!(codec.encode(&position), Ok(sorted));
        };
        assert_eq!(taken(work), 0, "{numbering}");
    }
    // The measure does see what is taken.
    assert!(taken(|| drop(vec![1u8; 100])) >= 100);
}
