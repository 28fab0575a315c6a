//! One thread makes slices while another takes them.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::super::error::StoreError;

/// How a producer gives slices away: it fills a buffer, and gives it.
pub(super) struct Give<'a, W, E> {
    buffer: Vec<W>,
    to: To<'a, W, E>,
}

enum To<'a, W, E> {
    /// Whoever takes them is on the same thread.
    Here(&'a mut dyn FnMut(&[W]) -> Result<(), E>),
    /// To another thread, which sends the buffers back.
    Other(SyncSender<Vec<W>>, Receiver<Vec<W>>),
}

impl<W, E: From<StoreError>> Give<'_, W, E> {
    /// What will be given next. It is empty at first, and after each time.
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
                // If nobody takes it any more, they know why, and report it.
                let next = empty.recv().map_err(|_| StoreError::cancelled())?;
                let this = std::mem::replace(&mut self.buffer, next);
                full.send(this).map_err(|_| StoreError::cancelled())?;
            }
        }
        self.buffer.clear();
        Ok(())
    }
}

/// Has slices of about `items` made, and taken on this thread; with several threads, made on another.
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
        // The producer sees that nobody takes any more.
        drop((take_full, give_empty));
        let produced = producer
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        taken.and(produced)
    })
}
