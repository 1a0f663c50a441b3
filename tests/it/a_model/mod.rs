//! The chat model's client against a scripted server and a real one, and its APIs through the whole bot.

mod apis;
mod images;
mod pressed;
mod probe;
mod quirks;
mod real;
mod room;
mod streaming;
mod trouble;
mod trouble_roles;
mod wire;
