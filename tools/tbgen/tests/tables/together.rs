//! Processes that solve a table together make the same file as one alone, and go on with a killed one's work, however
//! many they are. The processes are threads here.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use tbgen::{
    FileError, Metric, Options, RecordError, Residence, Shape, SolveError, Table, Transport,
    remove_checkpoint, solve_shared,
};
use tbindex::batch::Backend;
use tbindex::store::{Overwrite, PartialFile};

use crate::processes::{Meeting, Member};
use crate::small::{self, file_of, small_tables};
use crate::solved::{checkpoint_of, material, quietly};
use crate::thorough::one_in;

/// The table's file, made by so many processes with checkpoints in a folder, or the error of the first of them. They stop
/// after so many reports.
fn made(
    name: &str,
    folder: &Path,
    processes: usize,
    reports: usize,
) -> Result<Vec<u8>, SolveError> {
    made_with(name, folder, processes, reports, Residence::Memory).0
}

/// [`made`], with the dense sets in memory or on disk, and the bytes of sets that were read.
fn made_with(
    name: &str,
    folder: &Path,
    processes: usize,
    reports: usize,
    residence: Residence<'_>,
) -> (Result<Vec<u8>, SolveError>, u64) {
    let meeting = Meeting::new(processes);
    // Each process learns by itself that it is to stop.
    let stops: Vec<AtomicBool> = (0..processes).map(|_| AtomicBool::new(false)).collect();
    let count = AtomicUsize::new(0);
    let read = AtomicU64::new(0);
    let path = folder.join("table");
    let checkpoint = folder.join("checkpoint");
    let member = |number: usize| -> Result<(), SolveError> {
        let member = meeting.member(number);
        let of = checkpoint_of(name, Metric::Dtz);
        let options = Options {
            progress: &|progress| {
                read.fetch_max(progress.read, Ordering::Relaxed);
                if count.fetch_add(1, Ordering::Relaxed) >= reports {
                    stops[number].store(true, Ordering::Relaxed);
                }
            },
            stop: &stops[number],
            residence,
            checkpoint: Some((&checkpoint, &of)),
            ..quietly(Metric::Dtz, Backend::detect())
        };
        let shape = Shape::new(material(name)).unwrap();
        let table = solve_shared(&shape, small_tables(Metric::Dtz), options, Some(&member))?;
        let begun = || PartialFile::create(&path, Overwrite::Refuse).unwrap();
        let begun = (number == 0).then(begun);
        let never = AtomicBool::new(false);
        let written = table.write_to(&path, begun, &never, Some(&member));
        written.unwrap();
        Ok(())
    };
    let results: Vec<Result<(), SolveError>> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..processes)
            .map(|number| scope.spawn(move || member(number)))
            .collect();
        all.into_iter().map(|all| all.join().unwrap()).collect()
    });
    let made = results.into_iter().collect::<Result<Vec<()>, _>>();
    (
        made.map(|_| std::fs::read(&path).unwrap()),
        read.into_inner(),
    )
}

/// The tables that runs make, each of which goes on where the one before was stopped, and how many there were.
fn made_in_runs(mut run: impl FnMut(usize) -> Result<Vec<u8>, SolveError>) -> (Vec<u8>, usize) {
    let mut runs = 0;
    loop {
        let made = run(runs);
        runs += 1;
        match made {
            Ok(made) => return (made, runs),
            Err(SolveError::Interrupted) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn so_many_processes_make_the_same_table() {
    let _ = small_tables(Metric::Dtz);
    for (k, name) in ["KRvKN", "KPvKP", "KNNvK", "KQvKQ"].into_iter().enumerate() {
        // Without pawns and with them; with cursed wins; with wins of both sides.
        let expected = file_of(name, Metric::Dtz);
        for processes in [1, 2, 3, 11] {
            if one_in(2) > 1 && (processes + k) % 3 == 0 {
                continue;
            }
            let folder = tempfile::tempdir().unwrap();
            let made = made(name, folder.path(), processes, usize::MAX).unwrap();
            assert!(made == expected, "{name}, {processes} processes");
            remove_checkpoint(&folder.path().join("checkpoint")).unwrap();
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        }
    }
}

/// Also where other runs of the same work had them in memory.
#[test]
fn processes_may_have_their_sets_on_disk() {
    let all = usize::MAX;
    for (name, processes, reports) in [
        ("KRvKN", 2, 21),
        ("KQvKR", 11, all),
        ("KNNvK", 3, all),
        ("KQvKQ", 1, all),
    ]
    .into_iter()
    .take(if one_in(2) == 1 { 4 } else { 2 })
    {
        let expected = file_of(name, Metric::Dtz);
        let (folder, sets) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut read = 0;
        let (made, runs) = made_in_runs(|run| {
            let processes = [processes, 3, 1, 4][run % 4];
            let residence = match run % 3 {
                2 => Residence::Memory,
                k => Residence::Disk {
                    folder: sets.path(),
                    group: [1, 500][k],
                },
            };
            let (made, bytes) = made_with(name, folder.path(), processes, reports, residence);
            read += bytes;
            made
        });
        assert!(made == expected, "{name} in {runs} runs");
        assert!(runs == 1 || runs > 3, "{runs} runs");
        assert!(read > 0, "{name} was solved in memory");
    }
}

#[test]
fn other_numbers_of_processes_go_on_with_the_work() {
    for (name, every) in [("KRvKN", 41), ("KPvKP", 400)] {
        let expected = file_of(name, Metric::Dtz);
        let folder = tempfile::tempdir().unwrap();
        // A job was killed while it began its files.
        std::fs::write(folder.path().join("checkpoint.1.6of7"), "").unwrap();
        let (made, runs) =
            made_in_runs(|run| made(name, folder.path(), [2, 3, 1, 4][run % 4], every));
        assert!(made == expected, "{name}");
        assert!(runs > 2, "{name} was solved in {runs} runs");
        remove_checkpoint(&folder.path().join("checkpoint")).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

/// A kill leaves any number of bytes in each checkpoint. Work that not all have completed is done again.
#[test]
fn logs_that_were_cut_are_gone_on_with() {
    let name = "KRvKN";
    let expected = file_of(name, Metric::Dtz);
    let whole = tempfile::tempdir().unwrap();
    made(name, whole.path(), 2, usize::MAX).unwrap();
    let checkpoints =
        [0, 1].map(|k| std::fs::read(whole.path().join(format!("checkpoint.1.{k}of2"))).unwrap());
    let count = if one_in(2) > 1 { 2 } else { 12 };
    let cuts = |k: usize| {
        let (header, all) = (18 + usize::from(checkpoints[k][10]), checkpoints[k].len());
        [0, header - 1, header, header + 35, all / 3, all]
    };
    for (k, first) in cuts(0).into_iter().enumerate() {
        for second in (cuts(1).into_iter().cycle()).skip(k).step_by(5).take(count) {
            let folder = tempfile::tempdir().unwrap();
            for (k, cut) in [first, second].into_iter().enumerate() {
                let path = folder.path().join(format!("checkpoint.1.{k}of2"));
                std::fs::write(path, &checkpoints[k][..cut]).unwrap();
            }
            // The next generation had just begun.
            std::fs::write(folder.path().join("checkpoint.2.1of3"), "").unwrap();
            let made = made(name, folder.path(), 3, usize::MAX).unwrap();
            assert!(made == expected, "{first}, {second}");
        }
    }
}

#[test]
fn a_checkpoint_of_which_a_file_is_missing_or_damaged_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        let error = made("KRvKN", folder.path(), 2, 10).unwrap_err();
        assert!(matches!(error, SolveError::Interrupted));
    }
    let path = folder.path().join("checkpoint.1.1of2");
    // Records that a later generation is built upon are not found again.
    let mut damaged = std::fs::read(&path).unwrap();
    *damaged.last_mut().unwrap() ^= 1;
    std::fs::write(&path, damaged).unwrap();
    let error = made("KRvKN", folder.path(), 1, 10).unwrap_err().to_string();
    assert!(
        error.contains("checkpoint.1.1of2: the record at byte "),
        "{error}"
    );
    std::fs::remove_file(path).unwrap();
    let error = made("KRvKN", folder.path(), 1, 10).unwrap_err();
    let foreign = |error: &RecordError| matches!(error, RecordError::Refused { .. });
    assert!(matches!(&error, SolveError::Checkpoint(error) if foreign(error)));
    assert!(error.to_string().contains("generation 1"), "{error}");
}

/// A record, as a process tells others: its kind, side, outcome, plies, slice, file, and where it is
/// there.
type Place = (u8, u8, u8, u16, u32, u32, (u64, u32, u32));

/// One process, which changes what it says of where its first record is, or leaves out the last byte.
struct Liar<'m> {
    member: Member<'m>,
    change: Option<fn(&mut Place)>,
}

impl Transport for Liar<'_> {
    fn processes(&self) -> usize {
        self.member.processes()
    }

    fn number(&self) -> usize {
        self.member.number()
    }

    fn exchange(&self, to_each: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut bytes = to_each[0].to_vec();
        // Numbers and names that all share are shorter.
        if bytes.len() >= 32 {
            match self.change {
                Some(change) => {
                    let mut places: Vec<Place> = postcard::from_bytes(&bytes).unwrap();
                    change(&mut places[0]);
                    bytes = postcard::to_allocvec(&places).unwrap();
                }
                None => drop(bytes.pop()),
            }
        }
        self.member.exchange(&[&bytes])
    }
}

#[test]
fn messages_that_name_what_is_not_there_are_refused() {
    let (shape, of) = (
        Shape::new(material("KRvK")).unwrap(),
        checkpoint_of("KRvK", Metric::Dtz),
    );
    let with = |change| {
        let folder = tempfile::tempdir().unwrap();
        let error = made("KRvK", folder.path(), 1, 3).unwrap_err();
        assert!(matches!(error, SolveError::Interrupted));
        let checkpoint = folder.path().join("checkpoint");
        let options = Options {
            checkpoint: Some((&checkpoint, &of)),
            ..quietly(Metric::Dtz, Backend::detect())
        };
        let (meeting, library) = (Meeting::new(1), small_tables(Metric::Dtz));
        let member = meeting.member(0);
        solve_shared(&shape, library, options, Some(&Liar { member, change }))
    };
    let changes: [Option<fn(&mut Place)>; 5] = [
        Some(|place| place.0 = 9),
        Some(|place| place.1 = 2),
        // There are 462 slices, and two files.
        Some(|place| place.4 = 462),
        Some(|place| place.5 = 2),
        None,
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let error = with(change).unwrap_err();
        let is_message = matches!(error, SolveError::Message(_));
        assert!(is_message, "{number}: {error}");
    }
}

/// Two processes with so many threads write a table, and are to stop as these flags say. Returns what each of them did.
fn written(
    path: &Path,
    table: &Table,
    threads: [usize; 2],
    stops: [bool; 2],
) -> [Result<(), FileError>; 2] {
    let meeting = Meeting::new(2);
    let write = |number: usize| {
        let (member, stop) = (meeting.member(number), AtomicBool::new(stops[number]));
        let begun = || PartialFile::create(path, Overwrite::Refuse).unwrap();
        let begun = (number == 0).then(begun);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads[number]);
        let work = || table.write_to(path, begun, &stop, Some(&member));
        pool.build().unwrap().install(work)
    };
    std::thread::scope(|scope| {
        [0, 1]
            .map(|number| scope.spawn(move || write(number)))
            .map(|process| process.join().unwrap())
    })
}

/// The rounds of blocks are the same for all.
#[test]
fn processes_may_have_other_numbers_of_threads() {
    let table = small::table("KRPvK", Metric::Dtz);
    for threads in [[1, 8], [8, 1]] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table");
        assert!(
            written(&path, table, threads, [false; 2])
                .iter()
                .all(Result::is_ok)
        );
        assert!(
            std::fs::read(&path).unwrap() == file_of("KRPvK", Metric::Dtz),
            "{threads:?}"
        );
    }
}

#[test]
fn any_process_stops_the_writing_of_all() {
    let table = small::table("KRvKN", Metric::Dtz);
    for stops in [[true, false], [false, true]] {
        let folder = tempfile::tempdir().unwrap();
        for result in written(&folder.path().join("table"), table, [1; 2], stops) {
            assert!(matches!(result, Err(FileError::Interrupted)), "{result:?}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
