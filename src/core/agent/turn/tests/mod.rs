//! The rules of the turn, tested without a model and without tools.

mod calls;
mod formats;
mod replies;
