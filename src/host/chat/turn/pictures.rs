//! Fetches the pictures that came with words, and makes them ready for the model.

use std::sync::Arc;

use tokio::sync::Semaphore;

use candor_core::agent::surroundings::{ContextSource, Unread};
use candor_core::inbound::{AttachedFile, Picture, PictureReader};

/// The most pictures that are fetched or read at once, in all conversations together: each has up to 10 MiB.
const AT_ONCE_MAX: usize = 3;

/// Reads pictures, if there is something to read them with: without it each is named and not shown.
pub struct Pictures {
    reader: Option<Arc<dyn PictureReader>>,
    room: Semaphore,
}

impl Default for Pictures {
    fn default() -> Self {
        Self { reader: None, room: Semaphore::new(AT_ONCE_MAX) }
    }
}

impl Pictures {
    /// Pictures read by this.
    pub fn read_by(reader: Arc<dyn PictureReader>) -> Self {
        Self { reader: Some(reader), ..Self::default() }
    }

    /// A file as a picture. What is waited for is the caller's to limit.
    pub(super) async fn read(&self, file: &AttachedFile, source: &dyn ContextSource) -> Result<Picture, Unread> {
        let reader = self.reader.as_ref().ok_or(Unread::Image)?;
        let _room = self.room.acquire().await.map_err(|_closed| Unread::Late)?;
        Ok(reader.read(source.picture(file).await?).await?)
    }
}
