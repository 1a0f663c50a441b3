//! Charts as data: series of samples over a period, to be drawn by an edge; also SVG and sparklines.

mod axis;
pub(crate) mod data;
mod palette;
mod sparkline;
mod svg;

pub use data::{Chart, Painter, Png, Series};
pub use palette::{CARD, LINE, PLOT, STALE};
pub use sparkline::sparkline;
pub use svg::{HEIGHT, SERIES_MAX, WIDTH, svg};
