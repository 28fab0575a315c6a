//! The command line.
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use tbgen::*;

fn main() {
    let name = std::env::args().nth(1).unwrap();
    let threads: usize = std::env::args().nth(2).map_or(1, |t| t.parse().unwrap());
    let backend = std::env::args()
        .nth(3)
        .map_or(Backend::detect(), |t| t.parse().unwrap());
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap();
    let start = Instant::now();
    let stop = AtomicBool::new(false);
    let mut library = Library::default();
    let all = needed_by(&name.parse().unwrap());
    for material in &all {
        let begin = Instant::now();
        let table = pool
            .install(|| {
                solve(
                    material,
                    &library,
                    Options {
                        backend,
                        progress: &|_| (),
                        stop: &stop,
                    },
                )
            })
            .unwrap();
        eprintln!("{material} {:?}", begin.elapsed());
        library.insert(table);
    }
    eprintln!("total {:?}", start.elapsed());
    if std::env::args().nth(4).as_deref() == Some("v") {
        let table = library.get(all.last().unwrap()).unwrap();
        let begin = Instant::now();
        let sample = if all.last().unwrap().piece_count() == 5 {
            Sample::OneIn(20)
        } else {
            Sample::All
        };
        match verify_moves(table, &library, sample) {
            Ok(n) => println!("{name} moves ok {n} {:?}", begin.elapsed()),
            Err(e) => println!("{name} moves BAD {e}"),
        }
        let folder = std::path::Path::new("/work/shared/data/syzygy");
        let (published, _) = Published::open(folder).unwrap();
        if published.has(table, folder) {
            let begin = Instant::now();
            match published.verify(table, Sample::All) {
                Ok(n) => println!("{name} syzygy ok {n} {:?}", begin.elapsed()),
                Err(e) => println!("{name} syzygy BAD {e}"),
            }
        }
        return;
    }
    if std::env::args().nth(4).is_some() {
        return;
    }
    let stats = Stats::of(
        library.get(all.last().unwrap()).unwrap(),
        Counting::Unordered,
    );
    println!("{:#}", stats.to_json());
}
