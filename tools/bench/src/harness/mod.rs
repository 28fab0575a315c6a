//! The operations of [`tbindex::batch`] that are measured, and their rivals on the same bytes.
//!
//! - *memcpy* copies as many bytes as the operation reads.
//! - *xor* loads, XORs a constant and stores, with the backend's vectors: the half turn of natural indices. In a near
//!   cache, nothing that changes every word can be faster.
//! - *table* is the look-up loop for the same result, *plain* is the scalar function in a loop that the
//!   compiler vectorises, each for the backend's instructions or for every processor, whichever is faster; and
//!   *bits* is the loop over `pext` or `pdep`. See `rivals.rs` and `bits.rs`.

mod arena;
mod bits;
pub mod rivals;

use tbindex::batch::{Backend, last_level_cache_bytes};
use tbindex::{Numbering, Symmetry};

pub(crate) use self::arena::Arena;
use self::bits::has_bits;

/// An operation that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
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
    /// All operations, in the order in which they are measured.
    pub const ALL: [Operation; 11] = [
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
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Operation::Flip(symmetry) => symmetry.to_string(),
            _ => format!("{self:?}").to_lowercase(),
        }
    }

    /// Whether the operation maps indices to indices, so that it can be done in place.
    pub(crate) const fn maps_indices(self) -> bool {
        !matches!(self, Operation::Encode | Operation::Decode)
    }
}

/// The size class of the working set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeClass {
    /// 16 KiB, in the first cache.
    L1,
    /// 512 KiB, in the second.
    L2,
    /// Beyond all caches.
    Memory,
}

impl SizeClass {
    /// All classes, the smallest first.
    pub const ALL: [SizeClass; 3] = [SizeClass::L1, SizeClass::L2, SizeClass::Memory];

    /// The bytes of all buffers together. Beyond the caches each buffer has `memory_bytes`.
    pub(crate) const fn working_set(self, memory_bytes: usize) -> usize {
        match self {
            SizeClass::L1 => 16 << 10,
            SizeClass::L2 => 512 << 10,
            SizeClass::Memory => 2 * memory_bytes,
        }
    }

    /// `l1`, `l2` or `memory`.
    #[must_use]
    pub fn name(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

/// A plan of measurements.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The backends. Beyond the caches only the last of them is measured.
    pub backends: Vec<Backend>,
    /// The numberings.
    pub numberings: Vec<Numbering>,
    /// The number of pieces.
    pub pieces: usize,
    /// The operations.
    pub operations: Vec<Operation>,
    /// The bytes of one buffer beyond all caches.
    pub memory_bytes: usize,
}

/// How a contender does an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// memcpy, whatever the operation.
    Copy,
    /// The operation on batches.
    Batch,
    /// The look-up loop, compiled for the backend's instructions.
    Table,
    /// The scalar function in a plain loop, compiled for the backend's instructions.
    Plain,
    /// `pext` or `pdep`.
    Bits,
}

/// A piece of code whose time is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contender {
    /// The manner.
    pub code: Code,
    /// The backend for which it is compiled.
    pub backend: Backend,
    /// The operation.
    pub operation: Operation,
    /// The numbering of the indices.
    pub numbering: Numbering,
    /// Whether it is done in place, as only batch operations are.
    pub in_place: bool,
}

impl Contender {
    pub(crate) fn copy() -> Contender {
        Contender {
            code: Code::Copy,
            ..Contender::xor(portable(), false)
        }
    }

    pub(crate) fn xor(backend: Backend, in_place: bool) -> Contender {
        Contender {
            code: Code::Batch,
            backend,
            operation: Operation::Flip(Symmetry::Rotate180),
            numbering: Numbering::Natural,
            in_place,
        }
    }

    /// The forms of a rival of this batch operation: that for the same backend, and that for the portable one.
    pub(crate) fn rivals(self, code: Code) -> [Contender; 2] {
        [self.backend, portable()].map(|backend| Contender {
            code,
            backend,
            in_place: false,
            ..self
        })
    }
}

/// The backend that is always there.
pub(crate) fn portable() -> Backend {
    let first = Backend::available().next();
    first.expect("portable is always there")
}

/// All contenders of a plan at one size: the batches, each followed by its new rivals.
pub(crate) fn contenders(plan: &Plan, size: SizeClass, in_place: bool) -> Vec<Contender> {
    let mut all = vec![Contender::copy()];
    for &backend in &plan.backends {
        for &numbering in &plan.numberings {
            for &operation in &plan.operations {
                let maps = operation.maps_indices();
                if in_place && !maps {
                    continue;
                }
                let batch = Contender {
                    code: Code::Batch,
                    backend,
                    operation,
                    numbering,
                    in_place,
                };
                all.push(batch);
                all.extend(batch.rivals(Code::Table));
                if maps && size != SizeClass::Memory {
                    all.extend(batch.rivals(Code::Plain));
                }
                let natural = numbering == Numbering::Natural;
                if !maps && natural && has_bits(backend, plan.pieces) {
                    all.push(batch.rivals(Code::Bits)[0]);
                }
            }
        }
        all.push(Contender::xor(backend, in_place));
    }
    let mut seen = Vec::new();
    all.retain(|contender| {
        let is_new = !seen.contains(contender);
        seen.push(*contender);
        is_new
    });
    all
}

/// The size in bytes of a buffer of which no cache holds any part when it is read again: four times the largest
/// cache, but at least 128 MiB.
#[must_use]
pub fn beyond_caches() -> usize {
    let times = 4 * last_level_cache_bytes();
    times.next_multiple_of(1 << 20).max(128 << 20)
}
