//! One thread makes slices while another takes them.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::super::error::StoreError;

/// What a producer gives slices away by: it fills the buffer, and gives it away.
pub(super) struct Give<'a, W, E> {
    buffer: Vec<W>,
    to: To<'a, W, E>,
}

enum To<'a, W, E> {
    /// They are taken on the same thread.
    Here(&'a mut dyn FnMut(&[W]) -> Result<(), E>),
    /// They are taken on another thread, which sends the buffers back.
    Other(SyncSender<Vec<W>>, Receiver<Vec<W>>),
}

impl<W, E: From<StoreError>> Give<'_, W, E> {
    /// The buffer that will be given away next. It is empty at first, and again after each time.
    pub(super) fn buffer(&mut self) -> &mut Vec<W> {
        &mut self.buffer
    }

    /// Gives the buffer away, unless it is empty.
    pub(super) fn away(&mut self) -> Result<(), E> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        match &mut self.to {
            To::Here(take) => take(&self.buffer)?,
            To::Other(full, empty) => {
                // If the other thread takes no more, it has an error of its own, which it reports.
                let next = empty.recv().map_err(|_| StoreError::cancelled())?;
                let this = std::mem::replace(&mut self.buffer, next);
                full.send(this).map_err(|_| StoreError::cancelled())?;
            }
        }
        self.buffer.clear();
        Ok(())
    }
}

/// Has slices of about `items` produced, and taken on the calling thread. With several threads, they are
/// produced on another one.
pub(super) fn pipe<W: Send, E: From<StoreError> + Send>(
    threads: usize,
    items: usize,
    produce: impl FnOnce(&mut Give<'_, W, E>) -> Result<(), E> + Send,
    take: &mut dyn FnMut(&[W]) -> Result<(), E>,
) -> Result<(), E> {
    if threads <= 1 {
        return produce(&mut Give {
            buffer: Vec::with_capacity(items),
            to: To::Here(take),
        });
    }
    let (full, take_full) = sync_channel::<Vec<W>>(2);
    let (give_empty, empty) = sync_channel::<Vec<W>>(2);
    for _ in 0..2 {
        let _ = give_empty.send(Vec::with_capacity(items));
    }
    std::thread::scope(|scope| {
        let producer = scope.spawn(move || {
            produce(&mut Give {
                buffer: Vec::with_capacity(items),
                to: To::Other(full, empty),
            })
        });
        let mut taken = Ok(());
        for buffer in &take_full {
            taken = take(&buffer);
            if taken.is_err() {
                break;
            }
            let _ = give_empty.send(buffer);
        }
        // By this the producer sees that no more is taken.
        drop((take_full, give_empty));
        let produced = producer
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        taken.and(produced)
    })
}
