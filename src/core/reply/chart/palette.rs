//! The colours of a chart. Its card is opaque, so it looks the same in dark and light themes.

/// An opaque colour: red, green, blue.
pub(super) type Colour = [u8; 3];

/// The background of the whole chart.
pub const CARD: Colour = [0x2B, 0x2D, 0x31];
/// The background of a plot.
pub const PLOT: Colour = [0x23, 0x25, 0x28];
/// The background of stale periods.
pub const STALE: Colour = [0x4D, 0x44, 0x33];
/// Headings and names.
pub(super) const TEXT: Colour = [0xF2, 0xF3, 0xF5];
/// Axis labels.
pub(super) const MUTED: Colour = [0xC4, 0xC9, 0xCE];
/// The line of a metric. Colour-blind people can tell it from the thresholds' orange.
pub const LINE: Colour = [0x5E, 0xC8, 0xF8];
/// The band from lowest to highest value.
pub(super) const SPREAD: Colour = [0x2F, 0x55, 0x67];
/// A threshold line; it is also dashed, so that it does not rely on colour alone.
pub(super) const THRESHOLD: Colour = [0xFF, 0xA7, 0x4D];
/// Grid lines.
pub(super) const GRID: Colour = [0x3C, 0x3F, 0x45];

/// Formats the colour for SVG.
pub(super) fn hex([red, green, blue]: Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// See WCAG 2.2, "contrast ratio" and "relative luminance".
    fn contrast(one: Colour, other: Colour) -> f64 {
        let luminance = |colour: Colour| {
            let [red, green, blue] = colour.map(|part| {
                let part = f64::from(part) / 255.0;
                if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
            });
            0.2126 * red + 0.7152 * green + 0.0722 * blue
        };
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn whatever_must_be_read_stands_out_from_whatever_it_stands_on() {
        for ink in [TEXT, MUTED, LINE, THRESHOLD] {
            for ground in [CARD, PLOT, STALE] {
                let contrast = contrast(ink, ground);
                assert!(4.5 <= contrast, "{} on {}: {contrast:.2}", hex(ink), hex(ground));
            }
        }
    }

    #[test]
    fn contrast_is_as_the_standard_counts_it() {
        assert!((contrast([0; 3], [255; 3]) - 21.0).abs() < 0.01);
        assert!((contrast([0x77; 3], [255; 3]) - 4.48).abs() < 0.01);
    }
}
