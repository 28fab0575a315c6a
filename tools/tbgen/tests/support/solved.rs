//! Tables that tests solve.

use std::sync::atomic::AtomicBool;

use tbgen::{
    CheckpointOf, Endgame, FileError, Library, Metric, Options, Shape, Table, solve_shape,
};
use tbindex::Material;
use tbindex::batch::Backend;
use tbindex::store::Overwrite;

pub(crate) fn material(name: &str) -> Material {
    name.parse().expect("a material")
}

/// The table that a checkpoint is of.
pub(crate) fn checkpoint_of(name: &str, metric: Metric) -> CheckpointOf {
    CheckpointOf {
        material: material(name),
        metric,
        sources: Some(7),
    }
}

/// Options with which nothing is reported and nobody stops the work.
pub(crate) fn quietly(metric: Metric, backend: Backend) -> Options<'static> {
    static NEVER: AtomicBool = AtomicBool::new(false);
    Options::new(metric, backend, &NEVER)
}

/// The tables that an endgame needs, its own included.
pub(crate) fn all_of(endgame: Endgame, metric: Metric) -> Library {
    let mut library = Library::default();
    for needed in endgame.needed() {
        let shape = Shape::of_endgame(needed).expect("few pieces");
        let options = quietly(metric, Backend::detect());
        library.insert(solve_shape(&shape, &library, options).expect("a small table"));
    }
    library
}

/// The bytes of a table's file. An error is one of reading where the table's planes are.
pub(crate) fn bytes_of(table: &Table) -> Result<Vec<u8>, FileError> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("table");
    table.write(&path, Overwrite::Refuse)?;
    Ok(std::fs::read(&path).expect("a file"))
}
