//! `tbindex fairy census --mates`: counts all pieces by their mating power.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use tbindex::Leaper;
use tbindex::store::PartialFile;
use tbindex_fairy::{
    MateClass, MateClasses, MateRecords, MateSolver, MateTally, longest_mates_picture,
    symmetry_name,
};

use super::census_args::Args;
use super::solved;
use crate::output::{grouped, print, print_json, standard, write_text};

pub(super) fn run(args: &Args) -> Result<()> {
    let (grid, overwrite) = (args.board.board, args.force.overwrite());
    let to_print = Path::new("-");
    let to_write = |path: &Option<PathBuf>| path.clone().filter(|path| path != to_print);
    // A file that can't be written is better known before the work than after it.
    let csv = match to_write(&args.csv) {
        Some(path) => Some((PartialFile::create(&path, overwrite)?, path)),
        None => None,
    };
    if let Some(path) = to_write(&args.svg) {
        drop(PartialFile::create(&path, overwrite)?);
    }
    let solver = MateSolver::new(grid, args.machine.backend());
    let census = solved(
        &solver,
        MateClasses::of(&grid, (0..Leaper::COUNT).map(Leaper::new)),
        &args.machine.pool()?,
    )?;
    let records = MateRecords::new(census, grid, args.symmetric);
    if let Some((mut file, path)) = csv {
        let written = write_classes(&records, BufWriter::with_capacity(1 << 16, &mut file));
        written.with_context(|| format!("{}: can't write to the file", path.display()))?;
        file.finish()?;
    }
    let all = records.all();
    let title = format!(
        "King and short-range piece against king on the {grid} board{}",
        args.up_to()
    );
    if let Some(path) = &args.svg {
        let text = longest_mates_picture(&all, &title);
        if path == to_print {
            return print(&text);
        }
        write_text(path, &text, overwrite)?;
    }
    if args.csv.as_deref() == Some(to_print) {
        return write_classes(&records, standard());
    }
    match args.json.json {
        true => print_json(&object(&records, &all)),
        false => print(&format!("{title}\n\n{}", text(&records, &all))),
    }
}

/// Writes a line for each class.
fn write_classes(records: &MateRecords, mut out: impl Write) -> Result<()> {
    writeln!(
        out,
        "piece,images,moves,symmetry,free,connected,confined,lattice_index,\
         mates,legal_white,wins_white,legal_black,losses_black,longest"
    )?;
    for (class, facts) in records.classes() {
        let power = class.power;
        writeln!(
            out,
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
            class.piece,
            class.images,
            class.piece.steps().len(),
            symmetry_name(class.piece),
            u8::from(facts.free),
            u8::from(facts.board_connected),
            u8::from(facts.half_plane),
            facts.lattice_index.unwrap_or(0),
            power.mates,
            power.legal_white,
            power.wins_white,
            power.legal_black,
            power.losses_black,
            power.longest,
        )?;
    }
    out.flush()?;
    Ok(())
}

/// The counts of a tally, each with its key, its words, and the heading of its column.
fn counts(tally: &MateTally) -> [(&'static str, &'static str, &'static str, u64); 4] {
    let half = "that win more than half, White to move";
    let everywhere = "that win from everywhere, White to move";
    [
        ("pieces", "pieces", "pieces", tally.pieces),
        ("mates", "that have a checkmate", "mate", tally.mates),
        (
            "won_more_than_half",
            half,
            "> half",
            tally.won_more_than_half,
        ),
        (
            "won_everywhere",
            everywhere,
            "everywhere",
            tally.won_everywhere,
        ),
    ]
}

fn object(records: &MateRecords, all: &MateTally) -> Value {
    let group = |tally: &MateTally| -> Map<String, Value> {
        let counts = counts(tally).into_iter();
        counts
            .map(|(key, _, _, value)| (key.to_owned(), json!(value)))
            .collect()
    };
    let longest = all.longest.iter();
    let longest: Map<_, _> = longest
        .map(|(plies, count)| (plies.to_string(), json!(count)))
        .collect();
    let mut object = group(all);
    object.insert("longest".to_owned(), longest.into());
    for (key, _, groups) in records.tables() {
        let groups: Map<_, _> = groups
            .into_iter()
            .map(|((_, name), tally)| (name, group(&tally).into()))
            .collect();
        object.insert(key.to_owned(), groups.into());
    }
    let class = |class: MateClass| {
        json!({
            "piece": class.piece.to_string(),
            "betza": class.piece.betza(),
            "moves": class.piece.steps().len(),
            "images": class.images,
            "mates": class.power.mates,
            "wins_white": class.power.wins_white,
            "legal_white": class.power.legal_white,
            "longest": class.power.longest,
        })
    };
    let records: Map<_, _> = records
        .records()
        .into_iter()
        .map(|(key, _, classes)| (key.to_owned(), classes.into_iter().map(class).collect()))
        .collect();
    object.insert("records".to_owned(), records.into());
    object.into()
}

/// The census as tables for people to read.
fn text(records: &MateRecords, all: &MateTally) -> String {
    let mut text = String::new();
    for (_, words, _, value) in counts(all) {
        let share = 100.0 * value as f64 / all.pieces.max(1) as f64;
        let value = grouped(value.into());
        text += &format!("{words:<42} {value:>10}  {share:>6.2} %\n");
    }
    for (_, heading, groups) in records.tables() {
        text += &format!("\n{heading:<36}");
        for (_, _, column, _) in counts(all) {
            text += &format!(" {column:>11}");
        }
        text.push('\n');
        for ((_, name), tally) in groups {
            text += &format!("{name:<36}");
            for (_, _, _, value) in counts(&tally) {
                text += &format!(" {:>11}", grouped(value.into()));
            }
            text.push('\n');
        }
    }
    text += "\nlongest mate, plies (0: can't force one)\n";
    let wide = 20;
    let mut groups: BTreeMap<u16, u64> = BTreeMap::new();
    for (&plies, count) in &all.longest {
        *groups.entry(plies.div_ceil(wide) * wide).or_default() += count;
    }
    for (last, count) in groups {
        let range = match last {
            0 => "0".to_owned(),
            _ => format!("{}-{last}", last + 1 - wide),
        };
        text += &format!("{range:<36} {:>11}\n", grouped(count.into()));
    }
    for (_, words, classes) in records.records() {
        const SHOWN: usize = 8;
        text += &format!(
            "\n{words}: {} up to symmetry\n",
            grouped(classes.len() as u128)
        );
        for class in classes.iter().take(SHOWN) {
            text += &format!(
                "  {:<8} {:>2} moves  {:>6.2} % won, longest {:>3} plies  {}\n",
                class.piece.to_string(),
                class.piece.steps().len(),
                100.0 * class.power.share(),
                class.power.longest,
                class.piece.betza().as_deref().unwrap_or("none"),
            );
        }
        if classes.len() > SHOWN {
            text += "  ...\n";
        }
    }
    text
}
