//! Reads from hosts on the public internet, for modules.
//!
//! Which host a module may read from is the core's to say, for each address and each redirect. What a name leads to is
//! looked at here, on the addresses that are then connected to: a name that leads to another address the second time it
//! is asked for gains nothing. There are no cookies and no tokens, and no proxy either: behind one, nobody but the
//! proxy would know where a connection ends.

mod client;
mod resolver;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_tls;

pub use client::Web;
