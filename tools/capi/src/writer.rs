//! Functions that write index files.

use std::ffi::{c_char, c_void};
use std::sync::{Mutex, MutexGuard};

use tbindex::Color;
use tbindex::batch::Backend;
use tbindex::store::{Contents, FileWord, IndexWriter, Overwrite, Target};

use super::file::{
    TBI_CLAIM_CANONICAL, TBI_CLAIM_DISTINCT, TBI_CLAIM_REDUCED, TBI_CLAIM_SORTED, tbi_claims,
    tbi_side,
};
use super::layout::{numbering, tbi_numbering};
use super::material::material;
use super::memory::{give, path, reference, slice, take_back, write_if_asked};
use super::status::{
    Failure, Outcome, TBI_ERROR_UNSUITABLE, TBI_ERROR_WORD, guard, guard_value, tbi_status,
};

/// A file that is being written. It gets its name when it is finished; freed before that, it leaves nothing.
#[derive(Debug)]
pub struct tbi_writer(Mutex<Option<AnyWriter>>);

/// A writer of either word.
#[derive(Debug)]
pub(crate) enum AnyWriter {
    /// For 32 bits.
    Narrow(IndexWriter<u32>),
    /// For 64 bits.
    Wide(IndexWriter<u64>),
}

impl AnyWriter {
    pub(crate) fn create(target: &Target, contents: Contents) -> Outcome<AnyWriter> {
        let backend = Backend::detect();
        Ok(match contents.word() {
            FileWord::U32 => AnyWriter::Narrow(IndexWriter::create(target, contents, backend)?),
            FileWord::U64 => AnyWriter::Wide(IndexWriter::create(target, contents, backend)?),
        })
    }
}

/// The new file of a path and flags.
pub(crate) fn target(path: &std::path::Path, flags: tbi_write_flags) -> Outcome<Target> {
    super::main_thread::keep();
    if flags & !(TBI_WRITE_REPLACE | TBI_WRITE_COMPACT) != 0 {
        return Err(Failure::argument(format!(
            "flags {flags}: expected a sum of the TBI_WRITE_…"
        )));
    }
    let overwrite = match flags & TBI_WRITE_REPLACE {
        0 => Overwrite::Refuse,
        _ => Overwrite::Replace,
    };
    Ok(Target {
        compact: flags & TBI_WRITE_COMPACT != 0,
        ..Target::plain(path, overwrite)
    })
}

/// How a file is written: any of the `TBI_WRITE_...`, added.
pub type tbi_write_flags = u32;

/// Replace a file that exists, in one step, once the new one is complete.
pub const TBI_WRITE_REPLACE: tbi_write_flags = 1;
/// Store the indices, which must be sorted, compressed.
pub const TBI_WRITE_COMPACT: tbi_write_flags = 2;

/// Begins a file of a material's indices. The writer checks your claim that they are in order, but not that
/// they are canonical.
///
/// `TBI_ERROR_EXISTS` if there is a file and it is not to be replaced, `TBI_ERROR_UNSUITABLE` if the claims
/// contradict each other or the flags.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_writer_create(
    path: *const c_char,
    material: *const c_char,
    numbering: tbi_numbering,
    side: tbi_side,
    claims: tbi_claims,
    flags: tbi_write_flags,
    writer: *mut *mut tbi_writer,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        give(writer, "writer", || {
            let path = self::path(path, "path")?;
            let contents = Contents::new(self::material(material)?, self::numbering(numbering)?)
                .with_side(self::side(side)?);
            if claims & !TBI_CLAIM_REDUCED != 0 {
                return Err(Failure::argument(format!(
                    "claims {claims}: expected a sum of the TBI_CLAIM_…"
                )));
            }
            let contents = Contents {
                canonical: claims & TBI_CLAIM_CANONICAL != 0,
                sorted: claims & TBI_CLAIM_SORTED != 0,
                distinct: claims & TBI_CLAIM_DISTINCT != 0,
                ..contents
            };
            let writer = AnyWriter::create(&target(path, flags)?, contents)?;
            Ok(tbi_writer(Mutex::new(Some(writer))))
        })
    })
}

/// The side of a number.
pub(crate) fn side(number: tbi_side) -> Outcome<Option<Color>> {
    let all = [Some(Color::White), Some(Color::Black), None];
    Failure::chosen("side", number, all, "TBI_SIDE_…")
}

impl tbi_writer {
    /// The writer, for one thread at a time; an error if it is done with.
    fn lock(&self) -> Outcome<MutexGuard<'_, Option<AnyWriter>>> {
        let done = || {
            Failure::new(
                TBI_ERROR_UNSUITABLE,
                "the writer is finished, or has failed: expected one that is at work",
            )
        };
        match self.0.lock() {
            Ok(writer) if writer.is_some() => Ok(writer),
            // A panic while the writer was locked may have left half a block.
            _ => Err(done()),
        }
    }
}

/// Appends indices. `TBI_ERROR_WORD` if the words of the material's files have another width.
///
/// `TBI_ERROR_FILE` if an index is invalid or not in the order that was claimed, `TBI_ERROR_IO`: then the
/// writer can only be freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_writer_write(
    writer: *mut tbi_writer,
    indices: *const c_void,
    word_bytes: usize,
    count: usize,
) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let mut place = reference(writer.cast_const(), "writer")?.lock()?;
        let written = match (place.as_mut(), word_bytes) {
            (Some(AnyWriter::Narrow(writer)), 4) => {
                writer.write(slice(indices.cast(), count, "indices")?)
            }
            (Some(AnyWriter::Wide(writer)), 8) => {
                writer.write(slice(indices.cast(), count, "indices")?)
            }
            _ => {
                let message =
                    format!("words of {word_bytes} bytes: expected those of the material's files");
                return Err(Failure::new(TBI_ERROR_WORD, message));
            }
        };
        if written.is_err() {
            // The writer can't be completed any more, and no file is left behind.
            *place = None;
        }
        Ok(written?)
    })
}

/// Completes the file, brings it to the disk and gives it its name; writes its number of indices to `count`,
/// if that is not NULL. Then, or after an error, the writer can only be freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_writer_finish(writer: *mut tbi_writer, count: *mut u64) -> tbi_status {
    // SAFETY: the caller's promise.
    guard(|| unsafe {
        let handle = reference(writer.cast_const(), "writer")?;
        let writer = handle.lock()?.take();
        let header = match writer {
            Some(AnyWriter::Narrow(writer)) => writer.finish()?,
            Some(AnyWriter::Wide(writer)) => writer.finish()?,
            None => return Err(Failure::argument("the writer is finished")),
        };
        write_if_asked(count, "count", header.count)
    })
}

/// Frees a writer; NULL is none. Without `tbi_writer_finish` before, there is no file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tbi_writer_free(writer: *mut tbi_writer) {
    // SAFETY: the caller's promise.
    guard_value((), || unsafe { take_back(writer, "writer") });
}
