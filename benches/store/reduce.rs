//! Reductions in memory beside the straightforward pipeline.

use super::rivals::Tables;
use tbindex::batch::{Backend, BatchWord};
use tbindex::store::{Method, Reduction, unwatched};
use tbindex::{Equivalence, Numbering};

use super::yardstick::{Random, measure, report};

pub(crate) fn reductions<W: BatchWord>(material: &str, count: usize, methods: &[Method]) {
    let same =
        Equivalence::<W>::of_material(material.parse().unwrap(), Numbering::Natural).unwrap();
    let indices: Vec<W> = Random(88_172_645_463_325_252).indices(count, same.layout().pieces());
    println!(
        "\nreduce {count} random indices of {material} ({} bits)",
        W::BITS
    );

    let tables = Tables::new(&same.layout());
    let mut expected = Vec::new();
    let portable = Backend::from_name("portable").unwrap();
    let straightforward = measure(2, || {
        let mut all = vec![W::ZERO; indices.len()];
        tables.canonical(portable, &indices, &mut all);
        all.sort_unstable();
        all.dedup();
        expected = all;
    });
    report(
        "straightforward: look-up, sort, dedup",
        straightforward,
        None,
        None,
    );
    for &method in methods {
        for threads in [1, 2] {
            let reduction = Reduction {
                memory: 8 << 30,
                threads,
                method,
                ..Reduction::default()
            };
            let mut reduced: Vec<W> = Vec::new();
            let took = measure(3, || {
                reduced.clear();
                reduced.reserve_exact(expected.len());
                let slices = [(Numbering::Natural, indices.as_slice())];
                let take = |some: &[W]| {
                    reduced.extend_from_slice(some);
                    Ok(())
                };
                reduction
                    .reduce(same.clone(), slices, take, unwatched)
                    .unwrap();
            });
            assert!(reduced == expected);
            let rate = Some((count as f64 / 1e6, "M/s"));
            let than = Some((straightforward, "straightforward"));
            report(&format!("{method}, {threads} threads"), took, rate, than);
        }
    }
}
