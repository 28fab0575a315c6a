//! `tbindex bench`: measures how fast this machine is.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use indicatif::{BinaryBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};
use tbindex::batch::Backend;
use tbindex::{Material, Numbering};
use tbindex_bench::{Operation, Plan, Row, SizeClass, beyond_caches, machine, measure, reindex};

use super::args::{ForceArg, JsonArg, usage};
use super::files::available_memory;
use super::output::{print, print_json, write_text};

mod chart;

/// Measure this machine's throughput for every operation on batches
///
/// The table has a row for each operation, numbering, backend and size of the working set: the indices and
/// the bytes (read and written) per second, and the throughput relative to memcpy, to an XOR with a
/// constant (xor), to a loop of table look-ups (table), to the scalar function in a plain loop (plain) and,
/// for rows of squares, to pext or pdep (bits). Each figure is the best of many runs in turn with its rivals,
/// in the median of several buffers; results are compared first.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  tbindex bench\n  \
                        tbindex bench --word 64 --operation canonical --size l1 --json\n  \
                        tbindex bench --svg chart.svg > table.txt\n  \
                        tbindex bench --reindex KRBNvK")]
pub(crate) struct Args {
    /// The number of pieces
    #[arg(long, value_name = "N", default_value_t = 5)]
    pieces: usize,
    /// The bits of a word, 32 (up to 5 pieces) or 64 (up to 10); by default both, as far as the pieces fit
    #[arg(long, value_name = "BITS")]
    word: Vec<u32>,
    /// A backend: portable, avx2 or avx512; by default all that this machine has. Beyond the caches only
    /// the fastest of them is measured
    #[arg(long, value_name = "NAME")]
    backend: Vec<Backend>,
    /// A numbering: natural or alternate; by default both
    #[arg(long, value_name = "NUMBERING")]
    numbering: Vec<Numbering>,
    /// An operation, as it is named in the table; by default all
    #[arg(long, value_name = "NAME", value_parser = parse_operation)]
    operation: Vec<Operation>,
    /// A size of the working set: l1, l2 or memory; by default all
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    size: Vec<SizeClass>,
    /// Seconds for each word and size within the caches, in place and not
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = parse_seconds)]
    seconds: Duration,
    /// MiB of one buffer beyond the caches; by default four times the last cache, but at least 128. There are
    /// two of them, and the squares
    #[arg(long, value_name = "MIB", value_parser = parse_mebibytes)]
    memory: Option<usize>,
    /// Instead move tables of bytes of this material from each order to each other one, beside memcpy and the loop
    /// over rank and unrank, on one thread, by the first of the backends that are asked for
    #[arg(long, value_name = "MATERIAL", conflicts_with_all = ["word", "numbering", "operation", "size", "memory", "svg"])]
    reindex: Option<Material>,
    /// Also draw a chart of the rows out of place into this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArg,
    #[command(flatten)]
    json: JsonArg,
}

fn parse_operation(name: &str) -> Result<Operation, String> {
    let name = name.replace('-', "_");
    let names = || Operation::ALL.map(Operation::name).join(", ");
    let found = Operation::ALL
        .into_iter()
        .find(|operation| operation.name() == name);
    found.ok_or_else(|| format!("expected one of {}", names()))
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().map(Duration::try_from_secs_f64);
    match seconds {
        Some(Ok(seconds)) => Ok(seconds),
        _ => Err("expected a number of seconds, 0 or more, such as 0.5".to_owned()),
    }
}

/// Reads a number of MiB, and returns that of bytes.
fn parse_mebibytes(text: &str) -> Result<usize, String> {
    let mebibytes: Option<usize> = text.parse().ok();
    let bytes = mebibytes.and_then(|mebibytes| mebibytes.checked_mul(1 << 20));
    let bytes = bytes.filter(|&bytes| bytes > 0);
    bytes.ok_or_else(|| "expected a number of MiB such as 128".to_owned())
}

/// Refuses buffers that the machine has no memory for.
fn check_memory(plan: &Plan, sizes: &[SizeClass]) -> Result<()> {
    // Two buffers, and rows of as many squares as there are pieces for each index, which has at least four bytes.
    let needed = (plan.memory_bytes as u128) * (2 + plan.pieces as u128);
    match available_memory() {
        Some(free) if sizes.contains(&SizeClass::Memory) && needed > free.into() => {
            let human = |bytes: u128| BinaryBytes(u64::try_from(bytes).unwrap_or(u64::MAX));
            Err(usage(format!(
                "the buffers take {}, and there are {}: expected less --memory, or another --size",
                human(needed),
                human(free.into()),
            )))
        }
        _ => Ok(()),
    }
}

fn parse_size(name: &str) -> Result<SizeClass, String> {
    let found = SizeClass::ALL.into_iter().find(|size| size.name() == name);
    found.ok_or_else(|| "expected l1, l2 or memory".to_owned())
}

/// The values that were asked for, or all if none were.
fn or_all<T: Clone>(asked: &[T], all: impl IntoIterator<Item = T>) -> Vec<T> {
    if asked.is_empty() {
        all.into_iter().collect()
    } else {
        asked.to_vec()
    }
}

/// Measures tables that move from one order to another.
fn run_reindex(args: &Args, material: Material) -> Result<()> {
    let backend = args
        .backend
        .first()
        .copied()
        .unwrap_or_else(Backend::detect);
    let bar = progress_bar()?;
    let rows = reindex::measure(material, backend, &mut |what| {
        bar.set_message(what.to_owned());
    })?;
    bar.finish_and_clear();
    if args.json.json {
        return print_json(&json!({ "cpu": machine::cpu_name(), "rows": reindex_objects(&rows) }));
    }
    print(&reindex_table(material, backend, &rows))
}

/// The tables that moved, as a table.
fn reindex_table(material: Material, backend: Backend, rows: &[reindex::Row]) -> String {
    let mut text = format!(
        "Tables of bytes of {material}, one thread, {backend}: 10^9 entries a second, and how many times the\n\
         throughput of memcpy and of the loop over rank and unrank\n\n\
         from      to             G/s  memcpy   loop\n"
    );
    for row in rows {
        let [memcpy, by_loop] = row.versus;
        text += &format!(
            "{:<9} {:<9} {:>8.3} {memcpy:>7.3} {by_loop:>6.1}\n",
            row.from,
            row.to,
            row.entries_per_second / 1e9
        );
    }
    text
}

/// The tables that moved, for programs.
fn reindex_objects(rows: &[reindex::Row]) -> Vec<Value> {
    let object = |row: &reindex::Row| {
        json!({
            "from": row.from,
            "to": row.to,
            "entries_per_second": row.entries_per_second,
            "vs_memcpy": row.versus[0],
            "vs_loop": row.versus[1],
        })
    };
    rows.iter().map(object).collect()
}

fn progress_bar() -> Result<ProgressBar> {
    let style = ProgressStyle::with_template("measuring {msg}")?;
    Ok(ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style))
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if let Some(material) = args.reindex {
        return run_reindex(args, material);
    }
    let fits = |bits: &u32| args.pieces <= *bits as usize / 6;
    let words = or_all(&args.word, [32, 64].into_iter().filter(fits));
    if let Some(bits) = words.iter().find(|bits| ![32, 64].contains(*bits)) {
        return Err(usage(format!("a word has 32 or 64 bits, not {bits}")));
    }
    if args.pieces == 0 || words.is_empty() || !words.iter().all(fits) {
        return Err(usage(
            "a word of 32 bits holds 1 to 5 pieces, one of 64 up to 10",
        ));
    }
    let plan = Plan {
        backends: or_all(&args.backend, Backend::available()),
        numberings: or_all(&args.numbering, Numbering::ALL),
        pieces: args.pieces,
        operations: or_all(&args.operation, Operation::ALL),
        memory_bytes: args.memory.unwrap_or_else(beyond_caches),
    };
    let sizes = or_all(&args.size, SizeClass::ALL);
    check_memory(&plan, &sizes)?;
    let bar = progress_bar()?;
    let mut progress = |what: &str| bar.set_message(what.to_owned());
    let mut rows = Vec::new();
    for &bits in &words {
        rows.extend(measure(bits, &plan, &sizes, args.seconds, &mut progress));
    }
    bar.finish_and_clear();
    if let Some(path) = &args.svg {
        write_text(path, &chart::draw(&rows)?, args.force.overwrite())?;
    }
    if !args.json.json {
        return print(&table(&rows));
    }
    let backends: Vec<String> = Backend::available()
        .map(|backend| backend.to_string())
        .collect();
    print_json(&json!({
        "machine": {
            "cpu": machine::cpu_name(),
            "threads": threads(),
            "caches": machine::caches(),
            "features": machine::features(),
            "backends": backends,
        },
        "rows": rows.iter().map(row_object).collect::<Vec<Value>>(),
    }))
}

/// The number of threads that run at a time.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn row_object(row: &Row) -> Value {
    let batch = row.batch;
    let mut object = json!({
        "operation": batch.operation.name(),
        "numbering": batch.numbering.to_string(),
        "word": row.word,
        "pieces": row.pieces,
        "backend": batch.backend.to_string(),
        "size_class": row.size.name(),
        "in_place": batch.in_place,
        "indices_per_second": row.indices_per_second,
        "bytes_per_second": row.bytes_per_second,
    });
    for (rival, ratio) in row.versus {
        object[format!("vs_{rival}")] = json!(ratio);
    }
    if let Some((ratio, offset)) = row.least {
        object["vs_memcpy_least"] = json!(ratio);
        object["vs_memcpy_least_offset"] = json!(offset);
    }
    object
}

/// The legend of the table's columns.
const LEGEND: &str = "\
G/s: 10^9 indices a second; GB/s: 10^9 bytes read and written; then how many times the
throughput of memcpy, of an XOR with a constant, of table look-ups, of the scalar function
in a plain loop, and of pext or pdep. Look-ups and plain loop are compiled for the same
instructions and for every processor, and the faster one counts. Beyond the caches the table
look-ups, pext and pdep run over 16 MiB only: their work hides what memory costs. Least: the
lowest ratio to memcpy, at the same offset, of destination against source within a page, over
0, 64, 128, 192, 256, 512, 1024, 2048 and 4032 bytes, and the offset.
";

fn table(rows: &[Row]) -> String {
    let caches = machine::caches().into_iter();
    let caches: Vec<String> = caches
        .map(|bytes| BinaryBytes(bytes as u64).to_string())
        .collect();
    let mut text = format!(
        "{}, {} threads, caches {}\n{}\n\n{LEGEND}",
        machine::cpu_name(),
        threads(),
        caches.join(", "),
        machine::features().join(" "),
    );
    let mut heading = None;
    for row in rows {
        let batch = row.batch;
        let group = (row.word, row.size, batch.in_place);
        if heading != Some(group) {
            heading = Some(group);
            let place = if batch.in_place {
                "in place"
            } else {
                "out of place"
            };
            text += &format!(
                "\n{} pieces in {} bits, {}, {place}\n\
                 operation          numbering backend        G/s    GB/s  memcpy    xor   table   plain   bits{}\n",
                row.pieces,
                row.word,
                row.size.name(),
                if row.least.is_some() { "  least" } else { "" },
            );
        }
        text += &format!(
            "{:<18} {:<9} {:<8} {:>9.3} {:>7.1}",
            batch.operation.name(),
            batch.numbering,
            batch.backend.to_string(),
            row.indices_per_second / 1e9,
            row.bytes_per_second / 1e9,
        );
        let columns = [(7, 2), (6, 2), (7, 1), (7, 2), (6, 2)];
        for ((_, ratio), (width, digits)) in row.versus.into_iter().zip(columns) {
            let ratio = ratio.map_or_else(String::new, |ratio| format!("{ratio:.digits$}"));
            text += &format!(" {ratio:>width$}");
        }
        if let Some((ratio, offset)) = row.least {
            text += &format!(" {ratio:>6.2} at {offset} B");
        }
        text.push('\n');
    }
    text
}
