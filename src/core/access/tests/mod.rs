//! Who may run what: each rule by itself, and every surface for every kind of caller.

mod matrix;
mod rules;
