//! How long tables take, table by table: the least of several runs, within one process.
//!
//! `cargo run --release -p tbgen --example times -- dtz|dtm THREADS RUNS MATERIAL…`

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use tbgen::{Library, Metric, Options, needed_by, solve};
use tbindex::Material;
use tbindex::batch::Backend;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let metric = match arguments.next().as_deref() {
        Some("dtz") => Metric::Dtz,
        Some("dtm") => Metric::Dtm,
        _ => return Err("dtz or dtm?".into()),
    };
    let threads: usize = arguments.next().ok_or("threads?")?.parse()?;
    let runs: u32 = arguments.next().ok_or("runs?")?.parse()?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let stop = AtomicBool::new(false);
    let options = Options::new(metric, Backend::detect(), &stop);
    for name in arguments {
        let all = needed_by(&name.parse::<Material>()?);
        let mut best: BTreeMap<String, Duration> = BTreeMap::new();
        let mut total = Duration::MAX;
        for _ in 0..runs {
            let begin = Instant::now();
            let mut library = Library::default();
            for material in &all {
                let begin = Instant::now();
                let table = pool.install(|| solve(material, &library, options))?;
                let time = begin.elapsed();
                let least = best.entry(material.to_string()).or_insert(time);
                *least = time.min(*least);
                library.insert(table);
            }
            total = total.min(begin.elapsed());
        }
        println!("{name}: {total:.1?} with all it needs, {threads} threads; alone {best:.1?}");
    }
    Ok(())
}
