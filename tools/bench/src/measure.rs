//! Measures the figures. Every figure is the best of many runs on some buffers, and of several buffers the median, because
//! where buffers lie makes a difference. Rivals run in turn on the same buffers, so that whatever disturbs the machine
//! disturbs all of them. Before anything is timed, every result is compared with that of the look-up loop.

use std::time::{Duration, Instant};

use tbindex::batch::BatchWord;

use crate::harness::{Arena, Code, Contender, Operation, Plan, SizeClass, contenders};

/// One figure and its rivals.
#[derive(Clone, Debug)]
pub struct Row {
    /// The batch operation that was measured.
    pub batch: Contender,
    /// The bits of a word.
    pub word: u32,
    /// The number of pieces.
    pub pieces: usize,
    /// The size of the working set.
    pub size: SizeClass,
    /// The indices for each second.
    pub indices_per_second: f64,
    /// The bytes read and written.
    pub bytes_per_second: f64,
    /// The names of the rivals, and the throughput relative to each that does the operation: memcpy and the
    /// backend's XOR over the same bytes, the latter in place if the operation is; and the look-up loop, the plain
    /// loop, and `pext` or `pdep`, each in its faster form.
    pub versus: [(&'static str, Option<f64>); 5],
    /// Beyond the caches and out of place, the least throughput relative to memcpy at [`OFFSETS`], and the offset.
    pub least: Option<(f64, usize)>,
}

/// The bytes by which the destination begins after the source within a page, where slices beyond the caches are measured.
pub const OFFSETS: [usize; 9] = [0, 64, 128, 192, 256, 512, 1024, 2048, 4032];

impl Row {
    /// The throughput relative to the rival of this name, or NaN if it does not do the operation.
    #[must_use]
    pub fn versus(&self, rival: &str) -> f64 {
        let ratio = self.versus.iter().find(|(name, _)| *name == rival);
        ratio.and_then(|&(_, ratio)| ratio).unwrap_or(f64::NAN)
    }
}

/// Measures indices in words of 32 or of 64 bits, and returns all rows of the plan for these sizes, in the order size,
/// manner, backend, numbering, operation. Each size and manner (in place or not) takes this time.
/// `progress` is called with the name of the current measurement.
///
/// The rivals of both words are compiled here, as well optimised as the library, and not in the program.
///
/// # Panics
/// If the result of a backend or rival differs from that of the look-up loop, if the plan's number of
/// pieces does not fit the word, or if the word has another number of bits.
pub fn measure(
    word: u32,
    plan: &Plan,
    sizes: &[SizeClass],
    time: Duration,
    progress: &mut dyn FnMut(&str),
) -> Vec<Row> {
    match word {
        32 => measure_words::<u32>(plan, sizes, time, progress),
        64 => measure_words::<u64>(plan, sizes, time, progress),
        _ => panic!("measure: a word of {word} bits: expected 32 or 64"),
    }
}

fn measure_words<W: BatchWord>(
    plan: &Plan,
    sizes: &[SizeClass],
    time: Duration,
    progress: &mut dyn FnMut(&str),
) -> Vec<Row> {
    let mut rows = Vec::new();
    for &size in sizes {
        let mut plan = plan.clone();
        if size == SizeClass::Memory {
            // Beyond the caches the backends hardly differ, and a pass takes long.
            plan.backends = plan.backends.last().copied().into_iter().collect();
        }
        // Beyond the caches, the buffers take most of the memory.
        let arenas = if size == SizeClass::Memory { 1 } else { 5 };
        let arena = || Arena::<W>::new(plan.pieces, size.working_set(plan.memory_bytes));
        let mut arenas: Vec<Arena<W>> = (0..arenas).map(|_| arena()).collect();
        for in_place in [false, true] {
            let manner = if in_place { "in place" } else { "out of place" };
            progress(&format!("{} bits, {}, {manner}", W::BITS, size.name()));
            rows.extend(measure_group(&plan, time, size, in_place, &mut arenas));
        }
    }
    rows
}

fn measure_group<W: BatchWord>(
    plan: &Plan,
    time: Duration,
    size: SizeClass,
    in_place: bool,
    arenas: &mut [Arena<W>],
) -> Vec<Row> {
    let contenders = contenders(plan, size, in_place);
    // Beyond the caches the look-up loops and other slow rivals would take minutes. They are measured over
    // a part of the buffers, which is still larger than the second cache.
    let count = |contender: &Contender| match (size, contender.code) {
        (SizeClass::Memory, Code::Table | Code::Bits) => {
            arenas[0].count(in_place).min((16 << 20) / size_of::<W>())
        }
        _ => arenas[0].count(contender.in_place),
    };
    let counts: Vec<usize> = contenders.iter().map(count).collect();
    for (&contender, &count) in contenders.iter().zip(&counts) {
        arenas[0].check(contender, count.min(1 << 16));
    }
    let took = race(time, &contenders, &counts, arenas);
    let rate = |wanted: Contender| {
        let at = contenders.iter().position(|&other| other == wanted);
        at.map(|k| counts[k] as f64 / took[k])
    };
    let planned = |contender: &&Contender| {
        contender.code == Code::Batch
            && plan.operations.contains(&contender.operation)
            && plan.numberings.contains(&contender.numbering)
    };
    let least = match size == SizeClass::Memory && !in_place {
        true => least_over_offsets(&contenders, &mut arenas[0]),
        false => Vec::new(),
    };
    let row = |&batch: &Contender| {
        let own = rate(batch).unwrap_or(f64::NAN);
        let versus = |rival: Contender| rate(rival).map(|rate| own / rate);
        // The faster form of a rival is the one that leaves the smaller ratio.
        let versus_faster = |code: Code| {
            let ratios = batch.rivals(code).map(versus);
            ratios.into_iter().flatten().reduce(f64::min)
        };
        let bytes = match batch.operation {
            Operation::Encode | Operation::Decode => size_of::<W>() + plan.pieces,
            _ => 2 * size_of::<W>(),
        };
        Row {
            batch,
            word: W::BITS,
            pieces: plan.pieces,
            size,
            indices_per_second: own,
            bytes_per_second: own * bytes as f64,
            versus: [
                ("memcpy", versus(Contender::copy())),
                ("xor", versus(Contender::xor(batch.backend, in_place))),
                ("table", versus_faster(Code::Table)),
                ("plain", versus_faster(Code::Plain)),
                ("bits", versus_faster(Code::Bits)),
            ],
            least: (least.iter().find(|(of, _)| *of == batch)).map(|&(_, least)| least),
        }
    };
    contenders.iter().filter(planned).map(row).collect()
}

/// The least throughput relative to memcpy of each batch that maps indices, and its offset.
fn least_over_offsets<W: BatchWord>(
    contenders: &[Contender],
    arena: &mut Arena<W>,
) -> Vec<(Contender, (f64, usize))> {
    let maps = |of: &&Contender| of.code == Code::Batch && of.operation.maps_indices();
    let batches = contenders.iter().copied().filter(|of| maps(&of));
    let all: Vec<Contender> = [Contender::copy()].into_iter().chain(batches).collect();
    let counts = vec![arena.count(false); all.len()];
    let mut least = vec![(f64::INFINITY, 0); all.len()];
    for offset in OFFSETS {
        arena.place(offset);
        let took = race(Duration::ZERO, &all, &counts, std::slice::from_mut(arena));
        for (least, time) in least.iter_mut().zip(&took) {
            if took[0] / time < least.0 {
                *least = (took[0] / time, offset);
            }
        }
    }
    all.into_iter().zip(least).collect()
}

/// Runs the contenders in turn until the time is over, but at least three times in all arenas. Returns the seconds
/// that each took for one pass over its indices: the least in an arena, and of the arenas the median.
fn race<W: BatchWord>(
    time: Duration,
    contenders: &[Contender],
    counts: &[usize],
    arenas: &mut [Arena<W>],
) -> Vec<f64> {
    // Long enough for the clock and short enough for many turns, in seconds.
    const TURN: f64 = 40e-6;
    let mut best = vec![vec![f64::INFINITY; arenas.len()]; contenders.len()];
    let mut passes = vec![1u32; contenders.len()];
    let start = Instant::now();
    let mut rounds = 0;
    while rounds < 3 || start.elapsed() < time {
        for (k, &contender) in contenders.iter().enumerate() {
            for (best, arena) in best[k].iter_mut().zip(&mut *arenas) {
                let began = Instant::now();
                for _ in 0..passes[k] {
                    arena.run(contender, counts[k]);
                }
                let took = began.elapsed().as_secs_f64();
                let pass = took / f64::from(passes[k]);
                // The first round is a rehearsal.
                if rounds > 0 {
                    *best = pass.min(*best);
                }
                if took < TURN {
                    passes[k] = ((TURN / pass) as u32).clamp(1, 1 << 16);
                }
            }
        }
        rounds += 1;
    }
    let median = |mut best: Vec<f64>| {
        best.sort_unstable_by(f64::total_cmp);
        best[best.len() / 2]
    };
    best.into_iter().map(median).collect()
}
