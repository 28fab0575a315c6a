//! Answers FENs as the example `probe` does, by shakmaty-syzygy: another prober, for comparisons.

#[path = "../tests/support/mod.rs"]
mod support;

use std::io::{self, BufRead, Write};
use std::path::Path;

use shakmaty::{CastlingMode, Chess, fen::Fen};
use shakmaty_syzygy::{MaybeRounded, Tablebase};

fn answer(tables: &Tablebase<Chess>, fen: &str) -> Result<String, Box<dyn std::error::Error>> {
    let fen: Fen = fen.parse()?;
    let position = fen
        .into_position(CastlingMode::Standard)
        .or_else(shakmaty::PositionError::ignore_impossible_check)?;
    let wdl = tables.probe_wdl_after_zeroing(&position)?;
    let (MaybeRounded::Precise(plies) | MaybeRounded::Rounded(plies)) =
        tables.probe_dtz(&position)?;
    Ok(format!("{}; {}", wdl as i32, i32::from(plies)))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os()
        .nth(1)
        .ok_or("a folder of tables is needed")?;
    let tables = support::other_prober(Path::new(&folder));
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let fen = line?;
        let text = answer(&tables, &fen).unwrap_or_else(|error| error.to_string());
        writeln!(out, "{fen}; {text}")?;
    }
    Ok(())
}
