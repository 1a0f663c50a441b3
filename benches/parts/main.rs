//! The parts of the bot, each alone: what they cost, and that this is linear in the length of what they read.
//!
//! One program, because linking the bot with its libraries takes longer than measuring it.

mod core;
mod guard;
mod model_stream;
mod status_render;

fn main() {
    divan::main();
}
