//! Features of all long operations: how they are watched and stopped.

use std::thread;

use tbindex::batch::Backend;
use tbindex::store::{
    IndexWriter, Method, Overwrite, Phase, Reduction, Rewrite, SetOperation, StoreError,
    StoreErrorKind, Target, Watch, enumerate,
};
use tbindex::{Enumeration, Numbering};

use crate::support::contents::{contents, distinct, write};
use crate::support::folder::{Folder, names};
use crate::support::opened::read;
use crate::support::reductions::of_material;
use crate::support::thorough::one_in;

/// Does an operation to its end, then again with an error from the watch at some of its calls, or at all if
/// `TBINDEX_THOROUGH` is set, and checks that this is what comes back, that the watch is called in order and here alone,
/// and that no other files are left.
fn is_stopped_wherever_the_watch_says(
    name: &str,
    threads: usize,
    files: &dyn Fn() -> Vec<String>,
    operation: &dyn Fn(&mut Watch<'_>) -> Result<(), StoreError>,
) {
    let here = thread::current().id();
    let mut told = Vec::new();
    let done = operation(&mut |progress| {
        assert_eq!(thread::current().id(), here, "{name}");
        told.push(progress);
        Ok(())
    });
    done.unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(told.len() > 1 || threads > 1, "{name}: {told:?}");
    for phase in [Phase::Reading, Phase::Writing, Phase::Checking] {
        let of_phase = || told.iter().filter(|progress| progress.phase == phase);
        assert!(of_phase().is_sorted_by_key(|progress| progress.done));
        assert!(of_phase().all(|progress| progress.total.is_none_or(|all| progress.done <= all)));
    }
    let before = files();
    // Where others work too, they may have done all of it before this thread asks a second time.
    let certain = if threads == 1 { told.len() } else { 1 };
    let step = certain.div_ceil(8).min(one_in(certain));
    for stop_at in (0..certain).step_by(step).chain([certain - 1]) {
        let mut calls = 0;
        let stopped = operation(&mut |_| {
            calls += 1;
            match calls > stop_at {
                true => Err(StoreError::cancelled()),
                false => Ok(()),
            }
        });
        let kind = stopped.unwrap_err().kind;
        assert_eq!(kind, StoreErrorKind::Cancelled, "{name}");
        assert_eq!(files(), before, "{name}, at call {stop_at}");
    }
}

#[test]
fn every_operation_is_stopped_by_its_watch_with_its_error() {
    let folder = Folder::new();
    let raw: Vec<u32> = (0..1 << 20)
        .map(|x: u32| x.wrapping_mul(2_654_435_761) >> 8)
        .collect();
    write(&folder.path("raw"), contents("KQvKR"), &raw).unwrap();
    let set: Vec<u32> = (0..3 << 19).map(|x| 5 * x).collect();
    write(&folder.path("set"), distinct("KQvKR"), &set).unwrap();
    let open = |name: &str| read(&folder.path(name)).unwrap();
    let target = Target::plain(folder.path("out"), Overwrite::Replace);
    let temp = tempfile::tempdir().unwrap();
    let files = || [folder.names(), names(temp.path())].concat();
    let all = Enumeration::<u32>::try_new("KQvKR".parse().unwrap(), Numbering::Natural).unwrap();
    let same = of_material::<u32>("KQvKR", Numbering::Natural);
    let before = files();
    for threads in [1, 3] {
        is_stopped_wherever_the_watch_says("verify", threads, &files, &|watch| {
            open("raw").verify(threads, watch).map(drop)
        });
        is_stopped_wherever_the_watch_says("statistics", threads, &files, &|watch| {
            open("raw").statistics(threads, watch).map(drop)
        });
        is_stopped_wherever_the_watch_says("rewrite", threads, &files, &|watch| {
            let file = open("raw");
            let rewrite = Rewrite::Convert(Numbering::Alternate);
            rewrite
                .rewrite_file_into(&file, &target, threads, watch)
                .map(drop)
        });
        for operation in SetOperation::ALL {
            is_stopped_wherever_the_watch_says(&operation.to_string(), threads, &files, &|watch| {
                let files = [open("set"), open("set")];
                operation
                    .combine_files_into(&files, &target, 1 << 30, threads, watch)
                    .map(drop)
            });
        }
        for method in [Method::Bitmap, Method::Sort] {
            let reduction = Reduction {
                memory: 200 << 20,
                threads,
                method,
                temp: Some(temp.path().to_owned()),
                ..Reduction::default()
            };
            is_stopped_wherever_the_watch_says("reduce", threads, &files, &|watch| {
                reduction
                    .reduce_files_into(&[open("raw")], Numbering::Natural, &target, watch)
                    .map(drop)
            });
            is_stopped_wherever_the_watch_says("reduce slices", threads, &files, &|watch| {
                // A reducer that is told to expect little writes runs to a file.
                let mut reducer = reduction.reducer(same.clone(), Some(20_000))?;
                reducer.push(Numbering::Natural, &raw)?;
                reducer.finish(&mut |_| Ok(()), watch).map(drop)
            });
        }
        is_stopped_wherever_the_watch_says("enumerate", threads, &files, &|watch| {
            let mut writer = IndexWriter::create(&target, distinct("KQvKR"), Backend::detect())?;
            enumerate(&all, &mut |some| writer.write(some), threads, watch)?;
            writer.finish()?;
            Ok(())
        });
        std::fs::remove_file(folder.path("out")).unwrap();
        assert_eq!(files(), before, "nothing is left behind");
    }
}

#[test]
fn an_error_of_what_takes_the_result_ends_the_work() {
    let set: Vec<u32> = (0..3 << 19).map(|x| 5 * x).collect();
    let all = Enumeration::<u32>::try_new("KQvKR".parse().unwrap(), Numbering::Natural).unwrap();
    let same = of_material::<u32>("KQvKR", Numbering::Natural);
    let mut refuse = |_: &[u32]| Err(StoreError::cancelled());
    for threads in [1, 3] {
        let enumerated = enumerate(&all, &mut refuse, threads, &mut |_| Ok(()));
        assert_eq!(enumerated.unwrap_err().kind, StoreErrorKind::Cancelled);
        for method in [Method::Bitmap, Method::Sort] {
            let reduction = Reduction {
                threads,
                method,
                ..Reduction::default()
            };
            let mut reducer = reduction.reducer(same.clone(), None).unwrap();
            reducer.push(Numbering::Natural, &set).unwrap();
            let reduced = reducer.finish(&mut refuse, &mut |_| Ok(()));
            assert_eq!(reduced.unwrap_err().kind, StoreErrorKind::Cancelled);
        }
    }
}
