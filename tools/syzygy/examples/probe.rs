//! Answers FENs: `cargo run --release -p syzygy-tables --example probe -- FOLDER < FENS`. Each line of output is a
//! FEN, the outcome from −2 to 2, and the distance; or a FEN and an error.

use std::io::{self, BufRead, Write};

use syzygy_tables::{Error, Tables};

fn answer(tables: &Tables, fen: &str) -> Result<String, Error> {
    let Ok(board) = fen.parse() else {
        return Ok("no position".to_string());
    };
    let wdl = tables.probe_wdl(&board)?;
    Ok(format!(
        "{}; {}",
        wdl as i8,
        tables.probe_dtz(&board)?.plies
    ))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os()
        .nth(1)
        .ok_or("a folder of tables is needed")?;
    let tables = Tables::open(folder)?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let fen = line?;
        let text = answer(&tables, &fen).unwrap_or_else(|error| error.to_string());
        writeln!(out, "{fen}; {text}")?;
    }
    Ok(())
}
