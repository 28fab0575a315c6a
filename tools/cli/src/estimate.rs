//! `tbindex estimate`: prints the size of a table under every scheme.

use anyhow::Result;
use indicatif::HumanBytes;
use serde_json::{Value, json};
use tbindex::{Compact, Diagonal, Estimate, Material, Rules};

use super::args::JsonArg;
use super::files::json_count;
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
const WIDTHS: [(u32, &str); 3] = [(1, "1 bit"), (2, "2 bits"), (8, "1 byte")];

pub(crate) fn run(args: &Args) -> Result<()> {
    if !args.json.json {
        let tables: Vec<String> = args.materials.iter().copied().map(table).collect();
        return print(&tables.join("\n"));
    }
    let rows: Vec<Value> = args.materials.iter().copied().map(object).collect();
    print_json(&json!({ "materials": rows }))
}

fn table(material: Material) -> String {
    let exact = Compact::<u128>::slots(material, Rules::KingsApart, Diagonal::Exact);
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
    for (_, name) in WIDTHS {
        text += &format!(" {name:>11}");
    }
    text += &format!(" {:>9}  has room for\n", "overhead");
    for estimate in all {
        text += &format!(
            "  {:<17} {:>wide$}",
            estimate.scheme,
            grouped(estimate.slots)
        );
        for (bits, _) in WIDTHS {
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
    let exact = Compact::<u128>::slots(material, Rules::KingsApart, Diagonal::Exact);
    let schemes: serde_json::Map<String, Value> = Estimate::all(material)
        .into_iter()
        .map(|estimate| {
            let bytes = |bits| estimate.bytes(bits).map(json_count);
            let scheme = json!({
                "slots": json_count(estimate.slots),
                "bytes_1_bit": bytes(1),
                "bytes_2_bits": bytes(2),
                "bytes_1_byte": bytes(8),
                "overhead": overhead(&estimate, exact),
                "room": estimate.room,
            });
            (estimate.scheme.to_owned(), scheme)
        })
        .collect();
    json!({
        "material": material.to_string(),
        "pieces": material.piece_count(),
        "group": material.group().to_string(),
        "exact": json_count(exact),
        "schemes": schemes,
    })
}

/// The number of slots beyond the exact count, as a share of that count.
fn overhead(estimate: &Estimate, exact: u128) -> f64 {
    // Exact to 53 bits, far more than is printed.
    estimate.slots as f64 / exact as f64 - 1.0
}

/// A number of bytes with a binary unit, the largest that fits.
fn human(bytes: u128) -> String {
    match u64::try_from(bytes) {
        Ok(bytes) => HumanBytes(bytes).to_string(),
        Err(_) => format!("{:.2e} B", bytes as f64),
    }
}
