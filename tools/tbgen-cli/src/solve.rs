//! `tbgen solve`: answers for a position without any files.

use std::sync::Arc;

use anyhow::Result;
use tbgen::{Shape, Tables, reachable, reachable_memory};
use tbindex::Rights;

use super::answers::{
    can_mate, describe_answer, describe_mates, describe_worth, letters, parse_position, row_of,
};
use super::help::solving;
use super::machine::MachineArgs;
use super::tables::solver;
use super::{at_least, mebibytes, parse_size, print, print_json, refuse};

/// Answers for a position, with all tables that it needs generated in memory
///
/// A position may have up to 8 pieces, and castling rights. With pawns, only what can still be reached from where they stand is solved. The
/// fifty-move counter of the FEN decides whether a win still comes in time. The line is one of best play: to the shortest
/// mate that the counter allows.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tbgen solve '8/8/8/3k4/8/8/3KP3/8 w - - 0 1'")]
pub(crate) struct Args {
    /// Position as a FEN
    #[arg(value_name = "FEN")]
    position: String,
    /// The short-range piece that a letter of the FEN stands for, such as L=WD; may be repeated
    #[arg(long, value_name = "LETTER=PIECE")]
    piece: Vec<String>,
    /// The most memory to use, such as 4G; work that may need more is refused before it begins
    #[arg(long, value_name = "SIZE", value_parser = parse_size, default_value = "8G")]
    memory: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    machine: MachineArgs,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let fen = args.position.trim();
    let position = parse_position(fen, &letters(&args.piece)?, Rights::Keep)?;
    // Mates, stalemates and dead draws need no table.
    let over = !position.can_move() || position.is_insufficient();
    let shapes = match over {
        true => Vec::new(),
        false => reachable(&position)?,
    };
    let (backend, pool) = (args.machine.backend(), Arc::new(args.machine.pool()?));
    // Helpmates say who can still checkmate, if there is memory for them.
    let is_chess = args.piece.is_empty() && position.castling().is_empty();
    let helpmates = is_chess.then(|| solving(&position, Arc::clone(&pool), backend, args.memory));
    let helpmates = helpmates.and_then(Result::ok);
    let of_helpmates = helpmates.as_ref().map_or(0, |&(memory, _)| memory);
    let memory = pool.install(|| reachable_memory(&position, &shapes));
    let memory = memory.max(of_helpmates);
    let parts: usize = shapes.iter().map(Shape::parts).sum();
    note!(
        "{} table{} in {parts} part{}, up to {} of memory",
        shapes.len(),
        if shapes.len() == 1 { "" } else { "s" },
        if parts == 1 { "" } else { "s" },
        mebibytes(memory)
    );
    if memory > args.memory {
        return refuse(format!(
            "the position needs up to {} of memory: --memory allows {}; generate makes whole tables in less, in files",
            at_least(memory),
            mebibytes(args.memory)
        ));
    }
    let can_mate = helpmates.map(|(_, tables)| can_mate(&position, &tables));
    let can_mate = can_mate.transpose()?.flatten();
    let tables = Tables::on_demand(args.memory, pool, solver(backend, shapes.len()));
    let line = tables.line(&position)?;
    let answer = tables.answer(&position)?;
    let moves = tables.moves(&position)?;
    if args.json {
        let of = (fen, &position);
        return print_json(&row_of(of, &answer, can_mate, Some(&moves), Some(&line)));
    }
    let mut text = format!(
        "{fen}: {}{}\n",
        describe_answer(&answer),
        describe_mates(can_mate)
    );
    for step in &moves {
        let worth = describe_worth(step);
        text += &format!("  {:<6} {:<8} {worth}\n", step.uci, step.san);
    }
    if !line.moves.is_empty() {
        let names: Vec<&str> = line.moves.iter().map(|step| step.san.as_str()).collect();
        text += &format!("line: {}\n", names.join(" "));
    }
    print(&text)
}
