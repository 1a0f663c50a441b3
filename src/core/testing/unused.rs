//! Code that answers nothing, for commands that are made as values.

use std::sync::Arc;

use futures_util::FutureExt as _;

use crate::contract::{Handler, ModuleCode};
use crate::reply::Reply;

/// The code of a module with one handler, `unused`: it takes anything and says nothing.
pub fn unused() -> ModuleCode {
    let run = Arc::new(|_, _| async { Ok(Reply::default()) }.boxed());
    [Handler::native("unused", run, Arc::new(|_| Ok(())))].into_iter().collect()
}
