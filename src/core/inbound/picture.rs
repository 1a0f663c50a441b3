//! Pictures of messages, prepared for a model: decoded within bounds, small, and reduced to their pixels.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;

/// The largest picture file that is read, in bytes: Discord's limit for uploads without a subscription.
pub const PICTURE_BYTES_MAX: u64 = 10 * 1024 * 1024;
/// The most pixels of a picture that is decoded. A progressive JPEG takes up to 9 bytes per pixel.
pub const PICTURE_PIXELS_MAX: u64 = 16 * 1024 * 1024;
/// The longest side of a picture sent to a model, in pixels.
pub const PICTURE_SIDE_MAX: u32 = 1_024;

/// Pixels per token. Vision models take 750 to 1,100.
const PIXELS_A_TOKEN: usize = 750;
/// The fixed token cost of a picture, in addition to its pixels.
const TOKENS_A_PICTURE: usize = 85;

/// A picture in the form sent to a model.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// The type of its data, such as `image/jpeg`.
    pub media_type: &'static str,
    /// Its data: the pixels without the metadata of the original file.
    pub data: Arc<[u8]>,
    /// Its width and height in pixels, 1 to [`PICTURE_SIDE_MAX`].
    pub size: (u32, u32),
    /// The original, for the record: type, pixels, and the beginning of its SHA-256, such as `image/png 4000x3000
    /// 5feceb66ffc86f38d952786c6d696c79`.
    pub made_of: String,
}

impl Picture {
    /// Estimates its tokens, on the safe side for most models.
    pub fn tokens(&self) -> usize {
        let (width, height) = self.size;
        let pixels = usize::try_from(u64::from(width) * u64::from(height)).unwrap_or(usize::MAX);
        pixels.div_ceil(PIXELS_A_TOKEN).saturating_add(TOKENS_A_PICTURE)
    }
}

/// Omits the data.
impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Picture").field("size", &self.size).field("made_of", &self.made_of).finish_non_exhaustive()
    }
}

#[async_trait]
pub trait PictureReader: Send + Sync {
    /// Decodes a file of any declared type, and scales the picture down.
    async fn read(&self, file: Vec<u8>) -> Result<Picture, NoPicture>;
}

/// Why a file cannot be shown as a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPicture {
    /// Not a picture of a known type, or a broken one.
    Unreadable,
    /// More than [`PICTURE_PIXELS_MAX`] pixels, or too much memory.
    TooManyPixels,
    /// Not decoded in time.
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
