//! `tbindex estimate`: prints what a table costs under every scheme.

use anyhow::Result;
use indicatif::HumanBytes;
use serde_json::{Value, json};
use tbindex::{Estimate, Material};

use super::args::JsonArg;
use super::output::{grouped, print, print_json};

/// Print what a table of each material costs under every dense numbering
///
/// For every scheme it prints the number of slots, the bytes for one side to move at 1 bit, 2 bits and 1
/// byte a slot, and the excess over the exact count. The exact count is the number of placements up to
/// symmetry and the exchange of like pieces, with no two pieces on one square and the kings not on
/// neighbouring squares. In JSON, the tables are in the array `materials`, also if there is only one, and
/// numbers beyond 64 bits are strings.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbindex estimate KQRvKR KRRvKR")]
pub(crate) struct Args {
    /// The pieces, such as KQRvKR
    #[arg(required = true)]
    materials: Vec<Material>,
    #[command(flatten)]
    json: JsonArg,
}

/// The widths of a slot that are listed, in bits, with their names.
const WIDTHS: [(u32, &str, &str); 3] = [
    (1, "1 bit", "bytes_1_bit"),
    (2, "2 bits", "bytes_2_bits"),
    (8, "1 byte", "bytes_1_byte"),
];

pub(crate) fn run(args: &Args) -> Result<()> {
    if !args.json.json {
        let tables: Vec<String> = args.materials.iter().copied().map(table).collect();
        return print(&tables.join("\n"));
    }
    let rows: Vec<Value> = args.materials.iter().copied().map(object).collect();
    print_json(&json!({ "materials": rows }))
}

fn table(material: Material) -> String {
    let exact = Estimate::exact(material);
    let mut text = format!(
        "{material}: {} pieces, symmetries {}; exactly {} positions for each side to move\n",
        material.piece_count(),
        material.group(),
        grouped(exact),
    );
    let all = Estimate::all(material);
    let widest = all.iter().map(|e| grouped(e.slots).len()).max();
    let wide = widest.unwrap_or(0).max(5);
    text += &format!("  {:<17} {:>wide$}", "scheme", "slots");
    for (_, name, _) in WIDTHS {
        text += &format!(" {name:>11}");
    }
    text += &format!(" {:>9}  has room for\n", "overhead");
    for estimate in all {
        text += &format!(
            "  {:<17} {:>wide$}",
            estimate.scheme,
            grouped(estimate.slots)
        );
        for (bits, _, _) in WIDTHS {
            text += &format!(
                " {:>11}",
                estimate.bytes(bits).map_or("?".to_owned(), human)
            );
        }
        let percent = 100.0 * overhead(&estimate, exact);
        text += &format!(" {percent:>8.1}%  {}\n", estimate.room);
    }
    text
}

fn object(material: Material) -> Value {
    let exact = Estimate::exact(material);
    let schemes: serde_json::Map<String, Value> = Estimate::all(material)
        .into_iter()
        .map(|estimate| {
            let mut scheme = serde_json::Map::new();
            scheme.insert("slots".to_owned(), number(Some(estimate.slots)));
            for (bits, _, key) in WIDTHS {
                scheme.insert(key.to_owned(), number(estimate.bytes(bits)));
            }
            scheme.insert("overhead".to_owned(), json!(overhead(&estimate, exact)));
            scheme.insert("room".to_owned(), json!(estimate.room));
            (estimate.scheme.to_owned(), Value::Object(scheme))
        })
        .collect();
    json!({
        "material": material.to_string(),
        "pieces": material.piece_count(),
        "group": material.group().name(),
        "exact": number(Some(exact)),
        "schemes": schemes,
    })
}

/// The number of slots beyond the exact count, as a share of that count.
fn overhead(estimate: &Estimate, exact: u128) -> f64 {
    // Exact to 53 bits, far more than is printed.
    estimate.slots as f64 / exact as f64 - 1.0
}

/// A number for JSON readers, as a string beyond 64 bits.
fn number(value: Option<u128>) -> Value {
    match value.map(u64::try_from) {
        None => Value::Null,
        Some(Ok(value)) => json!(value),
        Some(Err(_)) => json!(value.map(|v| v.to_string())),
    }
}

/// A number of bytes with a binary unit, the largest that fits.
fn human(bytes: u128) -> String {
    match u64::try_from(bytes) {
        Ok(bytes) => HumanBytes(bytes).to_string(),
        Err(_) => format!("{:.2e} B", bytes as f64),
    }
}
