//! The room that the table of a shape takes on disk, and how large tables are put into files.

use tbindex::bitbase::Row;

use crate::table::shape::Shape;
use crate::table::value::Metric;

/// The most parts of a table with a checkpoint: where each solved slice is in its file is kept in memory.
const MOST_RECORDED_PARTS: usize = 50_000;

/// The slots of tables that are compressed in memory while they are not in use, if they have more.
pub(crate) const WORTH_PACKING: u64 = 64 << 20;

impl Shape {
    /// The greatest size, in bytes, that the table's file can have, which is that without compression.
    pub(crate) fn greatest_file(&self) -> u64 {
        let blocks = (self.parts() * self.any_domain().slices() * self.any_domain().slabs()) as u64;
        2 * self.slots() + 32 * blocks + 4096
    }

    /// The size, in bytes, that the table's file is likely not to exceed. Of all tables of three pieces, none takes more
    /// than 0.74 of the greatest (KRvK), and of those of four and five pieces none more than 0.61 (KQvKR by the distance to
    /// mate). Two tables of six pieces took 0.1.
    #[must_use]
    pub fn likely_file(&self) -> u64 {
        match self.material().piece_count() {
            3 => self.greatest_file() / 4 * 3,
            4 | 5 => self.greatest_file() / 8 * 5,
            _ => self.greatest_file() / 3,
        }
    }

    /// The size, in bytes, that the files of tables of these shapes are likely not to exceed together. All 145 tables of
    /// three to five pieces take 0.34 of the greatest by the distance to mate. A king alone checkmates nobody.
    #[must_use]
    pub fn likely_files<'a>(tables: impl Iterator<Item = (&'a Shape, Metric)>) -> u64 {
        let (mut all, mut largest) = (0, 0);
        for (shape, _) in tables.filter(|(shape, metric)| shape.has_mates(*metric)) {
            let mean = match shape.material().piece_count() {
                3..=5 => shape.greatest_file() / 8 * 3,
                _ => shape.greatest_file() / 6,
            };
            all += mean;
            largest = largest.max(shape.likely_file() - mean);
        }
        all + largest
    }

    /// The size, in bytes, that Syzygy files of tables of these shapes are likely not to exceed together. That of one
    /// table is between nearly nothing and a sixth of its slots.
    #[must_use]
    pub fn likely_syzygy_files(shapes: &[Shape]) -> u64 {
        let each = shapes.iter().map(|shape| shape.slots() / 16 + 4096);
        let largest = shapes.iter().map(Shape::slots).max().unwrap_or(0);
        each.sum::<u64>() + largest / 10
    }

    /// The size, in bytes, that the table is likely not to exceed where it is put aside while it is solved and
    /// written: one with pawns, part by part.
    #[must_use]
    pub fn likely_aside(&self) -> u64 {
        match self.material().has_pawns() {
            true => self.if_packed(self.slots()),
            false => 0,
        }
    }

    /// The size, in bytes, that the table is likely not to exceed where it is put aside for a larger one. Four tables of five
    /// pieces took 0.7 for each slot, and 0.5 compressed by LZ4, which made 0.58 of four of six pieces.
    pub(crate) fn likely_packed(&self) -> u64 {
        self.if_packed(self.slots())
    }

    /// The size, in bytes, that the table's outcomes are likely not to exceed where they are put aside.
    #[must_use]
    pub fn likely_outcomes(&self) -> u64 {
        self.if_packed(self.slots() / 2)
    }

    fn if_packed(&self, bytes: u64) -> u64 {
        if self.is_worth_packing() { bytes } else { 0 }
    }

    /// Whether the table is so large that it is compressed in memory while it is not in use.
    pub(crate) fn is_worth_packing(&self) -> bool {
        self.slots() > WORTH_PACKING
    }

    /// Whether the table is compressed while it is not in use: if it is worth that, or if slices take more rows than they have
    /// positions for, as those of one man do.
    pub(crate) fn is_put_aside(&self) -> bool {
        let slots = 8 * (self.any_domain().rows() * size_of::<Row>()) as u64;
        self.is_worth_packing() || self.any_domain().slice_slots() < slots
    }

    /// Whether the table can have a checkpoint while it is solved: it has no short-range pieces, and not too many
    /// parts.
    pub(crate) fn may_have_checkpoint(&self) -> bool {
        self.piece_set().is_chess() && self.parts() <= MOST_RECORDED_PARTS
    }

    /// Whether the table has a checkpoint in any case, because distances would take much memory or the work
    /// is long.
    pub(crate) fn has_checkpoint(&self) -> bool {
        let from = if self.material().has_pawns() { 6 } else { 5 };
        self.may_have_checkpoint() && self.material().piece_count() >= from
    }

    /// Whether the plies are recorded in memory where there is no file. By the distance to mate, planes are faster, and
    /// take little more at five pieces. With pawns, only planes are compressed part by part.
    pub(crate) fn has_checkpoint_in_memory(&self, metric: Metric) -> bool {
        let saves = metric == Metric::Dtz || self.material().piece_count() > 5;
        self.has_checkpoint() && !self.material().has_pawns() && saves
    }

    /// Whether the sets of the table can be in files while it is solved, a few slices at a time in memory.
    #[must_use]
    pub fn may_be_on_disk(&self) -> bool {
        self.may_have_checkpoint() && self.any_domain().slices() > 1
    }

    /// Whether the sets of a part are so large that what is due in them is put into a file, if there is one.
    pub(crate) fn has_large_sets(&self) -> bool {
        self.any_domain().bytes() >= 8 << 20
    }

    /// Whether the sets of the table are in files while it is solved for larger ones, if there is a folder for these.
    pub(crate) fn has_sets_in_files(&self) -> bool {
        self.has_large_sets() && self.may_be_on_disk()
    }
}
