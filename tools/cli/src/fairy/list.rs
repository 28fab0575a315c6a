//! `tbindex fairy list`: lists the pieces that meet conditions.

use std::cmp::Reverse;
use std::io::{self, Write};

use anyhow::Result;
use serde_json::{Value, json};
use tbindex::Leaper;
use tbindex::Symmetry;
use tbindex::fairy::Classifier;
use tbindex_fairy::{Filter, MateClasses, MateSolver, MatingPower};

use super::{BoardArg, solved};
use crate::args::{JsonArg, MachineArgs};
use crate::output::{grouped, print, print_json, standard};

/// List the pieces that meet conditions: number, moves, squares and Betza notation
#[derive(clap::Args)]
#[command(after_help = "\
Conditions, with commas between them; ! before one turns it round:
  free  bound                    free, or not, on the plane
  confined  degenerate           held by a half-plane; on a line or a point
  connected  disconnected        connected, or not, on the board
  masked  mask=NAME              within a published mask, such as no-left
  atom=NAME                      containing the wazir, the crab or the Y
  colourbound                    keeping to one of several colours
  colouring=NAME                 of just this colouring, such as pinwheel-1
  moves<=4  rank=2  index=8      compared by <, <=, =, !=, >=, >
  mates  mates>=100              able to give mate with its king; so many checkmates
  wins  wins>50%  wins>=190000   White to move wins from everywhere, or so many positions
  longest>=200                   a longest mate of so many plies
The last three, and --by-strength, solve the pieces that meet all other conditions, up to symmetry: all of them take as
long as fairy census --mates.

Examples:
  tbindex fairy list --filter 'free,moves<=4'
  tbindex fairy list --filter 'bound,!masked' --symmetric
  tbindex fairy list --filter free,disconnected --board 8x8 --limit 20
  tbindex fairy list --filter 'moves<=5,wins>90%' --symmetric --by-strength")]
pub(crate) struct Args {
    /// Conditions that the pieces must meet; if the option is repeated, they must meet all
    #[arg(long, value_name = "CONDITIONS")]
    filter: Vec<Filter>,
    #[command(flatten)]
    board: BoardArg,
    /// Of pieces that are images of each other under the board's symmetries, list only the first
    #[arg(long)]
    symmetric: bool,
    /// List the strongest first: those with which White to move wins the most positions, and of equals those with the
    /// shortest longest mate. Without it, pieces are in the order of their numbers
    #[arg(long)]
    by_strength: bool,
    /// Print at most N pieces
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Print only the number of pieces
    #[arg(long, conflicts_with = "limit")]
    count: bool,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    json: JsonArg,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let classifier = Classifier::new(args.board.board);
    let filter: Filter = args.filter.iter().cloned().collect();
    let symmetries = match args.symmetric {
        true => args.board.board.symmetries(),
        false => &[Symmetry::Identity],
    };
    let is_first = |piece: Leaper| symmetries.iter().all(|&by| piece.image(by) >= piece);
    let candidates = || {
        let pieces = filter.pieces(&classifier);
        pieces.filter(|&(piece, _)| is_first(piece))
    };
    let mates = match filter.asks_for_mates() || args.by_strength {
        true => {
            let solver = MateSolver::new(args.board.board, args.machine.backend());
            let classes = MateClasses::of(&args.board.board, candidates().map(|(piece, _)| piece));
            Some(solved(&solver, classes, &args.machine.pool()?)?)
        }
        false => None,
    };
    let power = |piece: Leaper| mates.as_ref().and_then(|mates| mates.power(piece));
    let pieces = candidates()
        .filter(|(piece, facts)| filter.accepts(*piece, facts, power(*piece).as_ref()))
        .map(|(piece, _)| piece);
    let pieces: Box<dyn Iterator<Item = Leaper>> = match args.by_strength {
        false => Box::new(pieces),
        true => {
            let mut pieces: Vec<Leaper> = pieces.collect();
            pieces.sort_by_cached_key(|&piece| {
                let power = power(piece).unwrap_or_default();
                (Reverse(power.wins_white), power.longest, piece)
            });
            Box::new(pieces.into_iter())
        }
    };
    if args.count {
        let count = pieces.count();
        return match args.json.json {
            true => print_json(&json!({ "count": count })),
            false => print(&format!("{count}\n")),
        };
    }
    let limit = args.limit.unwrap_or(u64::MAX);
    let mut out = standard();
    let mut count = 0;
    if args.json.json {
        out.write_all(b"{\n  \"pieces\": [")?;
    }
    for piece in pieces {
        count += 1;
        if count > limit {
            continue;
        }
        let power = power(piece);
        if args.json.json {
            let begin = if count == 1 { "" } else { "," };
            write!(out, "{begin}\n    {}", object(piece, power))?;
        } else {
            write_line(&mut out, piece, power)?;
        }
    }
    if args.json.json {
        // Nothing is kept, so the count comes behind the pieces.
        let end = if count.min(limit) > 0 { "\n  " } else { "" };
        write!(out, "{end}],\n  \"count\": {count}\n}}\n")?;
    }
    out.flush()?;
    if count == 0 {
        note!("tbindex: no piece meets the conditions");
    }
    if !args.json.json && count > limit {
        let (limit, count) = (grouped(limit.into()), grouped(count.into()));
        note!("tbindex: {limit} of {count} pieces listed");
    }
    Ok(())
}

/// Writes a piece as a line of text.
fn write_line(out: &mut impl Write, piece: Leaper, power: Option<MatingPower>) -> io::Result<()> {
    let (list, betza) = (piece.list(), piece.betza());
    let betza = betza.as_deref().unwrap_or("none");
    write!(
        out,
        "{piece:<8} {:>2}  {list}  {betza}",
        piece.steps().len()
    )?;
    if let Some(power) = power {
        let (mates, longest) = (power.mates, power.longest);
        let won = 100.0 * power.share();
        write!(out, "  mates {mates}, won {won:.2} %, longest {longest}")?;
    }
    out.write_all(b"\n")
}

/// The piece for programs.
fn object(piece: Leaper, power: Option<MatingPower>) -> Value {
    let mut object = json!({
        "piece": piece.to_string(),
        "moves": piece.steps().len(),
        "squares": piece.list().to_string(),
        "betza": piece.betza(),
    });
    if let Some(power) = power {
        object["mates"] = json!(power.mates);
        object["legal_white"] = json!(power.legal_white);
        object["wins_white"] = json!(power.wins_white);
        object["longest"] = json!(power.longest);
    }
    object
}
