//! One thread makes slices while another takes them.

use std::sync::mpsc::sync_channel;

use super::super::error::StoreError;

/// Has slices made, and hands them to `take` on the calling thread. With several threads, they are made on another
/// one. `make` appends the next indices to an empty vector, and returns whether there are more.
pub(super) fn pipe<W: Send, E: From<StoreError>>(
    threads: usize,
    mut make: impl FnMut(&mut Vec<W>) -> Result<bool, StoreError> + Send,
    take: &mut dyn FnMut(&[W]) -> Result<(), E>,
) -> Result<(), E> {
    if threads <= 1 {
        let (mut some, mut more) = (Vec::new(), true);
        while more {
            some.clear();
            more = make(&mut some)?;
            take(&some)?;
        }
        return Ok(());
    }
    let (full, take_full) = sync_channel(2);
    let (give_empty, empty) = sync_channel(4);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut more = true;
            // When no more is taken, the result is of no account.
            while more {
                let mut some: Vec<W> = empty.try_recv().unwrap_or_default();
                some.clear();
                let made = make(&mut some);
                more = matches!(made, Ok(true));
                if full.send(made.map(|_| some)).is_err() {
                    return;
                }
            }
        });
        for made in take_full {
            let some = made?;
            take(&some)?;
            let _ = give_empty.try_send(some);
        }
        Ok(())
    })
}
