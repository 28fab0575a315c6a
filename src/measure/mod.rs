//! How fast this machine is at the operations of [`batch`](crate::batch), beside what else could be
//! done with the same bytes.
//!
//! Every figure is the best of many runs, and the rivals of a figure run in turn with it, on the
//! same buffers, so that whatever disturbs the machine disturbs all of them. Before anything is
//! timed, every rival's result is compared with that of the look-up loop.
//!
//! - *memcpy* copies as many bytes as the operation reads.
//! - *xor* loads, XORs a constant and stores, with the backend's vectors: nothing that changes
//!   every word can be faster in a near cache.
//! - *table* is the look-up loop for the same result, *plain* the scalar function in a loop that
//!   the compiler vectorises for the backend's instructions, *bits* the loop over `pext` or `pdep`;
//!   see [`rivals`].

pub mod rivals;

mod arena;
mod machine;

use std::time::{Duration, Instant};

pub use arena::{Arena, Contender};
pub use machine::Machine;

use crate::batch::{Backend, BatchWord};
use crate::board::Symmetry;
use crate::index::Numbering;

/// What is measured.
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
    /// Every operation that is measured, in the order of the table.
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
    pub const fn name(self) -> &'static str {
        match self {
            Operation::Flip(symmetry) => symmetry.name(),
            Operation::Canonical => "canonical",
            Operation::Convert => "convert",
            Operation::Encode => "encode",
            Operation::Decode => "decode",
        }
    }

    /// Whether it maps indices to indices, so that it can be done in place.
    #[must_use]
    pub const fn maps_indices(self) -> bool {
        !matches!(self, Operation::Encode | Operation::Decode)
    }
}

/// How large the working set is.
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
    /// All of them, the smallest first.
    pub const ALL: [SizeClass; 3] = [SizeClass::L1, SizeClass::L2, SizeClass::Memory];

    /// `l1`, `l2` or `memory`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            SizeClass::L1 => "l1",
            SizeClass::L2 => "l2",
            SizeClass::Memory => "memory",
        }
    }
}

/// What to measure, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The backends; beyond the caches only the last of them.
    pub backends: Vec<Backend>,
    /// The numberings.
    pub numberings: Vec<Numbering>,
    /// The number of pieces.
    pub pieces: usize,
    /// The operations.
    pub operations: Vec<Operation>,
    /// The sizes.
    pub sizes: Vec<SizeClass>,
    /// The bytes of one buffer beyond all caches.
    pub memory_bytes: usize,
    /// How long to go on with one word, size and manner (in place or not).
    pub time: Duration,
}

/// One figure and its rivals.
#[derive(Clone, Debug)]
pub struct Row {
    /// What was measured.
    pub operation: Operation,
    /// The numbering of the indices.
    pub numbering: Numbering,
    /// The bits of a word.
    pub word: u32,
    /// The number of pieces.
    pub pieces: usize,
    /// The backend.
    pub backend: Backend,
    /// The size of the working set.
    pub size: SizeClass,
    /// Whether in place.
    pub in_place: bool,
    /// The figure.
    pub indices_per_second: f64,
    /// The bytes read and written.
    pub bytes_per_second: f64,
    /// The throughput relative to memcpy over the same bytes.
    pub vs_memcpy: f64,
    /// Relative to the backend's XOR kernel over the same bytes, in place or not as the figure.
    pub vs_xor: f64,
    /// Relative to the look-up loop compiled for the same instructions.
    pub vs_table: f64,
    /// Relative to the scalar function in a plain loop compiled for the same instructions; none
    /// for rows of squares.
    pub vs_plain: Option<f64>,
    /// Relative to `pext` or `pdep`; only for rows of squares under the natural numbering.
    pub vs_bits: Option<f64>,
}

/// Measures indices in words `W`: all rows of the plan, in the order size, manner, backend,
/// numbering, operation. `progress` is told what is being measured.
///
/// # Panics
/// If a backend or rival computes something else than the look-up loop, or if the plan's number of
/// pieces does not fit the word.
pub fn measure<W: BatchWord>(plan: &Plan, progress: &mut dyn FnMut(&str)) -> Vec<Row> {
    let mut rows = Vec::new();
    for &size in &plan.sizes {
        let working_set = match size {
            SizeClass::L1 => 16 << 10,
            SizeClass::L2 => 512 << 10,
            SizeClass::Memory => 2 * plan.memory_bytes,
        };
        let mut plan = plan.clone();
        if size == SizeClass::Memory {
            // Beyond the caches the backends hardly differ, and a pass takes its time.
            plan.backends = plan.backends.last().copied().into_iter().collect();
        }
        let mut arena = Arena::<W>::new(plan.pieces, working_set);
        for in_place in [false, true] {
            let manner = if in_place { "in place" } else { "out of place" };
            progress(&format!("{} bits, {}, {manner}", W::BITS, size.name()));
            rows.extend(measure_group(&plan, size, in_place, &mut arena));
        }
    }
    rows
}

fn measure_group<W: BatchWord>(
    plan: &Plan,
    size: SizeClass,
    in_place: bool,
    arena: &mut Arena<W>,
) -> Vec<Row> {
    let contenders = contenders(plan, size, in_place);
    // Figures of the look-up loops and the like would take minutes beyond the caches, where their
    // work hides behind the memory; they are measured over a part that is still beyond the second.
    let count = |contender: &Contender| match (size, contender) {
        (SizeClass::Memory, Contender::Table { .. } | Contender::Bits { .. }) => {
            arena.count(in_place).min((16 << 20) / size_of::<W>())
        }
        (_, Contender::Batch { .. } | Contender::Xor { .. }) => arena.count(in_place),
        _ => arena.count(false),
    };
    let counts: Vec<usize> = contenders.iter().map(count).collect();
    for (&contender, &count) in contenders.iter().zip(&counts) {
        arena.check(contender, count.min(1 << 16));
    }
    let best = race(plan.time, &contenders, &counts, arena);
    let rate = |wanted: Contender| {
        contenders
            .iter()
            .position(|&contender| contender == wanted)
            .map(|k| counts[k] as f64 / best[k].as_secs_f64())
    };
    let mut rows = Vec::new();
    for &contender in &contenders {
        let Contender::Batch {
            backend,
            operation,
            numbering,
            in_place,
        } = contender
        else {
            continue;
        };
        let own = rate(contender).unwrap_or(f64::NAN);
        let versus = |rival: Contender| rate(rival).map(|rate| own / rate);
        let or_nan = |ratio: Option<f64>| ratio.unwrap_or(f64::NAN);
        let bytes = match operation {
            Operation::Encode | Operation::Decode => size_of::<W>() + plan.pieces,
            _ => 2 * size_of::<W>(),
        };
        rows.push(Row {
            operation,
            numbering,
            word: W::BITS,
            pieces: plan.pieces,
            backend,
            size,
            in_place,
            indices_per_second: own,
            bytes_per_second: own * bytes as f64,
            vs_memcpy: or_nan(versus(Contender::Copy)),
            vs_xor: or_nan(versus(Contender::Xor { backend, in_place })),
            vs_table: or_nan(versus(Contender::Table {
                backend,
                operation,
                numbering,
            })),
            vs_plain: versus(Contender::Plain {
                backend,
                operation,
                numbering,
            }),
            vs_bits: versus(Contender::Bits { backend, operation }),
        });
    }
    rows
}

/// Everything that takes part in measuring a plan at one size: the batches, and their rivals next to
/// them.
#[must_use]
pub fn contenders(plan: &Plan, size: SizeClass, in_place: bool) -> Vec<Contender> {
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
                all.push(Contender::Table {
                    backend,
                    operation,
                    numbering,
                });
                if operation.maps_indices() && size != SizeClass::Memory {
                    all.push(Contender::Plain {
                        backend,
                        operation,
                        numbering,
                    });
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

/// Runs the contenders in turn until the time is over, but at least three times; the least time of each
/// for one pass over its indices.
fn race<W: BatchWord>(
    time: Duration,
    contenders: &[Contender],
    counts: &[usize],
    arena: &mut Arena<W>,
) -> Vec<Duration> {
    // One turn is long enough for the clock and short enough for many turns.
    let turn = Duration::from_micros(40);
    let mut best = vec![Duration::MAX; contenders.len()];
    let mut passes = vec![1u32; contenders.len()];
    let start = Instant::now();
    let mut rounds = 0;
    while rounds < 3 || start.elapsed() < time {
        for (k, &contender) in contenders.iter().enumerate() {
            let began = Instant::now();
            for _ in 0..passes[k] {
                arena.run(contender, counts[k]);
            }
            let took = began.elapsed();
            let pass = took / passes[k];
            // The first round is a rehearsal.
            if rounds > 0 {
                best[k] = best[k].min(pass);
            }
            if took < turn {
                let wanted = turn.as_nanos() / pass.as_nanos().max(1);
                passes[k] = u32::try_from(wanted).unwrap_or(u32::MAX).clamp(1, 1 << 16);
            }
        }
        rounds += 1;
    }
    best
}
