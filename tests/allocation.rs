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
use tbindex::store::unwatched;
use tbindex::{Color, Numbering, PlacementCodec, Square};

use crate::checksums::forged;
use crate::contents::{Write, bytes_of, sorted, write, write_compact};
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
                            _ => file.read_into(0, &mut [0u32]),
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
