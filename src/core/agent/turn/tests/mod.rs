//! The rules of the turn, tested without a model and without tools.

mod calls;
mod fixture;
mod formats;
mod languages;
mod properties;
mod recorded;
mod replies;
