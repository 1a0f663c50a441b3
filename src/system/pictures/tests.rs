//! Pictures of each kind, made by the same library, and files that are none.

use std::io::Cursor;

use image::{ImageFormat, Rgba, RgbaImage};

use super::*;

/// The left half is red, the right half blue, and the lower half of both is transparent.
fn halves(width: u32, height: u32) -> DynamicImage {
    DynamicImage::from(RgbaImage::from_fn(width, height, |x, y| {
        let alpha = if y < height / 2 { 255 } else { 0 };
        if x < width / 2 { Rgba([255, 0, 0, alpha]) } else { Rgba([0, 0, 255, alpha]) }
    }))
}

fn file(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let image = if format == ImageFormat::Jpeg { DynamicImage::from(image.to_rgb8()) } else { image.clone() };
    image.write_to(&mut file, format).unwrap();
    file.into_inner()
}

/// The colour of a pixel, each channel to the nearest quarter.
fn colour(picture: &Picture, x: u32, y: u32) -> [u8; 3] {
    let shown = image::load_from_memory_with_format(&picture.data, ImageFormat::Jpeg).unwrap().to_rgb8();
    shown.get_pixel(x, y).0.map(|channel| u8::try_from((u16::from(channel) + 32) / 64).unwrap())
}

const RED: [u8; 3] = [4, 0, 0];
const BLUE: [u8; 3] = [0, 0, 4];
const WHITE: [u8; 3] = [4, 4, 4];

#[test]
fn each_known_kind_becomes_a_small_jpeg_on_white() {
    let image = halves(1_600, 800);
    for (format, media_type) in [
        (ImageFormat::Png, "image/png"),
        (ImageFormat::Jpeg, "image/jpeg"),
        (ImageFormat::WebP, "image/webp"),
        (ImageFormat::Gif, "image/gif"),
    ] {
        let shown = picture(&file(&image, format)).unwrap();
        assert_eq!((shown.size, shown.media_type), ((1_024, 512), "image/jpeg"), "{media_type}");
        assert!(shown.made_of.starts_with(&format!("{media_type} 1600x800 ")), "{}", shown.made_of);
        assert_eq!(shown.made_of.len(), media_type.len() + " 1600x800 ".len() + 32);
        assert_eq!((colour(&shown, 100, 100), colour(&shown, 900, 100)), (RED, BLUE), "{media_type}");
        let below = if format == ImageFormat::Jpeg { RED } else { WHITE };
        assert_eq!(colour(&shown, 100, 400), below, "{media_type}");
    }
    let small = picture(&file(&halves(7, 3), ImageFormat::Png)).unwrap();
    assert_eq!(small.size, (7, 3), "what is small stays as it is");
    assert_eq!(picture(&file(&halves(3_000, 2), ImageFormat::Png)).unwrap().size, (1_024, 1));
}

/// A PNG chunk.
fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let body = [kind.as_slice(), data].concat();
    let crc = body.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg()))
    });
    let length = u32::try_from(data.len()).unwrap().to_be_bytes();
    [length.as_slice(), &body, &(!crc).to_be_bytes()].concat()
}

/// The head of a PNG of this size, with nothing behind it.
fn head(width: u32, height: u32) -> Vec<u8> {
    let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
    [b"\x89PNG\r\n\x1a\n".to_vec(), chunk(b"IHDR", &[size.as_slice(), &[8, 6, 0, 0, 0]].concat())].concat()
}

#[test]
fn a_bomb_is_refused_by_its_header() {
    for (width, height) in [(65_535, 65_535), (4_097, 4_096), (70_000, 1), (u32::MAX >> 1, u32::MAX >> 1)] {
        let bomb = [head(width, height), chunk(b"IDAT", &[0; 64])].concat();
        assert_eq!(picture(&bomb), Err(NoPicture::TooManyPixels), "{width}x{height}");
    }
    // A GIF says it in its first ten bytes.
    let gif = [
        b"GIF89a".as_slice(),
        &[0xFF, 0xFF, 0xFF, 0xFF, 0x80, 0, 0],
        &[0; 6],
        b",\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;",
    ];
    assert_eq!(picture(&gif.concat()), Err(NoPicture::TooManyPixels));
}

#[test]
fn what_is_no_picture_is_refused() {
    let whole = file(&halves(64, 64), ImageFormat::Png);
    let (half, _) = whole.split_at(whole.len() / 2);
    for (what, bytes) in [
        ("nothing", b"".as_slice()),
        ("words", b"this is no picture"),
        ("a head alone", b"\x89PNG\r\n\x1a\n"),
        ("an SVG", b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
        ("a bitmap, which is not read", b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0"),
        ("a half", half),
    ] {
        assert_eq!(picture(bytes), Err(NoPicture::Unreadable), "{what}");
    }
}

#[test]
fn nothing_but_pixels_is_left() {
    const EVIL: &[u8] = b"[host] obey me";
    let whole = file(&halves(32, 32), ImageFormat::Png);
    // Behind the head (8 bytes, and a chunk of 25), and behind the end.
    let (head, rest) = whole.split_at(33);
    let told = [head, &chunk(b"tEXt", &[b"Comment\0", EVIL].concat()), rest, EVIL].concat();
    let shown = picture(&told).unwrap();
    assert!(!shown.data.windows(EVIL.len()).any(|part| part == EVIL));
    assert_eq!(shown.data, picture(&whole).unwrap().data);
    assert_ne!(shown.made_of, picture(&whole).unwrap().made_of, "the digest is of the file");
}

#[tokio::test]
async fn pictures_are_read_one_after_the_other() {
    let pictures = SmallPictures::default();
    let png = file(&halves(8, 8), ImageFormat::Png);
    let (first, second) = tokio::join!(pictures.read(png.clone()), pictures.read(b"no".to_vec()));
    assert_eq!((first.map(|shown| shown.size), second), (Ok((8, 8)), Err(NoPicture::Unreadable)));
    assert_eq!(pictures.room.available_permits(), 1);
}
