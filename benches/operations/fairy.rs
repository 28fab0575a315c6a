//! Short-range pieces: the batch classifier and the census beside plain loops over pieces: `fairy/OPERATION/CODE`.
//! All counts are of pieces, so that the throughputs compare; the plain loop runs on every 1009th piece, as one run over
//! all takes half a minute.

use std::hint::black_box;

use criterion::{Criterion, Throughput};
use tbindex::Leaper;
use tbindex::fairy::{Census, Classifier, Grid, PieceFacts, Verdict};
use tbindex_bench::race::{contender, race};

/// A prime, so that every move is in half of the pieces.
const STEP: usize = 1009;

pub(crate) fn all(c: &mut Criterion) {
    let pieces: &Vec<Leaper> = &(0..Leaper::COUNT).map(Leaper::new).step_by(STEP).collect();
    let classifier = Classifier::new(Grid::CHESS);
    let alone = |piece: Leaper| (Verdict::of(piece), Grid::CHESS.is_connected(piece));
    let mut facts = vec![PieceFacts::default(); pieces.len()];
    classifier.classify_into(pieces, &mut facts);
    for (&piece, facts) in pieces.iter().zip(&facts) {
        let (verdict, connected) = alone(piece);
        assert_eq!(
            (facts.free, facts.board_connected),
            (verdict.is_free(), connected)
        );
    }
    let batch = contender("batch", || {
        classifier.classify_into(black_box(pieces), &mut facts);
    });
    let plain = contender("plain", || {
        for &piece in black_box(pieces) {
            black_box(alone(piece));
        }
    });
    let work = Throughput::Elements(pieces.len() as u64);
    race(c, "fairy/classify", work, [batch, plain]);

    let censuses = [1, 2].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.expect("threads can be started");
        contender(format!("batch on {threads}"), move || {
            // With the preparation for the board: that is what a census takes.
            pool.install(|| Census::new(&Classifier::new(Grid::CHESS), &|_| {}));
        })
    });
    let everything = Throughput::Elements(1 << 24);
    race(c, "fairy/census", everything, censuses);
}
