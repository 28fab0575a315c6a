//! Tables that are solved, and compared with files.

use std::path::Path;

use anyhow::{Context, Result};
use tbgen::{InTurn, Metric, Published, Sample, Shape, compare_memory, work_memory};
use tbindex::Material;

/// The Syzygy files of a folder, and their number.
pub(crate) fn open_published(folder: &Path) -> Result<(Published, usize)> {
    Published::open(folder).with_context(|| format!("can't read {}", folder.display()))
}

/// Tables that are solved one after the other and all stay, as those do that are packed, with temporary files or without.
pub(crate) fn solved_again(all: &[Shape], metric: Metric, files: bool) -> InTurn<'_> {
    InTurn {
        all_stay: true,
        files,
        ..InTurn::in_memory(all, metric.of_smaller())
    }
}

/// The most memory of the process while such tables are solved, and each is compared with its file.
pub(crate) fn memory_again(all: &[Shape], metric: Metric, files: bool) -> u64 {
    solved_again(all, metric, files).memory_with(|shape| compare_memory(shape, metric))
}

/// Tables that are solved, and compared with Syzygy files or not.
pub(crate) fn to_compare(all: &[Shape]) -> InTurn<'_> {
    InTurn {
        side_by_side: true,
        ..InTurn::in_memory(all, &[Metric::Dtz])
    }
}

/// The most memory of the process while tables are solved, and those that are asked for compared with files.
pub(crate) fn comparing_memory(
    all: &[Shape],
    wanted: &[Material],
    files: &Published,
    sample: Sample,
) -> u64 {
    to_compare(all).memory_with(|shape| {
        let files = match wanted.contains(&shape.material()) {
            true => files.memory(&shape.material(), sample),
            false => 0,
        };
        work_memory(shape, Metric::Dtz, false) + files
    })
}
