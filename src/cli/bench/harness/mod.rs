//! The operations of [`tbindex::batch`] that are measured, and their rivals on the same bytes.
//!
//! - *memcpy* copies as many bytes as the operation reads.
//! - *xor* loads, XORs a constant and stores, with the backend's vectors. In a near cache, nothing that
//!   changes every word can be faster.
//! - *table* is the look-up loop for the same result, *plain* is the scalar function in a loop that the
//!   compiler vectorises, each for the backend's instructions or for every processor, whichever is faster; and
//!   *bits* is the loop over `pext` or `pdep`. See [`rivals`] and [`bits`].
//!
//! `tbindex bench` and `cargo bench --bench batch` share this code.

mod arena;
mod bits;
pub(crate) mod rivals;

use tbindex::batch::{Backend, last_level_cache_bytes};
use tbindex::{Numbering, Symmetry};

pub(crate) use self::arena::{Arena, Contender};

/// An operation that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// The image under a symmetry.
    Flip(Symmetry),
    /// The canonical form of distinct pieces under all eight symmetries.
    Canonical,
    /// The change to the other numbering.
    Convert,
    /// From rows of squares.
    Encode,
    /// To rows of squares.
    Decode,
}

impl Operation {
    /// Every operation that is measured, in the order of the table.
    pub(crate) const ALL: [Operation; 11] = [
        Operation::Flip(Symmetry::FlipHorizontal),
        Operation::Flip(Symmetry::FlipVertical),
        Operation::Flip(Symmetry::Rotate180),
        Operation::Flip(Symmetry::FlipDiagonal),
        Operation::Flip(Symmetry::FlipAntiDiagonal),
        Operation::Flip(Symmetry::Rotate90),
        Operation::Flip(Symmetry::Rotate270),
        Operation::Canonical,
        Operation::Convert,
        Operation::Encode,
        Operation::Decode,
    ];

    /// `flip_vertical`, …, `canonical`, `convert`, `encode`, `decode`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Operation::Flip(symmetry) => symmetry.name(),
            Operation::Canonical => "canonical",
            Operation::Convert => "convert",
            Operation::Encode => "encode",
            Operation::Decode => "decode",
        }
    }

    /// Whether the operation maps indices to indices, so that it can be done in place.
    pub(crate) const fn maps_indices(self) -> bool {
        !matches!(self, Operation::Encode | Operation::Decode)
    }
}

/// The size class of the working set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SizeClass {
    /// 16 KiB, in the first cache.
    L1,
    /// 512 KiB, in the second.
    L2,
    /// Beyond all caches.
    Memory,
}

impl SizeClass {
    /// All of them, the smallest first.
    pub(crate) const ALL: [SizeClass; 3] = [SizeClass::L1, SizeClass::L2, SizeClass::Memory];

    /// The bytes of all buffers together. Beyond the caches each buffer has `memory_bytes`.
    pub(crate) const fn working_set(self, memory_bytes: usize) -> usize {
        match self {
            SizeClass::L1 => 16 << 10,
            SizeClass::L2 => 512 << 10,
            SizeClass::Memory => 2 * memory_bytes,
        }
    }

    /// `l1`, `l2` or `memory`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            SizeClass::L1 => "l1",
            SizeClass::L2 => "l2",
            SizeClass::Memory => "memory",
        }
    }
}

/// A plan of what to measure.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The backends. Beyond the caches only the last of them is measured.
    pub(crate) backends: Vec<Backend>,
    /// The numberings.
    pub(crate) numberings: Vec<Numbering>,
    /// The number of pieces.
    pub(crate) pieces: usize,
    /// The operations.
    pub(crate) operations: Vec<Operation>,
    /// The bytes of one buffer beyond all caches.
    pub(crate) memory_bytes: usize,
}

/// The backends for which a rival of this backend is compiled: this one and the portable one.
pub(crate) fn rival_forms(backend: Backend) -> [Backend; 2] {
    let portable = Backend::available().next();
    [backend, portable.expect("portable is always there")]
}

/// All contenders of a plan at one size: the batches, each followed by those of its rivals that are new.
pub(crate) fn contenders(plan: &Plan, size: SizeClass, in_place: bool) -> Vec<Contender> {
    let mut all = vec![Contender::Copy];
    for &backend in &plan.backends {
        all.push(Contender::Xor { backend, in_place });
        for &numbering in &plan.numberings {
            for &operation in &plan.operations {
                if in_place && !operation.maps_indices() {
                    continue;
                }
                all.push(Contender::Batch {
                    backend,
                    operation,
                    numbering,
                    in_place,
                });
                for backend in rival_forms(backend) {
                    let table = Contender::Table {
                        backend,
                        operation,
                        numbering,
                    };
                    if all.contains(&table) {
                        continue;
                    }
                    all.push(table);
                    if operation.maps_indices() && size != SizeClass::Memory {
                        all.push(Contender::Plain {
                            backend,
                            operation,
                            numbering,
                        });
                    }
                }
                let bits = !operation.maps_indices() && backend.name() != "portable";
                if bits && numbering == Numbering::Natural && plan.pieces <= 8 {
                    all.push(Contender::Bits { backend, operation });
                }
            }
        }
    }
    all
}

/// The size in bytes of a buffer of which no cache holds any part when it is read again: twice the largest
/// cache, but at least 1 GiB.
pub(crate) fn beyond_caches() -> usize {
    let twice = 2 * last_level_cache_bytes();
    twice.next_multiple_of(1 << 20).max(1 << 30)
}
