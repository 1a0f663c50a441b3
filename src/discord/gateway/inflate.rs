//! Decompresses Discord's `zstd-stream`: one stream per connection, one message per frame.

use zstd_safe::{DCtx, InBuffer, OutBuffer};

/// The maximum size of a decompressed frame in bytes. Discord's largest frames describe guilds and have some MB.
pub(super) const FRAME_MAX: usize = 64 << 20;
/// The smallest and the largest initial buffer for a frame, in bytes. The buffer grows as needed.
const ROOM_FIRST: (usize, usize) = (512, 1 << 20);

/// A frame that cannot be decompressed, or is too large. Its connection cannot be decompressed any further.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Broken;

pub(super) struct Inflater(DCtx<'static>);

impl Default for Inflater {
    fn default() -> Self {
        Self(DCtx::create())
    }
}

impl Inflater {
    pub(super) fn frame(&mut self, packed: &[u8]) -> Result<String, Broken> {
        let mut input = InBuffer::around(packed);
        let mut text: Vec<u8> = Vec::with_capacity((packed.len() * 4).clamp(ROOM_FIRST.0, ROOM_FIRST.1));
        loop {
            if text.len() == text.capacity() {
                text.reserve_exact(text.capacity().min(FRAME_MAX + 1 - text.len()));
            }
            let room = text.capacity();
            let at = text.len();
            let mut output = OutBuffer::around_pos(&mut text, at);
            self.0.decompress_stream(&mut output, &mut input).map_err(|_| Broken)?;
            // zstd may hold back output that does not fit. Space left in the buffer shows that it is complete.
            let is_all = input.pos == packed.len() && output.pos() < room;
            if FRAME_MAX < text.len() {
                return Err(Broken);
            }
            if is_all {
                break;
            }
        }
        String::from_utf8(text).map_err(|_| Broken)
    }
}

#[cfg(test)]
mod tests {
    use zstd_safe::CCtx;
    use zstd_safe::zstd_sys::ZSTD_EndDirective::ZSTD_e_flush;

    use super::*;

    fn packed(packer: &mut CCtx<'_>, text: &[u8]) -> Vec<u8> {
        let mut packed = vec![0; text.len() * 2 + 1_000];
        let mut output = OutBuffer::around(&mut packed);
        let mut input = InBuffer::around(text);
        while packer.compress_stream2(&mut output, &mut input, ZSTD_e_flush).unwrap() != 0 {}
        let length = output.pos();
        packed.truncate(length);
        packed
    }

    /// Each frame of a stream is flushed and not ended, and may be larger than any room for it.
    #[test]
    fn frames_of_any_size_come_out_whole() {
        let mut packer = CCtx::create();
        let mut inflater = Inflater::default();
        for length in [1_usize, 100, 511, 512, 513, 5_000, 40_000, 3_000_000] {
            let text: String = (0..length).map(|n| char::from(b'a' + u8::try_from(n * n % 23).unwrap())).collect();
            let packed = packed(&mut packer, text.as_bytes());
            assert_eq!(inflater.frame(&packed), Ok(text), "{length}");
        }
    }

    #[test]
    fn what_is_no_frame_or_too_large_is_refused() {
        assert_eq!(Inflater::default().frame(b"{\"op\":10}"), Err(Broken));
        let latin = packed(&mut CCtx::create(), &[0xe9, b'x']);
        assert_eq!(Inflater::default().frame(&latin), Err(Broken));
        let large = packed(&mut CCtx::create(), &vec![b'a'; FRAME_MAX + (2 << 20)]);
        assert!(large.len() < 100_000 && Inflater::default().frame(&large).is_err());
    }
}
