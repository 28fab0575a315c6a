//! `tbindex fairy list`: lists the pieces that meet conditions.

use std::io::{self, BufWriter, Write};

use anyhow::Result;
use serde_json::{Value, json};
use tbindex::Leaper;
use tbindex::Symmetry;
use tbindex::batch::Backend;
use tbindex::fairy::{Census, Classifier, Filter, MateCensus, MateClasses, MateSolver};

use super::BoardArg;
use crate::cli::args::{JsonArg, ThreadsArg};
use crate::cli::interrupt;
use crate::cli::output::{grouped, print, print_json, progress};

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
  mates  mates>=100              able to give mate with its king; so many checkmates
  wins  wins>50%  wins>=190000   White to move wins from everywhere, or so many positions
  longest>=200                   a longest mate of so many plies
The last three solve the pieces that meet all other conditions, up to symmetry: all of them take as
long as fairy census --mates.

Examples:
  tbindex fairy list --filter 'free,moves<=4'
  tbindex fairy list --filter bound,!masked --symmetric
  tbindex fairy list --filter free,disconnected --board 8x8 --limit 20
  tbindex fairy list --filter 'moves<=5,wins' --symmetric")]
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
    threads: ThreadsArg,
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
    let candidates = || {
        let pieces = filter.pieces(&classifier).map(|(piece, _)| piece);
        pieces.filter(|&piece| is_first(piece))
    };
    let mates = match filter.asks_for_mates() {
        true => Some(mates(args, candidates())?),
        false => None,
    };
    let power = |piece: Leaper| mates.as_ref().and_then(|mates| mates.power(piece));
    let pieces = candidates().filter(|&piece| {
        let power = power(piece);
        power.is_none_or(|power| filter.accepts_power(&power))
    });
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
            let mut object = json!({
                "piece": piece.to_string(),
                "moves": piece.len(),
                "squares": piece.list().to_string(),
                "betza": betza,
            });
            if let Some(power) = power(piece) {
                object["mates"] = power.mates.into();
                object["legal_white"] = power.legal_white.into();
                object["wins_white"] = power.wins_white.into();
                object["longest"] = power.longest.into();
            }
            shown.push(object);
        } else {
            let betza = betza.as_deref().unwrap_or("none");
            write!(
                out,
                "{piece:<8} {:>2}  {}  {betza}",
                piece.len(),
                piece.list()
            )?;
            if let Some(power) = power(piece) {
                let (mates, longest) = (power.mates, power.longest);
                let won = 100.0 * power.share();
                write!(out, "  mates {mates}, won {won:.2} %, longest {longest}")?;
            }
            writeln!(out)?;
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

/// What the pieces achieve with their king, solved up to symmetry.
fn mates(args: &Args, pieces: impl Iterator<Item = Leaper>) -> Result<MateCensus> {
    interrupt::watch();
    let solver = MateSolver::new(args.board.board, Backend::detect());
    let classes = MateClasses::of(solver.grid(), pieces);
    let bar = progress(classes.piece_count(), "pieces");
    let solved = args.threads.pool()?.install(|| {
        MateCensus::try_new(&solver, classes, &|done| {
            bar.inc(done);
            interrupt::check()
        })
    });
    bar.finish_and_clear();
    solved
}
