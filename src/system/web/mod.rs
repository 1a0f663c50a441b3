//! Reads from hosts on the public internet, for modules.
//!
//! The core decides which host a module may read from, for each address and each redirect. This edge checks the
//! resolved addresses, on the connection that uses them: so a name that resolves differently the second time gains
//! nothing. There are no cookies, no tokens and no proxy: with a proxy, only the proxy would know where a connection
//! ends.

mod client;
mod resolver;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_tls;

pub use client::Web;
