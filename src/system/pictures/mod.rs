//! Prepares pictures that people sent for a model. The only files that name `image`.
//!
//! A file is not trusted: the size in its header is checked before a pixel is decoded, and decoding has a memory limit.
//! The result is a JPEG of the pixels alone: no metadata, no second frame, no bytes after the end.

#[cfg(test)]
mod tests;

use std::io::Cursor;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use image::codecs::jpeg::JpegEncoder;
use image::error::ImageError;
use image::{DynamicImage, ExtendedColorType, ImageDecoder as _, ImageReader, Limits, RgbImage};
use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tracing::warn;

use candor_core::inbound::{NoPicture, PICTURE_PIXELS_MAX, PICTURE_SIDE_MAX, Picture, PictureReader};

/// The longest accepted side of a picture, in pixels: a JPEG's own limit.
const FILE_SIDE_MAX: u32 = 65_535;

/// The memory limit of a decoder, in bytes: all pixels with four channels of 16 bits.
const MEMORY_MAX: u64 = 8 * PICTURE_PIXELS_MAX;

/// The quality of the JPEG, of 100.
const QUALITY: u8 = 85;

const DEADLINE: Duration = Duration::from_secs(8);

/// Reads pictures one at a time: each may take 150 MB for a second.
pub struct SmallPictures {
    room: Arc<Semaphore>,
}

impl Default for SmallPictures {
    fn default() -> Self {
        Self { room: Arc::new(Semaphore::new(1)) }
    }
}

#[async_trait]
impl PictureReader for SmallPictures {
    async fn read(&self, file: Vec<u8>) -> Result<Picture, NoPicture> {
        let room = Arc::clone(&self.room);
        let read = async {
            let room = room.acquire_owned().await.map_err(|_closed| NoPicture::Late)?;
            let reading = tokio::task::spawn_blocking(move || {
                // Held by the work itself, which continues after the caller stopped waiting.
                let _room = room;
                picture(&file)
            });
            reading.await.unwrap_or_else(|broken| {
                warn!(error = %broken, "reading a picture broke off");
                Err(NoPicture::Unreadable)
            })
        };
        timeout(DEADLINE, read).await.unwrap_or(Err(NoPicture::Late))
    }
}

/// Returns a file as a small picture; the first frame if there are several.
///
/// # Errors
/// It is not a picture of a known type, or is too large.
pub fn picture(file: &[u8]) -> Result<Picture, NoPicture> {
    let mut reader = ImageReader::new(Cursor::new(file)).with_guessed_format().map_err(|_| NoPicture::Unreadable)?;
    let media_type = reader.format().ok_or(NoPicture::Unreadable)?.to_mime_type();
    let mut limits = Limits::default();
    limits.max_image_width = Some(FILE_SIDE_MAX);
    limits.max_image_height = Some(FILE_SIDE_MAX);
    limits.max_alloc = Some(MEMORY_MAX);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(reason)?;
    let (width, height) = decoder.dimensions();
    if PICTURE_PIXELS_MAX < u64::from(width) * u64::from(height) || MEMORY_MAX < decoder.total_bytes() {
        return Err(NoPicture::TooManyPixels);
    }
    // Cameras write the orientation into the metadata, which is left out.
    let orientation = decoder.orientation().ok();
    let mut whole = DynamicImage::from_decoder(decoder).map_err(reason)?;
    if PICTURE_SIDE_MAX < width.max(height) {
        whole = whole.thumbnail(PICTURE_SIDE_MAX, PICTURE_SIDE_MAX);
    }
    if let Some(orientation) = orientation {
        whole.apply_orientation(orientation);
    }
    let pixels = on_white(&whole);
    let size = pixels.dimensions();
    let mut data = Vec::new();
    JpegEncoder::new_with_quality(&mut data, QUALITY)
        .encode(pixels.as_raw(), size.0, size.1, ExtendedColorType::Rgb8)
        .map_err(reason)?;
    let digest = Sha256::digest(file).iter().take(16).map(|byte| format!("{byte:02x}")).collect::<String>();
    let made_of = format!("{media_type} {width}x{height} {digest}");
    Ok(Picture { media_type: "image/jpeg", data: data.into(), size, made_of })
}

/// Blends the colours with white: a JPEG has no transparency.
fn on_white(image: &DynamicImage) -> RgbImage {
    if !image.color().has_alpha() {
        return image.to_rgb8();
    }
    let pixels = image.to_rgba8();
    RgbImage::from_fn(pixels.width(), pixels.height(), |x, y| {
        let [red, green, blue, alpha] = pixels.get_pixel(x, y).0.map(u16::from);
        let mixed = |colour: u16| u8::try_from((colour * alpha + 255 * (255 - alpha)) / 255).unwrap_or(u8::MAX);
        image::Rgb([mixed(red), mixed(green), mixed(blue)])
    })
}

fn reason(problem: ImageError) -> NoPicture {
    match problem {
        ImageError::Limits(_) => NoPicture::TooManyPixels,
        _ => NoPicture::Unreadable,
    }
}
