//! The solver of mates beside the plain one: `cargo bench -p tbindex-fairy`. The counts are of pieces.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tbindex::Leaper;
use tbindex::batch::Backend;
use tbindex::fairy::Grid;
use tbindex_bench::race::{contender, quick, race};
use tbindex_fairy::{MateSolver, MatingPower};

/// A prime, so that every move is in half of the pieces.
const STEP: usize = 1009;

/// King and piece against king. Every piece is solved; the census solves one of each class, an eighth of them.
fn all(c: &mut Criterion) {
    let pieces: &Vec<Leaper> = &(0..Leaper::COUNT)
        .map(Leaper::new)
        .step_by(100 * STEP)
        .collect();
    let plain = |piece: &Leaper| MateSolver::plain(&Grid::CHESS, *piece);
    let expected: Vec<MatingPower> = pieces.iter().map(plain).collect();
    let mut contenders = vec![contender("plain", || {
        black_box(black_box(pieces).iter().map(plain).collect::<Vec<_>>());
    })];
    for backend in Backend::available() {
        let solver = MateSolver::new(Grid::CHESS, backend);
        let mut powers = vec![MatingPower::default(); pieces.len()];
        solver.solve_into(pieces, &mut powers);
        assert_eq!(powers, expected, "{backend}");
        contenders.push(contender(backend.to_string(), move || {
            solver.solve_into(black_box(pieces), &mut powers);
        }));
    }
    let work = Throughput::Elements(pieces.len() as u64);
    race(c, "fairy/mates", work, contenders);
}

criterion_group! {
    name = benches;
    config = quick();
    targets = all
}
criterion_main!(benches);
