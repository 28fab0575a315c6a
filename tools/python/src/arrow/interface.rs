//! The structures of the Arrow C data interface and the Arrow C stream interface, as the specification of Arrow
//! has them.
//!
//! Whoever makes such a structure gives it a `release` function. Whoever has it calls that function once, or
//! moves the structure elsewhere and leaves one without the function behind.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{self, null, null_mut};
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyCapsuleMethods};

/// The type of the elements of an array.
#[derive(Clone, Default)]
pub(crate) struct Type {
    /// The code of the type in the specification: `I` is `uint32`, for example.
    pub(crate) format: String,
    pub(crate) name: String,
    /// Keys and their values.
    pub(crate) metadata: Vec<(&'static str, String)>,
    pub(crate) nullable: bool,
    pub(crate) children: Vec<Type>,
}

/// `ArrowSchema`.
#[repr(C)]
pub(crate) struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    child_count: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private: *mut c_void,
}

/// `ArrowArray`.
#[repr(C)]
pub(super) struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    buffer_count: i64,
    child_count: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Array,
    dictionary: *mut Array,
    release: Option<unsafe extern "C" fn(*mut Array)>,
    private: *mut c_void,
}

/// `ArrowArrayStream`.
#[repr(C)]
pub(crate) struct Stream {
    schema: unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int,
    next: unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int,
    last_error: unsafe extern "C" fn(*mut Stream) -> *const c_char,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private: *mut c_void,
}

macro_rules! structure {
    ($structure:ident, $name:literal) => {
        #[expect(
            unsafe_code,
            reason = "the specification says which threads may do what"
        )]
        // SAFETY: what the structure refers to belongs to it, is only read, and may be released by any
        // thread.
        unsafe impl Send for $structure {}
        #[expect(
            unsafe_code,
            reason = "the specification says which threads may do what"
        )]
        // SAFETY: as above.
        unsafe impl Sync for $structure {}

        impl Drop for $structure {
            fn drop(&mut self) {
                if let Some(release) = self.release {
                    #[expect(unsafe_code, reason = "a function of the structure's maker")]
                    // SAFETY: the maker of the structure gave the function for this, and it was not called
                    // yet, as it would have removed itself.
                    unsafe {
                        release(self);
                    }
                }
            }
        }

        impl $structure {
            /// The name of capsules of this structure.
            const NAME: &'static CStr = $name;

            /// The capsule by which Python hands the structure on.
            pub(crate) fn into_capsule(self, py: Python<'_>) -> PyResult<Bound<'_, PyCapsule>> {
                PyCapsule::new_with_value(py, self, Self::NAME)
            }
        }
    };
}

structure!(Schema, c"arrow_schema");
structure!(Array, c"arrow_array");
structure!(Stream, c"arrow_array_stream");

/// The bytes of a buffer: a range of an owner's memory, in a place that never changes.
#[derive(Clone)]
pub(crate) struct Buffer(Arc<dyn AsRef<[u8]> + Send + Sync>);

impl Buffer {
    /// The bytes that an owner gives, always the same ones in the same place.
    pub(crate) fn new(owner: impl AsRef<[u8]> + Send + Sync + 'static) -> Buffer {
        Buffer(Arc::new(owner))
    }
}

/// The contents of an array.
#[derive(Clone)]
pub(crate) struct Data {
    pub(crate) length: usize,
    pub(crate) offset: usize,
    pub(crate) null_count: usize,
    /// The buffers in the order that the type prescribes. The first says which elements are not null, and is
    /// absent if all are.
    pub(crate) buffers: Vec<Option<Buffer>>,
    pub(crate) children: Vec<Data>,
}

impl Type {
    /// The type of words.
    pub(crate) fn words(bits: u32, nullable: bool) -> Type {
        Type {
            format: if bits == 32 { "I" } else { "L" }.to_owned(),
            nullable,
            ..Type::default()
        }
    }
}

/// The capsules that `__arrow_c_array__` returns.
pub(crate) type Capsules<'py> = (Bound<'py, PyCapsule>, Bound<'py, PyCapsule>);

/// The capsules of an array of a type.
pub(crate) fn capsules(py: Python<'_>, of: Type, data: Data) -> PyResult<Capsules<'_>> {
    Ok((
        Schema::new(&of).into_capsule(py)?,
        Array::new(data).into_capsule(py)?,
    ))
}

/// The data that a schema refers to.
struct SchemaParts {
    _format: CString,
    _name: CString,
    _metadata: Vec<u8>,
    children: Vec<*mut Schema>,
}

/// The data that an array refers to.
struct ArrayParts {
    _data: Vec<Option<Buffer>>,
    _buffers: Vec<*const c_void>,
    children: Vec<*mut Array>,
}

/// The data that a stream refers to.
struct StreamParts {
    schema: Type,
    next: Box<dyn FnMut() -> Result<Option<Data>, String> + Send>,
    error: CString,
}

/// A text for C, up to its first zero byte.
fn c_string(text: &str) -> CString {
    let text = text.split('\0').next().unwrap_or_default();
    CString::new(text).unwrap_or_default()
}

impl Schema {
    /// The schema of a type.
    pub(crate) fn new(of: &Type) -> Schema {
        let mut metadata = Vec::new();
        if !of.metadata.is_empty() {
            let number = |metadata: &mut Vec<u8>, number: usize| {
                metadata.extend((number as i32).to_ne_bytes());
            };
            number(&mut metadata, of.metadata.len());
            for (key, value) in &of.metadata {
                for text in [*key, value] {
                    number(&mut metadata, text.len());
                    metadata.extend(text.as_bytes());
                }
            }
        }
        let child = |child| Box::into_raw(Box::new(Schema::new(child)));
        let mut parts = Box::new(SchemaParts {
            _format: c_string(&of.format),
            _name: c_string(&of.name),
            _metadata: metadata,
            children: of.children.iter().map(child).collect(),
        });
        Schema {
            format: parts._format.as_ptr(),
            name: parts._name.as_ptr(),
            metadata: match of.metadata.is_empty() {
                true => null(),
                false => parts._metadata.as_ptr().cast(),
            },
            flags: if of.nullable { 2 } else { 0 },
            child_count: parts.children.len() as i64,
            children: parts.children.as_mut_ptr(),
            dictionary: null_mut(),
            release: Some(release_schema),
            private: Box::into_raw(parts).cast(),
        }
    }

    /// The code of the type.
    pub(super) fn format(&self) -> String {
        if self.format.is_null() {
            return String::new();
        }
        #[expect(unsafe_code, reason = "a text of C")]
        // SAFETY: the specification says that it is a text.
        let format = unsafe { CStr::from_ptr(self.format) };
        format.to_string_lossy().into_owned()
    }

    /// The type of the elements' only part, if there is one.
    pub(super) fn child(&self) -> Option<&Schema> {
        #[expect(unsafe_code, reason = "a pointer of C")]
        // SAFETY: the specification says that there are so many valid pointers.
        (self.child_count == 1).then(|| unsafe { &**self.children })
    }
}

impl Array {
    /// The array of these data.
    pub(super) fn new(data: Data) -> Array {
        let pointer = |buffer: &Option<Buffer>| match buffer {
            Some(buffer) => (*buffer.0).as_ref().as_ptr().cast(),
            None => null(),
        };
        let children = data.children.into_iter();
        let mut parts = Box::new(ArrayParts {
            _buffers: data.buffers.iter().map(pointer).collect(),
            _data: data.buffers,
            children: children
                .map(|child| Box::into_raw(Box::new(Array::new(child))))
                .collect(),
        });
        Array {
            length: data.length as i64,
            null_count: data.null_count as i64,
            offset: data.offset as i64,
            buffer_count: parts._buffers.len() as i64,
            child_count: parts.children.len() as i64,
            buffers: parts._buffers.as_mut_ptr(),
            children: parts.children.as_mut_ptr(),
            dictionary: null_mut(),
            release: Some(release_array),
            private: Box::into_raw(parts).cast(),
        }
    }

    /// The array of a stream's end.
    const fn none() -> Array {
        Array {
            length: 0,
            null_count: 0,
            offset: 0,
            buffer_count: 0,
            child_count: 0,
            buffers: null_mut(),
            children: null_mut(),
            dictionary: null_mut(),
            release: None,
            private: null_mut(),
        }
    }

    /// The number of elements and the place of the first in the buffers.
    pub(super) fn extent(&self) -> Option<(usize, usize)> {
        let length = usize::try_from(self.length).ok()?;
        let offset = usize::try_from(self.offset).ok()?;
        offset.checked_add(length)?;
        Some((length, offset))
    }

    /// A buffer, if there is one of this number.
    pub(super) fn buffer(&self, number: usize) -> *const u8 {
        if self.buffers.is_null() || number as i64 >= self.buffer_count {
            return null();
        }
        #[expect(unsafe_code, reason = "a pointer of C")]
        // SAFETY: there are so many buffers, and the number is below.
        unsafe {
            (*self.buffers.add(number)).cast()
        }
    }

    /// The elements' only part, if there is one.
    pub(super) fn child(&self) -> Option<&Array> {
        #[expect(unsafe_code, reason = "a pointer of C")]
        // SAFETY: the specification says that there are so many valid pointers.
        (self.child_count == 1).then(|| unsafe { &**self.children })
    }

    /// Whether some element is null.
    pub(super) fn has_nulls(&self) -> bool {
        let (bitmap, Some((length, offset))) = (self.buffer(0), self.extent()) else {
            return false;
        };
        if bitmap.is_null() || self.null_count == 0 || length == 0 {
            return false;
        }
        if self.null_count > 0 {
            return true;
        }
        #[expect(unsafe_code, reason = "memory of the array's maker")]
        // SAFETY: the bitmap has a bit for each element.
        let bits = unsafe { std::slice::from_raw_parts(bitmap, (offset + length).div_ceil(8)) };
        (offset..offset + length).any(|k| bits[k / 8] >> (k % 8) & 1 == 0)
    }
}

/// The structures in the capsules that `__arrow_c_array__` returned, which hold nothing afterwards. Capsules from which
/// they were taken before, or that were released, are an error.
pub(super) fn taken(
    schema: &Bound<'_, PyCapsule>,
    array: &Bound<'_, PyCapsule>,
) -> PyResult<(Schema, Array)> {
    let schema = schema.pointer_checked(Some(Schema::NAME))?.cast::<Schema>();
    let array = array.pointer_checked(Some(Array::NAME))?.cast::<Array>();
    #[expect(unsafe_code, reason = "the capsules' pointers lead there")]
    // SAFETY: capsules of these names point to such structures, which may be moved away if they are left
    // without `release`. No other code runs meanwhile.
    unsafe {
        let (mut schema, mut array) = (schema, array);
        if schema.as_ref().release.is_none() || array.as_ref().release.is_none() {
            return Err(PyValueError::new_err(
                "an Arrow array that was released or taken before: expected new capsules from each call of __arrow_c_array__",
            ));
        }
        let taken = (ptr::read(schema.as_ptr()), ptr::read(array.as_ptr()));
        schema.as_mut().release = None;
        array.as_mut().release = None;
        Ok(taken)
    }
}

impl Stream {
    /// The stream of arrays that a function makes until it returns none.
    pub(crate) fn new(
        schema: Type,
        next: impl FnMut() -> Result<Option<Data>, String> + Send + 'static,
    ) -> Stream {
        let parts = Box::new(StreamParts {
            schema,
            next: Box::new(next),
            error: CString::default(),
        });
        Stream {
            schema: stream_schema,
            next: stream_next,
            last_error: stream_error,
            release: Some(release_stream),
            private: Box::into_raw(parts).cast(),
        }
    }
}

/// The error code "input or output error" of POSIX.
const EIO: c_int = 5;

#[expect(unsafe_code, reason = "called by C")]
unsafe extern "C" fn release_schema(schema: *mut Schema) {
    // SAFETY: callers pass a structure that `Schema::new` made. Parts and children were made by
    // `Box::into_raw`; a child that was moved away has no `release` and drops nothing.
    unsafe {
        let schema = &mut *schema;
        let parts = Box::from_raw(schema.private.cast::<SchemaParts>());
        for &child in &parts.children {
            drop(Box::from_raw(child));
        }
        schema.release = None;
    }
}

#[expect(unsafe_code, reason = "called by C")]
unsafe extern "C" fn release_array(array: *mut Array) {
    // SAFETY: as in `release_schema`.
    unsafe {
        let array = &mut *array;
        let parts = Box::from_raw(array.private.cast::<ArrayParts>());
        for &child in &parts.children {
            drop(Box::from_raw(child));
        }
        array.release = None;
    }
}

#[expect(unsafe_code, reason = "called by C")]
unsafe extern "C" fn release_stream(stream: *mut Stream) {
    // SAFETY: callers pass a structure that `Stream::new` made.
    unsafe {
        let stream = &mut *stream;
        drop(Box::from_raw(stream.private.cast::<StreamParts>()));
        stream.release = None;
    }
}

#[expect(unsafe_code, reason = "called by C")]
unsafe extern "C" fn stream_schema(stream: *mut Stream, to: *mut Schema) -> c_int {
    // SAFETY: callers pass a structure that `Stream::new` made and a place for the result.
    unsafe {
        let parts = &*(*stream).private.cast::<StreamParts>();
        ptr::write(to, Schema::new(&parts.schema));
    }
    0
}

#[expect(unsafe_code, reason = "called by C")]
unsafe extern "C" fn stream_next(stream: *mut Stream, to: *mut Array) -> c_int {
    // SAFETY: as in `stream_schema`; a stream is used by one thread at a time.
    unsafe {
        let parts = &mut *(*stream).private.cast::<StreamParts>();
        match (parts.next)() {
            Ok(Some(data)) => ptr::write(to, Array::new(data)),
            Ok(None) => ptr::write(to, Array::none()),
            Err(message) => {
                parts.error = c_string(&message);
                return EIO;
            }
        }
    }
    0
}

#[expect(unsafe_code, reason = "called by C")]
unsafe extern "C" fn stream_error(stream: *mut Stream) -> *const c_char {
    // SAFETY: as in `stream_schema`. The text stays until the next call on the stream.
    unsafe { (*(*stream).private.cast::<StreamParts>()).error.as_ptr() }
}
