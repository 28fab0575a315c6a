//! The checks of a pointer before it is used.
//!
//! A pointer is checked for NULL, for its alignment, and for overlap with others. It cannot be checked that
//! it points to memory of the stated size, which no other code changes meanwhile. The caller of every
//! unsafe function here promises this, and so do the callers of the interface, as the introduction of the
//! header states.

use std::ffi::{CStr, c_char, c_void};

use super::status::{
    Failure, Outcome, TBI_ERROR_BUFFER, TBI_ERROR_MISALIGNED, TBI_ERROR_NAME, TBI_ERROR_NULL,
    TBI_ERROR_OVERLAP,
};

/// Checks a pointer to `count` values.
fn check<T>(pointer: *const T, count: usize, name: &str) -> Outcome {
    if pointer.is_null() {
        return Err(Failure::new(
            TBI_ERROR_NULL,
            format!("{name} is NULL: expected a pointer"),
        ));
    }
    if !pointer.is_aligned() {
        return Err(Failure::new(
            TBI_ERROR_MISALIGNED,
            format!(
                "{name} is {pointer:p}: expected a multiple of {}",
                align_of::<T>()
            ),
        ));
    }
    let bytes = count.checked_mul(size_of::<T>());
    match bytes {
        // No object can be larger.
        Some(bytes) if bytes <= isize::MAX as usize => Ok(()),
        _ => Err(Failure::argument(format!(
            "{name} would have {count} elements: more than memory has"
        ))),
    }
}

/// A handle, or anything else there is one of.
///
/// # Safety
/// If the pointer is aligned and not NULL, it points to a `T` that nobody changes meanwhile.
pub(crate) unsafe fn reference<'a, T>(pointer: *const T, name: &str) -> Outcome<&'a T> {
    check(pointer, 1, name)?;
    // SAFETY: just checked; the rest is the caller's promise.
    Ok(unsafe { &*pointer })
}

/// Writes a result where the caller wants it.
///
/// # Safety
/// If the pointer is aligned and not NULL, it points to memory for a `T`.
pub(crate) unsafe fn write<T>(pointer: *mut T, name: &str, value: T) -> Outcome {
    check(pointer, 1, name)?;
    // SAFETY: just checked; the rest is the caller's promise.
    unsafe { pointer.write(value) };
    Ok(())
}

/// Writes a result where the caller wants it, unless the pointer is NULL.
///
/// # Safety
/// As for [`write`].
pub(crate) unsafe fn write_if_asked<T>(pointer: *mut T, name: &str, value: T) -> Outcome {
    match pointer.is_null() {
        true => Ok(()),
        // SAFETY: the caller's promise.
        false => unsafe { write(pointer, name, value) },
    }
}

/// Copies values into the caller's buffer of `capacity` elements, and writes their number, even if there is
/// too little room for them.
///
/// # Safety
/// As for [`slice_mut`] and [`write`].
pub(crate) unsafe fn copy_out<T: Copy>(
    values: &[T],
    out: *mut T,
    capacity: usize,
    count: *mut usize,
    name: &str,
) -> Outcome {
    // SAFETY: the caller's promise.
    unsafe {
        write(count, "count", values.len())?;
        if values.len() > capacity {
            return Err(Failure::room(name, capacity, values.len()));
        }
        slice_mut(out, values.len(), "out")?.copy_from_slice(values);
    }
    Ok(())
}

/// Gives a new handle away. Nothing is made if there is no place to put it, and the place holds NULL if
/// nothing could be made.
///
/// # Safety
/// As for [`write`].
pub(crate) unsafe fn give<T>(
    pointer: *mut *mut T,
    name: &str,
    make: impl FnOnce() -> Outcome<T>,
) -> Outcome {
    // SAFETY: the caller's promise.
    unsafe {
        write(pointer, name, std::ptr::null_mut())?;
        write(pointer, name, Box::into_raw(Box::new(make()?)))
    }
}

/// Takes a handle back; NULL is none.
///
/// # Safety
/// The pointer is NULL or was given away by [`give`], and is not used any more.
pub(crate) unsafe fn take_back<T>(pointer: *mut T, name: &str) -> Outcome {
    if pointer.is_null() {
        return Ok(());
    }
    check(pointer, 1, name)?;
    // SAFETY: it comes from a box, and the caller has no more use for it.
    drop(unsafe { Box::from_raw(pointer) });
    Ok(())
}

/// Values to read. Of none, the pointer is not looked at.
///
/// # Safety
/// If the pointer is aligned and not NULL, it points to `count` values that nobody changes meanwhile.
pub(crate) unsafe fn slice<'a, T>(pointer: *const T, count: usize, name: &str) -> Outcome<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    check(pointer, count, name)?;
    // SAFETY: just checked; the rest is the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// Memory to write values to. Of none, the pointer is not looked at.
///
/// # Safety
/// If the pointer is aligned and not NULL, it points to memory for `count` values that nobody else uses
/// meanwhile. The values there need not make sense yet, but are read as numbers, so `T` is a number.
pub(crate) unsafe fn slice_mut<'a, T>(
    pointer: *mut T,
    count: usize,
    name: &str,
) -> Outcome<&'a mut [T]> {
    if count == 0 {
        return Ok(&mut []);
    }
    check(pointer, count, name)?;
    // SAFETY: just checked; the rest is the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer, count) })
}

/// Values to read and memory to write to, which must not overlap, each with its size and name.
///
/// # Safety
/// As for [`slice`] and [`slice_mut`].
pub(crate) unsafe fn two<'a, A, B>(
    (from, from_count, from_name): (*const A, usize, &str),
    (to, to_count, to_name): (*mut B, usize, &str),
) -> Outcome<(&'a [A], &'a mut [B])> {
    // SAFETY: the caller's promise.
    let values = unsafe { slice(from, from_count, from_name) }?;
    if to_count > 0 {
        check(to, to_count, to_name)?;
    }
    apart(&[
        Range::new(from, from_count, from_name),
        Range::new(to, to_count, to_name),
    ])?;
    // SAFETY: they do not overlap; the rest is the caller's promise.
    Ok((values, unsafe { slice_mut(to, to_count, to_name) }?))
}

/// Where a batch reads and where it writes.
#[derive(Debug)]
pub(crate) enum Source<'a, T> {
    /// It reads what it overwrites.
    InPlace(&'a mut [T]),
    /// It reads one buffer and writes another, as long.
    Apart(&'a [T], &'a mut [T]),
}

impl<T: Copy> Source<'_, T> {
    /// The values that are read.
    pub(crate) fn input(&self) -> &[T] {
        match self {
            Source::InPlace(words) => words,
            Source::Apart(from, _) => from,
        }
    }

    /// Writes a function of every value.
    pub(crate) fn map(self, function: impl Fn(T) -> T) {
        match self {
            Source::InPlace(words) => words.iter_mut().for_each(|word| *word = function(*word)),
            Source::Apart(from, to) => {
                for (place, &word) in to.iter_mut().zip(from) {
                    *place = function(word);
                }
            }
        }
    }
}

/// The input and output of a batch: in place exactly where both pointers are the same.
///
/// # Safety
/// As for [`slice`] and [`slice_mut`], except that both pointers may be the same.
pub(crate) unsafe fn batch<'a, T>(
    from: *const c_void,
    to: *mut c_void,
    count: usize,
) -> Outcome<Source<'a, T>> {
    let (from, to): (*const T, *mut T) = (from.cast(), to.cast());
    // SAFETY: the caller's promise.
    unsafe {
        if count > 0 && from == to.cast_const() {
            return Ok(Source::InPlace(slice_mut(to, count, "in")?));
        }
        let (from, to) = two((from, count, "in"), (to, count, "out"))?;
        Ok(Source::Apart(from, to))
    }
}

/// Where a buffer lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range<'n> {
    start: usize,
    bytes: usize,
    name: &'n str,
}

impl<'n> Range<'n> {
    /// The range of `count` values.
    pub(crate) fn new<T>(pointer: *const T, count: usize, name: &'n str) -> Range<'n> {
        Range {
            start: pointer.addr(),
            bytes: count.saturating_mul(size_of::<T>()),
            name,
        }
    }
}

/// Checks that no two of these buffers share a byte.
pub(crate) fn apart(ranges: &[Range<'_>]) -> Outcome {
    for (k, a) in ranges.iter().enumerate() {
        for b in &ranges[..k] {
            // This compares distances and not ends, as an end may lie one beyond the last address.
            let (low, high) = if a.start <= b.start { (a, b) } else { (b, a) };
            if high.start - low.start < low.bytes && high.bytes > 0 {
                let (a, b) = (a.name, b.name);
                return Err(Failure::new(
                    TBI_ERROR_OVERLAP,
                    format!("{b} and {a} overlap: expected separate buffers"),
                ));
            }
        }
    }
    Ok(())
}

/// A text that ends with a zero byte.
///
/// # Safety
/// If the pointer is not NULL, it points to such a text, which nobody changes meanwhile.
pub(crate) unsafe fn bytes<'a>(pointer: *const c_char, name: &str) -> Outcome<&'a CStr> {
    check(pointer, 1, name)?;
    // SAFETY: just checked; the rest is the caller's promise.
    Ok(unsafe { CStr::from_ptr(pointer) })
}

/// A text in UTF-8 that ends with a zero byte.
///
/// # Safety
/// As for [`bytes`].
pub(crate) unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Outcome<&'a str> {
    // SAFETY: the caller's promise.
    let bytes = unsafe { bytes(pointer, name) }?;
    bytes.to_str().map_err(|_| {
        Failure::new(
            TBI_ERROR_NAME,
            format!("{name} is {bytes:?}: expected UTF-8"),
        )
    })
}

/// Copies a text and a zero byte into the caller's buffer, and writes how many bytes these are.
///
/// # Safety
/// As for [`slice_mut`]; `needed` as for [`write`], or NULL.
pub(crate) unsafe fn put_text(
    text: &str,
    buffer: *mut c_char,
    size: usize,
    needed: *mut usize,
) -> Outcome {
    let bytes = text.len() + 1;
    // SAFETY: the caller's promise.
    unsafe { write_if_asked(needed, "needed", bytes) }?;
    if size < bytes {
        return Err(Failure::new(
            TBI_ERROR_BUFFER,
            format!("the buffer has {size} bytes: expected at least {bytes}"),
        ));
    }
    // SAFETY: the caller's promise.
    let buffer = unsafe { slice_mut(buffer.cast::<u8>(), bytes, "buffer") }?;
    buffer[..text.len()].copy_from_slice(text.as_bytes());
    buffer[text.len()] = 0;
    Ok(())
}

/// The path that a text names: its bytes as they are on Unix, UTF-8 elsewhere.
///
/// # Safety
/// As for [`bytes`].
pub(crate) unsafe fn path<'a>(pointer: *const c_char, name: &str) -> Outcome<&'a std::path::Path> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        // SAFETY: the caller's promise.
        let bytes = unsafe { bytes(pointer, name) }?;
        Ok(std::path::Path::new(std::ffi::OsStr::from_bytes(
            bytes.to_bytes(),
        )))
    }
    #[cfg(not(unix))]
    {
        // SAFETY: the caller's promise.
        Ok(std::path::Path::new(unsafe { text(pointer, name) }?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_do_not_overlap_and_every_shared_byte_does() {
        let at = |start, bytes| Range {
            start,
            bytes,
            name: "it",
        };
        assert!(apart(&[at(100, 10), at(110, 10), at(90, 10)]).is_ok());
        assert!(apart(&[at(100, 10), at(105, 0)]).is_ok());
        assert!(apart(&[at(usize::MAX - 3, 4), at(0, 4)]).is_ok());
        for start in 91..110 {
            let status = apart(&[at(100, 10), at(start, 10)]).unwrap_err().status;
            assert_eq!(status, TBI_ERROR_OVERLAP, "{start}");
        }
    }
}
