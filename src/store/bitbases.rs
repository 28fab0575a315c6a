//! Bitbases as index files, and back.

use std::path::Path;

use super::contents::Contents;
use super::error::StoreError;
use super::file::IndexFile;
use super::header::Header;
use super::reduce::Reduction;
use super::watch::{Phase, Progress};
use super::writer::IndexWriter;
use crate::batch::BatchWord;
use crate::bitbase::{Bitbase, SlotCodec};

/// Writes the positions of a bitbase into the file that `writer` makes, one canonical index for each class and
/// in ascending order, publishes that, and returns its header. The codec is that of the bitbase's domain and the
/// file's numbering; the bitbase has all slots of a class or none.
///
/// The indices are sorted by `reduction`, within its memory. `watch` is told of [`Phase::Reading`],
/// [`Phase::Sorting`] and [`Phase::Writing`]; see [the module](super#long-operations).
///
/// # Errors
/// If the file's contents are of another material, numbering or word, as for [`Reduction`] and [`IndexWriter`],
/// and what `watch` returns. Then there is no new file.
///
/// # Panics
/// If the codec is of another domain.
///
/// ```
/// use tbindex::batch::Backend;
/// use tbindex::bitbase::{Bitbase, Domain, SlotCodec};
/// use tbindex::store::{
///     Contents, IndexFile, IndexWriter, Overwrite, Reduction, Target, bitbase_into, bitbase_of, unwatched,
/// };
/// use tbindex::{Color, Numbering};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("legal.tbi");
/// let (material, numbering) = ("KBBvK".parse()?, Numbering::Natural);
/// let domain = Domain::try_new(material)?;
/// let codec = SlotCodec::<u32>::try_new(&domain, numbering)?;
/// let backend = Backend::detect();
/// let legal = Bitbase::legal(&domain, Color::Black, backend)?;
/// let contents = Contents::new(material, numbering).with_side(Some(Color::Black)).reduced();
/// let target = Target::plain(&path, Overwrite::Refuse);
/// let writer = IndexWriter::create(&target, contents, backend)?;
/// let header = bitbase_into(&legal, &codec, writer, &Reduction::default(), unwatched)?;
/// let back = bitbase_of(&IndexFile::open(&path, backend)?, &codec, unwatched)?;
/// assert_eq!(header.count, 854_238);
/// assert_eq!(back.rows(), legal.rows());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn bitbase_into<W, E>(
    bitbase: &Bitbase,
    codec: &SlotCodec<W>,
    mut writer: IndexWriter<W>,
    reduction: &Reduction,
    mut watch: impl FnMut(Progress) -> Result<(), E>,
) -> Result<Header, E>
where
    W: BatchWord,
    E: From<StoreError>,
{
    check_contents(writer.path(), *writer.contents(), codec)?;
    let (numbering, mut read) = (codec.layout().numbering(), 0);
    let mut reducer = reduction.reducer(codec.equivalence().clone(), Some(bitbase.count()))?;
    bitbase.canonical_indices(codec, reduction.backend, |indices| {
        reducer.push(numbering, indices)?;
        read += indices.len() as u64;
        watch(Phase::Reading.progress(read, None))
    })?;
    reducer.finish(|indices| Ok(writer.write(indices)?), watch)?;
    Ok(writer.finish()?)
}

/// Reads an index file into a bitbase of the codec's domain. An index stands for all slots of its class.
///
/// Each block is checked as it is read; [`verify`](IndexFile::verify) checks the rest. `watch` is told of
/// [`Phase::Reading`]; see [the module](super#long-operations).
///
/// # Errors
/// If the file is of another material, numbering or word than the codec, an index has no slot in the domain,
/// the file is damaged, the system gives no memory, and what `watch` returns.
pub fn bitbase_of<W, E>(
    file: &IndexFile,
    codec: &SlotCodec<W>,
    mut watch: impl FnMut(Progress) -> Result<(), E>,
) -> Result<Bitbase, E>
where
    W: BatchWord,
    E: From<StoreError>,
{
    check_contents(file.name(), file.header().contents(), codec)?;
    let memory = StoreError::io(file.name(), "get memory for its positions");
    let mut bitbase = Bitbase::new(codec.domain()).map_err(memory)?;
    let (mut indices, mut read) = (file.iter::<W>()?, 0);
    loop {
        let some = indices.next_slice()?;
        if some.is_empty() {
            return Ok(bitbase);
        }
        if let Some(at) = (0..some.len()).find(|&at| codec.slot(some[at]).is_none()) {
            let position = read + at as u64;
            let message = format!(
                "its index is {:#o} at position {position}: expected one that the bitbase has a slot for",
                some[at]
            );
            let error = StoreError::unsuitable(file.name(), message);
            return Err(error.at_position(position).into());
        }
        bitbase.insert_indices(codec, some);
        read += some.len() as u64;
        watch(Phase::Reading.progress(read, Some(file.header().count)))?;
    }
}

/// Checks that a file's contents are what a codec is for.
fn check_contents<W: BatchWord>(
    path: &Path,
    found: Contents,
    codec: &SlotCodec<W>,
) -> Result<(), StoreError> {
    let (material, numbering) = (codec.domain().material(), codec.layout().numbering());
    let message = if Some(found.material) != material {
        let expected = material.map_or("none".to_owned(), |material| material.to_string());
        format!("its material is {}: expected {expected}", found.material)
    } else if found.numbering != numbering {
        format!("its numbering is {}: expected {numbering}", found.numbering)
    } else {
        return Ok(());
    };
    Err(StoreError::unsuitable(path, message))
}
