//! A file's bytes.

use std::sync::Arc;

/// A file's bytes, shared by the file and the arrays that were made of it.
#[derive(Clone)]
pub(crate) struct Bytes(Arc<dyn AsRef<[u8]> + Send + Sync>);

impl Bytes {
    pub(super) fn new(bytes: impl AsRef<[u8]> + Send + Sync + 'static) -> Bytes {
        Bytes(Arc::new(bytes))
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        (*self.0).as_ref()
    }
}
