//! Module code for commands that are built as values and never run.

use std::sync::Arc;

use futures_util::FutureExt as _;

use crate::contract::{Handler, ModuleCode};
use crate::reply::Reply;

/// Module code with one handler, `unused`, which accepts anything and returns nothing.
pub fn unused() -> ModuleCode {
    let run = Arc::new(|_, _| async { Ok(Reply::default()) }.boxed());
    [Handler::native("unused", run, Arc::new(|_| Ok(())))].into_iter().collect()
}
