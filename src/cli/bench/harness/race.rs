//! Times pieces of code in turns, so that whatever disturbs the machine disturbs all of them.

use std::time::{Duration, Instant};

/// Long enough for the clock and short enough for many turns, in seconds.
const TURN: f64 = 40e-6;

/// Lets so many contenders run in turn until the time is over, but at least three times each: `run` makes a pass of the
/// one whose number it is given. Returns the seconds that a pass of each took, the least of all turns.
pub(crate) fn race(time: Duration, contenders: usize, mut run: impl FnMut(usize)) -> Vec<f64> {
    let mut best = vec![f64::INFINITY; contenders];
    let mut passes = vec![1u32; contenders];
    let start = Instant::now();
    let mut rounds = 0;
    while rounds < 3 || start.elapsed() < time {
        for k in 0..contenders {
            let began = Instant::now();
            for _ in 0..passes[k] {
                run(k);
            }
            let took = began.elapsed().as_secs_f64();
            let pass = took / f64::from(passes[k]);
            // The first round is a rehearsal.
            if rounds > 0 {
                best[k] = pass.min(best[k]);
            }
            if took < TURN {
                passes[k] = ((TURN / pass) as u32).clamp(1, 1 << 16);
            }
        }
        rounds += 1;
    }
    best
}
