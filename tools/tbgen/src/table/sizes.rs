//! The sizes from which a table is compressed, has a checkpoint, or has its sets in files.

use tbindex::bitbase::Row;

use crate::table::shape::Shape;
use crate::table::value::Metric;

/// The most parts of a table with a checkpoint: where each solved slice is in its file is kept in memory.
const MOST_RECORDED_PARTS: usize = 50_000;

/// The slots of tables that are compressed in memory while they are not in use, if they have more.
pub(crate) const WORTH_PACKING: u64 = 64 << 20;

/// The bytes of a set of a part with pawns from which the part has a checkpoint of its own until it is solved, if there are files.
pub(crate) const LARGE_PART: u64 = 1 << 20;

impl Shape {
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

    /// Whether the sets of the table are in files while it is solved for larger ones, if there is a folder for these. By the
    /// distance to zeroing they are few.
    pub(crate) fn has_sets_in_files(&self, metric: Metric) -> bool {
        metric != Metric::Dtz && self.has_large_sets() && self.may_be_on_disk()
    }
}
