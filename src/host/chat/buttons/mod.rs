//! Buttons and context menu of a reply: stop it while it is written, go on with it, run what was offered under it, and
//! look at what the model said; have its question asked again, and delete it.

mod offered;
mod reply_menu;
mod said;
mod stop_and_go_on;
#[cfg(test)]
mod tests;

pub use offered::Taken;
pub use reply_menu::ReplyRef;
