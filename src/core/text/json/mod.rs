//! JSON in untrusted text: strict, and loose as language models write it.

mod leading;
mod loose;
mod strict;
#[cfg(test)]
mod tests;

pub use leading::without_leading_json;
pub(crate) use loose::{Form, loose_arguments, loose_marked_value, loose_value};
pub(crate) use strict::first_value;
pub use strict::whole_object;
