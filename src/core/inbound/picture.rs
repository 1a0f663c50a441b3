//! Pictures of messages, made ready for a model: decoded within bounds, small, and without anything but their pixels.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

/// The largest file of a picture that is read, in bytes: what everybody may send on Discord.
pub const PICTURE_BYTES_MAX: u64 = 10 * 1024 * 1024;
/// The most pixels of a picture that is decoded. With a progressive JPEG each takes up to 9 bytes.
pub const PICTURE_PIXELS_MAX: u64 = 16 * 1024 * 1024;
/// The longest side of a picture as a model is shown it, in pixels.
pub const PICTURE_SIDE_MAX: u32 = 1_024;

/// The pixels of a token. Vision models take 750 to 1,100.
const PIXELS_A_TOKEN: usize = 750;
/// The tokens of a picture besides its pixels.
const TOKENS_A_PICTURE: usize = 85;

/// A picture as a model can be shown it.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// The type of its data, such as `image/jpeg`.
    pub media_type: &'static str,
    /// Its data: pixels, and nothing else of the file that it was made of.
    pub data: Arc<[u8]>,
    /// Its width and height in pixels, 1 to [`PICTURE_SIDE_MAX`].
    pub size: (u32, u32),
    /// What it was made of, for the record: type, pixels, and the beginning of its SHA-256, such as
    /// `image/png 4000x3000 5feceb66ffc86f38d952786c6d696c79`.
    pub made_of: String,
}

impl Picture {
    /// The tokens that it takes: an estimate, on the safe side for most models.
    pub fn tokens(&self) -> usize {
        let (width, height) = self.size;
        let pixels = usize::try_from(u64::from(width) * u64::from(height)).unwrap_or(usize::MAX);
        pixels.div_ceil(PIXELS_A_TOKEN).saturating_add(TOKENS_A_PICTURE)
    }
}

/// Without the data.
impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Picture").field("size", &self.size).field("made_of", &self.made_of).finish_non_exhaustive()
    }
}

/// Makes pictures ready.
#[async_trait]
pub trait PictureReader: Send + Sync {
    /// Decodes a file, of whatever type it says that it is, and makes the picture small.
    async fn read(&self, file: Vec<u8>) -> Result<Picture, NoPicture>;
}

/// Why a file is no picture that can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPicture {
    /// It is no picture of a known type, or a broken one.
    Unreadable,
    /// It has more than [`PICTURE_PIXELS_MAX`] pixels, or takes too much memory.
    TooManyPixels,
    /// It was not read in time.
    Late,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_costs_by_its_pixels_and_shows_no_data_in_the_log() {
        let picture = |size| Picture {
            media_type: "image/jpeg",
            data: Arc::from(*b"secret"),
            size,
            made_of: "image/png 1x1 5f".to_owned(),
        };
        for (size, tokens) in [((1, 1), 86), ((1_024, 1_024), 1_484), ((1_024, 576), 872)] {
            assert_eq!(picture(size).tokens(), tokens, "{size:?}");
        }
        let shown = format!("{:?}", picture((1, 1)));
        assert_eq!(shown, "Picture { size: (1, 1), made_of: \"image/png 1x1 5f\", .. }");
    }
}
