//! `tbindex fairy list`: lists the pieces that meet conditions.

use std::io::{self, BufWriter, Write};

use anyhow::Result;
use serde_json::{Value, json};
use tbindex::Leaper;
use tbindex::Symmetry;
use tbindex::fairy::{Census, Classifier, Filter};

use super::BoardArg;
use crate::cli::args::JsonArg;
use crate::cli::output::{grouped, print, print_json};

/// List the pieces that meet conditions: number, moves, squares and Betza notation
#[derive(clap::Args)]
#[command(after_help = "\
Conditions, with commas between them; ! before one turns it round:
  free  bound                    free, or not, on the plane
  confined  degenerate           held by a half-plane; on a line or a point
  connected  disconnected        connected, or not, on the board
  masked  mask=NAME              within a published mask, such as no-left
  atom=NAME                      containing the wazir, the crab or the Y
  colouring=NAME                 of just this colouring, such as pinwheel-1
  moves<=4  rank=2  index=8      compared by <, <=, =, !=, >=, >

Examples:
  tbindex fairy list --filter 'free,moves<=4'
  tbindex fairy list --filter bound,!masked --symmetric
  tbindex fairy list --filter free,disconnected --board 8x8 --limit 20")]
pub(crate) struct Args {
    /// Conditions that the pieces must meet; if the option is repeated, they must meet all
    #[arg(long, value_name = "CONDITIONS")]
    filter: Vec<Filter>,
    #[command(flatten)]
    board: BoardArg,
    /// Of pieces that are images of each other under the board's symmetries, list only the first
    #[arg(long)]
    symmetric: bool,
    /// Print at most N pieces
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Print only the number of pieces
    #[arg(long, conflicts_with = "limit")]
    count: bool,
    #[command(flatten)]
    json: JsonArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let classifier = Classifier::new(args.board.board);
    let filter = args
        .filter
        .iter()
        .cloned()
        .fold(Filter::default(), Filter::and);
    let symmetries = match args.symmetric {
        true => Census::symmetries(&classifier),
        false => &[Symmetry::Identity],
    };
    let is_first = |piece: Leaper| symmetries.iter().all(|&by| piece.image(by) >= piece);
    let pieces = filter
        .pieces(&classifier)
        .map(|(piece, _)| piece)
        .filter(|&piece| is_first(piece));
    if args.count {
        let count = pieces.count();
        return match args.json.json {
            true => print_json(&json!({ "count": count })),
            false => print(&format!("{count}\n")),
        };
    }
    let limit = args.limit.unwrap_or(u64::MAX);
    let mut shown: Vec<Value> = Vec::new();
    let mut out = BufWriter::new(io::stdout().lock());
    let mut count = 0;
    for piece in pieces {
        count += 1;
        if count > limit {
            continue;
        }
        let betza = piece.betza();
        if args.json.json {
            shown.push(json!({
                "piece": piece.to_string(),
                "moves": piece.len(),
                "squares": piece.list().to_string(),
                "betza": betza,
            }));
        } else {
            let betza = betza.as_deref().unwrap_or("none");
            writeln!(
                out,
                "{piece:<8} {:>2}  {}  {betza}",
                piece.len(),
                piece.list()
            )?;
        }
    }
    out.flush()?;
    drop(out);
    if args.json.json {
        return print_json(&json!({ "count": count, "pieces": shown }));
    }
    if count > limit {
        let (limit, count) = (grouped(limit.into()), grouped(count.into()));
        eprintln!("tbindex: {limit} of {count} pieces listed");
    }
    Ok(())
}
