//! A module of commands that are built as values and never run.

use std::sync::Arc;

use futures_util::FutureExt as _;

use crate::contract::{AcceptedModule, Command, Handler, HttpHosts, Owner};
use crate::reply::Reply;

/// Creates a module with these commands. Their handler is `unused`, which accepts anything and returns nothing.
pub fn accepted(owner: Owner, commands: Vec<Command>) -> AcceptedModule {
    let run = Arc::new(|_, _| async { Ok(Reply::default()) }.boxed());
    let code = [Handler::new("unused", run, Arc::new(|_| Ok(())))].into_iter().collect();
    AcceptedModule {
        owner,
        summary: "Example".to_owned(),
        services: Vec::new(),
        http_hosts: HttpHosts::default(),
        commands,
        events: Vec::new(),
        schedules: Vec::new(),
        withdrawn: Vec::new(),
        switched_off: Vec::new(),
        code,
        code_name: None,
        run: None,
    }
}
