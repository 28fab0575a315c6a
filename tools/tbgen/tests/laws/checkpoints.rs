//! The law of checkpoints and of parts that are changed before the work goes on.

use std::ops::Range;
use std::path::Path;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use tbgen::{
    Library, Metric, Options, Residence, Shape, SolveError, Table, solve_shape, solve_shared,
};
use tbindex::batch::Backend;

use super::damage::damaged;
use crate::processes::Meeting;
use crate::solved::{all_of, bytes_of, checkpoint_of, material, quietly};

/// How a table is solved.
#[derive(Clone, Copy, Debug)]
struct Way {
    material: &'static str,
    metric: Metric,
    /// Whether the sets of positions are on disk.
    on_disk: bool,
    /// Whether the checkpoints are those of several processes.
    shared: bool,
}

/// The checkpoints of a table that is solved, and its file.
struct Whole {
    way: Way,
    library: Library,
    /// Names and contents.
    checkpoints: Vec<(String, Vec<u8>)>,
    table: Vec<u8>,
}

/// Without pawns and with them, in memory and on disk, of one process and of several.
static WHOLES: LazyLock<[Whole; 9]> = LazyLock::new(|| {
    let ways = [
        ("KRvK", Metric::Dtz, false, false),
        ("KRvK", Metric::Dtm, false, false),
        ("KRvK", Metric::Dtz, true, false),
        ("KRvK", Metric::Dtm, true, false),
        ("KRvK", Metric::Dtz, false, true),
        ("KPvK", Metric::Dtz, false, false),
        ("KPvK", Metric::Dtm, false, false),
        ("KPvK", Metric::Dtz, false, true),
        ("KPvK", Metric::Dtm, false, true),
    ];
    ways.map(|(material, metric, on_disk, shared)| {
        Whole::new(Way {
            material,
            metric,
            on_disk,
            shared,
        })
    })
});

impl Whole {
    fn new(way: Way) -> Whole {
        let material = material(way.material);
        let mut library = all_of(material.into(), way.metric);
        library.retain(|of| *of != material);
        let folder = tempfile::tempdir().expect("a folder");
        let table = way
            .go_on(folder.path(), &library)
            .expect("a new checkpoint");
        let table = bytes_of(&table).expect("a new file");
        let mut checkpoints = Vec::new();
        for entry in std::fs::read_dir(folder.path()).expect("a folder") {
            let entry = entry.expect("a name");
            let name = entry.file_name().into_string().expect("ASCII");
            checkpoints.push((name, std::fs::read(entry.path()).expect("a checkpoint")));
        }
        checkpoints.sort();
        assert!(!checkpoints.is_empty(), "{way:?}");
        Whole {
            way,
            library,
            checkpoints,
            table,
        }
    }
}

impl Way {
    /// Solves the table with the checkpoints in a folder.
    fn go_on(self, folder: &Path, library: &Library) -> Result<Table, SolveError> {
        let of = checkpoint_of(self.material, self.metric);
        let reports = AtomicUsize::new(0);
        let options = Options {
            progress: &|_| assert!(reports.fetch_add(1, Relaxed) < 10_000, "no end of plies"),
            residence: match self.on_disk {
                true => Residence::Disk { folder, group: 50 },
                false => Residence::Memory,
            },
            checkpoint: Some((&folder.join("checkpoint"), &of)),
            ..quietly(self.metric, Backend::detect())
        };
        let shape = Shape::new(of.material).expect("three pieces");
        match self.shared {
            true => solve_shared(&shape, library, options, Some(&Meeting::new(1).member(0))),
            false => solve_shape(&shape, library, options),
        }
    }
}

/// Any bytes as the changes of the checkpoints of a table: the work ends with an error that names a checkpoint, or in the same table.
/// If the checksums are made right again, the table may be another one.
pub fn any_checkpoint_is_safe(bytes: &[u8]) {
    let Some((&[way, file, choice], script)) = bytes.split_first_chunk() else {
        return;
    };
    let whole = &WHOLES[usize::from(way) % WHOLES.len()];
    let folder = tempfile::tempdir().expect("a folder");
    let forged = choice & 1 != 0;
    for (k, (name, checkpoint)) in whole.checkpoints.iter().enumerate() {
        let mut checkpoint = checkpoint.clone();
        if k == usize::from(file) % whole.checkpoints.len() {
            checkpoint = match choice & 2 != 0 {
                true => damaged(&checkpoint, script, !forged),
                false => moved(&checkpoint, script),
            };
            if forged {
                rechain(&mut checkpoint);
            }
        }
        std::fs::write(folder.path().join(name), checkpoint).expect("a new file");
    }
    let table = whole.way.go_on(folder.path(), &whole.library);
    let table = table.map_err(|error| error.to_string());
    match table.and_then(|table| bytes_of(&table).map_err(|error| error.to_string())) {
        Ok(bytes) => {
            let same = bytes == whole.table;
            assert!(same || forged, "damage is believed: {:?}", whole.way);
        }
        Err(error) => {
            let named = error.contains(folder.path().to_str().expect("ASCII"));
            assert!(named, "{:?}: {error}", whole.way);
        }
    }
}

/// The bytes before the first record, which is the header.
const BEGIN_BYTES: usize = 10;
/// The bytes of a record before its value.
const HEAD_BYTES: usize = 8;

/// Where the records of a checkpoint are that are whole.
fn records(checkpoint: &[u8]) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let mut at = BEGIN_BYTES;
    while let Some(length) = checkpoint.get(at..).and_then(|rest| rest.first_chunk()) {
        let end = (at + HEAD_BYTES).saturating_add(u32::from_le_bytes(*length) as usize);
        if end > checkpoint.len() {
            break;
        }
        all.push(at..end);
        at = end;
    }
    all
}

/// A checkpoint after the changes that a script describes, each of which repeats, removes or moves some whole records.
fn moved(checkpoint: &[u8], script: &[u8]) -> Vec<u8> {
    let mut all = records(checkpoint);
    let header = all.remove(0);
    for &[kind, count, from_low, from_high, to_low, to_high] in script.as_chunks().0.iter().take(8)
    {
        let number = |low, high, end| usize::from(u16::from_le_bytes([low, high])) % end;
        let from = number(from_low, from_high, all.len() + 1);
        let end = all.len().min(from + usize::from(count));
        let some: Vec<_> = match kind % 3 {
            0 => all[from..end].to_vec(),
            _ => all.drain(from..end).collect(),
        };
        if kind % 3 < 2 {
            let to = number(to_low, to_high, all.len() + 1);
            all.splice(to..to, some);
        }
    }
    let all = all.into_iter().flat_map(|record| &checkpoint[record]);
    checkpoint[..header.end]
        .iter()
        .chain(all)
        .copied()
        .collect()
}

/// Makes the checksums of a checkpoint right.
fn rechain(checkpoint: &mut [u8]) {
    let mut running = crc32fast::Hasher::new();
    for record in records(checkpoint) {
        let (head, value) = checkpoint[record].split_at_mut(HEAD_BYTES);
        running.update(&head[..4]);
        running.update(value);
        head[4..].copy_from_slice(&running.clone().finalize().to_le_bytes());
    }
}
