//! The needs of solving tables one after the other, of which larger ones are made, without files of their own.

use std::collections::HashSet;

use tbindex::bitbase::Row;

use super::memory::{DUE_SETS, threads_of};
use crate::chess::piece_set::Endgame;
use crate::solve::options::Residence;
use crate::table::shape::Shape;
use crate::table::value::Metric;

/// Tables that are solved one after the other, each after those that it needs.
#[derive(Clone, Copy, Debug)]
pub struct InTurn<'a> {
    /// Their shapes.
    pub shapes: &'a [Shape],
    /// The metric: the metrics of both victims, or one metric.
    pub metrics: &'a [Metric],
    /// Whether all stay, or those that others lead to.
    pub all_stay: bool,
}

/// The bytes of so many sets of each part of a shape that is in work.
fn sets_in_work(shape: &Shape, sets: u64) -> u64 {
    threads_of(1).min(shape.parts_at_once() as u64) * sets * shape.any_domain().bytes()
}

/// The bytes in which a shape is solved whose sets are on disk: four sets, and for each slice that a thread works on, or whose
/// conversions are looked at, 48 slices: twice what six planes of codes and what is gathered take.
fn on_disk_memory(shape: &Shape) -> u64 {
    let domain = shape.any_domain();
    let slice = (domain.rows() * size_of::<Row>()) as u64;
    let at_once = Residence::Memory.seeded_at_once(domain) + rayon::current_num_threads();
    4 * domain.bytes() + at_once as u64 * 48 * slice + (256 << 20)
}

impl<'a> InTurn<'a> {
    /// The earlier shapes that stay while one is solved.
    fn kept(&self, number: usize) -> impl Iterator<Item = &'a Shape> {
        let (before, to_come) = self.shapes.split_at(number);
        let wanted = to_come.iter().flat_map(|shape| shape.endgame().led_to());
        let wanted: HashSet<Endgame> = wanted.collect();
        let all = self.all_stay;
        before
            .iter()
            .filter(move |shape| all || wanted.contains(&shape.endgame()))
    }

    /// The most memory, in bytes, if large tables are kept in temporary files, or all in memory.
    #[must_use]
    pub fn memory(&self, files: bool) -> u64 {
        let is_in_file = |shape: &Shape| files && shape.is_worth_packing();
        let metrics = self.metrics.len() as u64;
        let each = self.shapes.iter().enumerate().map(|(number, shape)| {
            let kept = self.kept(number).filter(|shape| !is_in_file(shape));
            let kept = kept.map(|shape| metrics * shape.kept_memory(self.metrics[0]));
            let work = if files && shape.has_sets_in_files() {
                on_disk_memory(shape)
            } else if is_in_file(shape) {
                // With the planes of a part, until these are in the file.
                sets_in_work(shape, 64 + 2 * 6) + (128 << 20)
            } else {
                // Six planes of codes and two sides to move.
                metrics * 2 * 6 * shape.slots() / 8 + sets_in_work(shape, 64) + (128 << 20)
            };
            work + kept.sum::<u64>()
        });
        each.max().unwrap_or(0)
    }

    /// The most memory, in bytes, of earlier tables that stay in memory while one is solved or packed; large ones are in
    /// temporary files.
    #[must_use]
    pub fn kept_memory(&self) -> u64 {
        let each = (0..self.shapes.len()).map(|number| {
            let kept = self.kept(number).filter(|shape| !shape.is_worth_packing());
            let kept = kept.map(|shape| shape.kept_memory(self.metrics[0]));
            kept.sum::<u64>()
        });
        self.metrics.len() as u64 * each.max().unwrap_or(0)
    }

    /// The bytes that temporary files are likely not to exceed.
    #[must_use]
    pub fn temporary(&self) -> u64 {
        let each = self.shapes.iter().enumerate().map(|(number, shape)| {
            let kept = self.kept(number).chain([shape]);
            let large = kept.filter(|shape| shape.is_worth_packing());
            let files = large.map(|shape| {
                let metrics = self
                    .metrics
                    .iter()
                    .filter(|&&metric| shape.has_mates(metric));
                metrics.count() as u64 * shape.likely_packed()
            });
            // The won and the lost positions, and the due ones, by a metric.
            let sets = u64::from(shape.has_sets_in_files()) * (2 + DUE_SETS);
            files.sum::<u64>() + sets * shape.any_domain().bytes()
        });
        each.max().unwrap_or(0)
    }
}
