//! The chat model's client against a scripted server and a real one.

mod quirks;
mod real;
mod trouble;
mod trouble_roles;
mod wire;
