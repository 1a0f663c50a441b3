//! Renders charts as PNG. The only file that names resvg.
//!
//! The font is part of the program, and no other is ever used. So a chart looks the same on every machine, and a
//! machine without fonts shows no empty boxes.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use async_trait::async_trait;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{ImageHrefResolver, Options, Tree, fontdb};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use candor_core::reply::Chart;
use candor_core::reply::chart::{HEIGHT, Painter, Png, WIDTH, svg};

/// A subset of DejaVu Sans: see `font/LICENSE`.
const FONT: &[u8] = include_bytes!("font/candor-sans.ttf");

const FAMILY: &str = "Candor Sans";

/// The most pictures drawn at once: each takes a whole core for some tens of milliseconds.
const AT_ONCE_MAX: usize = 2;

/// The longest wait for a picture, including the queue: the text says the same.
const DEADLINE: Duration = Duration::from_secs(20);

/// A larger file is not one of our charts. In bytes; Discord itself takes 10 MiB.
const SIZE_MAX: usize = 1024 * 1024;

static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(FONT.to_vec());
    Arc::new(fonts)
});

pub struct Pictures {
    room: Arc<Semaphore>,
}

impl Default for Pictures {
    fn default() -> Self {
        Self { room: Arc::new(Semaphore::new(AT_ONCE_MAX)) }
    }
}

#[async_trait]
impl Painter for Pictures {
    async fn paint(&self, chart: &Chart) -> Result<Png, String> {
        let svg = svg(chart);
        let room = Arc::clone(&self.room);
        let drawn = async {
            let room = room.acquire_owned().await.map_err(|closed| closed.to_string())?;
            let drawing = tokio::task::spawn_blocking(move || {
                // Held by the work itself, which continues after the caller stopped waiting.
                let _room = room;
                png(&svg)
            });
            drawing.await.map_err(|broken| format!("the drawing broke off: {broken}"))?
        };
        timeout(DEADLINE, drawn).await.map_err(|_| format!("not drawn within {} s", DEADLINE.as_secs()))?
    }
}

/// Renders one of our SVG texts as a picture.
///
/// # Errors
/// The text is not SVG, or larger than a chart.
pub fn png(svg: &str) -> Result<Png, String> {
    let options = Options {
        font_family: FAMILY.to_owned(),
        fontdb: Arc::clone(&FONTS),
        // Our charts embed no images, so no image reference is loaded.
        image_href_resolver: ImageHrefResolver {
            resolve_data: Box::new(|_, _, _| None),
            resolve_string: Box::new(|_, _| None),
        },
        ..Options::default()
    };
    let tree = Tree::from_str(svg, &options).map_err(|problem| format!("not an SVG: {problem}"))?;
    let size = tree.size().to_int_size();
    if WIDTH < size.width() || HEIGHT < size.height() {
        return Err(format!("{} by {} pixels are too many", size.width(), size.height()));
    }
    let mut pixels = Pixmap::new(size.width(), size.height()).ok_or("no room for the pixels")?;
    resvg::render(&tree, Transform::default(), &mut pixels.as_mut());
    let png = pixels.encode_png().map_err(|problem| format!("not written as PNG: {problem}"))?;
    if SIZE_MAX < png.len() {
        return Err(format!("{} bytes are too many", png.len()));
    }
    Ok(Png(png.into()))
}

#[cfg(test)]
mod tests {
    use std::time::{SystemTime, UNIX_EPOCH};

    use super::*;
    use candor_core::reply::Series;
    use candor_core::reply::chart::{CARD, LINE, PLOT, STALE};

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_700_000_000 + seconds)
    }

    /// An hour: samples in the first third, nothing in the second, samples of a stale producer in the third.
    fn chart(n_series: usize) -> Chart {
        let seconds = (0..1_200).chain(2_400..3_600).step_by(30);
        let series = Series {
            label: "CPU".to_owned(),
            unit: "%".to_owned(),
            summary: "last 12 %".to_owned(),
            samples: seconds.map(|second| (at(second), f64::from(u32::try_from(second % 97).unwrap()))).collect(),
            spread: Vec::new(),
            gap: Duration::from_secs(90),
            thresholds: vec![80.0],
        };
        Chart {
            title: "Status, last hour".to_owned(),
            from: at(0),
            until: at(3_600),
            series: vec![series; n_series],
            stale: vec![(at(2_400), at(3_600))],
            alt_text: "CPU".to_owned(),
            png: None,
        }
    }

    /// Every colour in a column of the first plot, 158 to 1,076 pixels from the left.
    fn column(pixels: &Pixmap, x: u32) -> Vec<[u8; 3]> {
        let colour = |y| pixels.pixel(x, y).map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]);
        (100..590).filter_map(colour).collect()
    }

    #[tokio::test]
    async fn a_chart_becomes_a_png_with_its_gap_empty_and_its_stale_stretch_shaded() {
        let Png(bytes) = Pictures::default().paint(&chart(1)).await.unwrap();
        assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n") && bytes.len() < 64 * 1024, "{}", bytes.len());
        let pixels = Pixmap::decode_png(&bytes).unwrap();
        assert_eq!((pixels.width(), pixels.height()), (WIDTH, HEIGHT));
        let has = |x, colour| column(&pixels, x).contains(&colour);
        let line = |x| column(&pixels, x).iter().any(|[_, green, blue]| 0xA0 < *green && 0xC0 < *blue);
        // The first third: a line on the plot's own ground.
        assert!(line(300) && has(300, PLOT) && !has(300, STALE));
        // The second: nothing.
        assert!(!line(617) && has(617, PLOT) && !has(617, STALE));
        // The third: a line on shaded ground.
        assert!(line(920) && has(920, STALE) && !has(920, PLOT));
        assert!((158..1_076).any(|x| has(x, LINE)), "the line has its full colour somewhere");
        // The card is opaque up to its corners, so it reads on every page.
        let corner = pixels.pixel(0, 0).unwrap();
        assert_eq!(([corner.red(), corner.green(), corner.blue()], corner.alpha()), (CARD, 255));
    }

    #[test]
    fn text_is_drawn_with_the_fonts_own_letters() {
        let drawn = |text: &str| {
            let chart = Chart { title: text.to_owned(), series: Vec::new(), stale: Vec::new(), ..chart(1) };
            let Png(bytes) = png(&svg(&chart)).unwrap();
            let pixels = Pixmap::decode_png(&bytes).unwrap();
            pixels.pixels().iter().filter(|pixel| 0xD0 < pixel.red()).count()
        };
        let nothing = drawn("");
        for text in ["Status", "Größe äöüß", "Загрузка", "Φορτίο", "12 % · 3.1 GiB – 4 °C …"]
        {
            assert!(nothing + 40 < drawn(text), "{text}: {} of {nothing}", drawn(text));
        }
        assert!(drawn("Status, last hour") != drawn("Status, last week"), "letters, not boxes");
    }

    #[test]
    fn the_largest_chart_keeps_to_the_limits() {
        let Png(bytes) = png(&svg(&chart(64))).unwrap();
        let pixels = Pixmap::decode_png(&bytes).unwrap();
        assert_eq!((pixels.width(), pixels.height()), (WIDTH, HEIGHT));
        assert!(bytes.len() < 256 * 1024, "{}", bytes.len());
    }

    #[test]
    fn what_is_no_chart_of_ours_is_refused() {
        for (svg, why) in [
            ("", "not an SVG"),
            ("<svg", "not an SVG"),
            ("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"90000\" height=\"90000\"/>", "too many"),
        ] {
            let problem = png(svg).unwrap_err();
            assert!(problem.contains(why), "{svg}: {problem}");
        }
    }
}
