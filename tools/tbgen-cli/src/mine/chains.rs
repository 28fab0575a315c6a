//! The longest chains of only moves among what was found.

use std::io;
use std::sync::atomic::Ordering;

use rayon::prelude::*;
use serde_json::json;
use tbgen::{Chains, Hit, Library, Metric, Outcome, SolveError, Table};
use tbindex::Color;

use super::{Format, Search, numbered, stop_flag};

/// The longest chain so far.
#[derive(Default)]
struct Longest {
    length: u16,
    /// The number of positions that have as long a one, and the first of them.
    count: u64,
    first: Option<Hit>,
}

impl Longest {
    fn add(&mut self, chains: &Chains<'_>, metric: Metric, some: &[Hit]) -> Result<(), SolveError> {
        let length = |hit: &Hit| {
            // A single chain may take long.
            if stop_flag().load(Ordering::Relaxed) {
                return Err(SolveError::Interrupted);
            }
            // By the distance to mate a winner makes no more moves.
            let most = hit.value.plies.div_ceil(2);
            let is_short = metric == Metric::Dtm && most < self.length;
            match is_short || hit.value.outcome != Outcome::Win {
                true => Ok(0),
                false => Ok(chains.length(&hit.position).map_err(io::Error::other)?),
            }
        };
        let lengths: Result<Vec<u16>, _> = some.par_iter().map(length).collect();
        for (hit, length) in some.iter().zip(lengths?) {
            if length > self.length {
                *self = Longest {
                    length,
                    count: 0,
                    first: Some(*hit),
                };
            }
            self.count += u64::from(length > 0 && length == self.length);
        }
        Ok(())
    }
}

impl Search<'_> {
    /// The line of a table that says which of the positions that the query has begin the longest chain of only moves.
    pub(super) fn chains(
        &mut self,
        table: &Table,
        library: &Library,
    ) -> Result<String, SolveError> {
        let chains = Chains::new(table, library);
        let mut longest = Longest::default();
        self.hits(table, library, |some| {
            longest.add(&chains, table.metric(), some)
        })?;
        let name = table.material().to_string();
        let json = self.args.format == Format::Json;
        let Some(Hit { position, .. }) = longest.first else {
            return Ok(match json {
                true => format!("{}\n", json!({ "material": name, "chain": 0 })),
                false => format!("{name}: no only moves\n"),
            });
        };
        let line = chains.line(&position).map_err(io::Error::other)?;
        let (length, count) = (longest.length, longest.count);
        if !json {
            let line = numbered(&line, position.side == Color::Black);
            return Ok(format!(
                "{name}: {length} only moves in {count} positions: {position}: {line}\n"
            ));
        }
        let json = json!({
            "material": name,
            "metric": table.metric().name(),
            "chain": length,
            "positions": count,
            "fen": position.to_string(),
            "line": line,
        });
        Ok(format!("{json}\n"))
    }
}
