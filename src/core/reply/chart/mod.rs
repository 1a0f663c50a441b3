//! Charts as data: series of samples over a period, to be drawn by an edge; also SVG and sparklines.

mod axis;
pub(crate) mod data;
mod sparkline;
mod svg;

pub use data::{Chart, Painter, Png, Series};
pub use sparkline::sparkline;
pub use svg::{CARD, HEIGHT, LINE, PLOT, SERIES_MAX, STALE, WIDTH, svg};
