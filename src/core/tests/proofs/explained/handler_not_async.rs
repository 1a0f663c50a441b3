//! Whoever forgets `async` is told what a handler looks like.

use candor_core::contract::{Call, CommandError, NativeModule, NoArguments};
use candor_core::reply::Reply;

fn hello(_: NoArguments, _: Call) -> Result<Reply, CommandError> {
    Ok(Reply::text("Hello"))
}

fn main() {
    let _module = NativeModule::new("hello", "").handler("hello", hello);
}
