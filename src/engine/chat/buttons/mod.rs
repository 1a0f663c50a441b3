//! Buttons and context menu of a reply: stop it, continue it, run offered commands, show the model's text, ask its
//! question again, and delete it.

mod offer;
mod reply_menu;
mod said;
mod stop_and_go_on;
#[cfg(test)]
mod tests;

pub use offer::Taken;
pub use reply_menu::ReplyRef;
