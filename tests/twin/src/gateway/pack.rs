//! Packs frames for a connection that asks for it: `compress=zstd-stream`, one stream for a connection.

use axum::extract::ws::Message;
use zstd_safe::zstd_sys::ZSTD_EndDirective::ZSTD_e_flush;
use zstd_safe::{CCtx, InBuffer, OutBuffer};

/// Makes the frames of one connection.
pub(super) struct Packer(Option<CCtx<'static>>);

impl Packer {
    /// By the query of the connection's address.
    pub(super) fn of(query: &str) -> Self {
        Self(query.split('&').any(|pair| pair == "compress=zstd-stream").then(CCtx::create))
    }

    /// A frame as the connection wants it.
    pub(super) fn frame(&mut self, text: String) -> Message {
        let Some(stream) = &mut self.0 else { return Message::Text(text.into()) };
        let mut packed = Vec::with_capacity(zstd_safe::compress_bound(text.len()) + 64);
        let mut input = InBuffer::around(text.as_bytes());
        loop {
            let at = packed.len();
            if packed.capacity() == at {
                packed.reserve(1_024);
            }
            let mut output = OutBuffer::around_pos(&mut packed, at);
            match stream.compress_stream2(&mut output, &mut input, ZSTD_e_flush) {
                Ok(0) => return Message::Binary(packed.into()),
                Ok(_) => {}
                // It does not happen: there is memory, and the input is not changed.
                Err(_) => return Message::Text(text.into()),
            }
        }
    }
}
