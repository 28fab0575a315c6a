//! The native answers that the tests compare with: `native checksums STRIDE MATERIAL…` or `native solve <FENS`, JSON lines.
//! A position that is not legal has an `error`.

use std::io::BufRead;

use serde_json::json;
use tbindex_wasm::solve::{counted, solved, sum_of};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.first().map(String::as_str) {
        Some("checksums") => {
            let stride = args[1].parse()?;
            for material in &args[2..] {
                for metric in ["dtz", "dtm"] {
                    let counts = counted(material, metric, None)?;
                    let sum = sum_of(material, metric, stride)?;
                    println!(
                        "{}",
                        json!({"material": material, "metric": metric, "sum": sum, "counts": counts})
                    );
                }
            }
        }
        Some("solve") => {
            for fen in std::io::stdin().lock().lines() {
                let answer = match solved(&fen?, None) {
                    Ok(solution) => serde_json::to_value(solution)?,
                    Err(error) => json!({ "error": error }),
                };
                println!("{answer}");
            }
        }
        _ => return Err("expected checksums STRIDE MATERIAL… or solve".into()),
    }
    Ok(())
}
