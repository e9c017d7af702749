//! What a supervisor waits for. Each is cancel safe: dropped before it is ready, it has done nothing.

use std::pin::Pin;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::ChildStdin;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::run::Batch;

/// The end of a tree under way; whether nothing is left of it.
pub(super) type Ending = Pin<Box<dyn Future<Output = bool> + Send>>;

/// Waits for the end of the tree.
pub(super) async fn wait(ending: &mut Option<Ending>) -> bool {
    match ending {
        Some(ending) => ending.as_mut().await,
        None => std::future::pending().await,
    }
}

/// Room for a batch where there is some now.
pub(super) fn try_reserve<'a>(
    sender: &'a mpsc::Sender<Batch>,
    room: &Arc<Semaphore>,
    charge: u32,
) -> Option<(mpsc::Permit<'a, Batch>, OwnedSemaphorePermit)> {
    let room = Arc::clone(room).try_acquire_many_owned(charge).ok()?;
    Some((sender.try_reserve().ok()?, room))
}

/// Room for a batch; `None` where the reader is gone.
pub(super) async fn reserve<'a>(
    sender: &'a mpsc::Sender<Batch>,
    room: &Arc<Semaphore>,
    charge: u32,
) -> Option<(mpsc::Permit<'a, Batch>, OwnedSemaphorePermit)> {
    let room = Arc::clone(room).acquire_many_owned(charge);
    tokio::select! {
        room = room => Some((sender.reserve().await.ok()?, room.ok()?)),
        () = sender.closed() => None,
    }
}

/// Reads; 0 at the end, and on an error, after which nothing more can come.
pub(super) async fn read<R: AsyncRead + Unpin>(pipe: &mut Option<R>, buffer: &mut [u8]) -> usize {
    match pipe {
        Some(pipe) => pipe.read(buffer).await.unwrap_or(0),
        None => std::future::pending().await,
    }
}

/// Writes what is left of stdin; 0 when all is written.
pub(super) async fn write(stdin: &mut Option<(ChildStdin, Vec<u8>)>, written: usize) -> std::io::Result<usize> {
    match stdin {
        Some((_, bytes)) if written >= bytes.len() => Ok(0),
        Some((pipe, bytes)) => pipe.write(&bytes[written..]).await,
        None => std::future::pending().await,
    }
}
