//! What a module reads over the web: pages of hosts that are named for it, and files that came with a call, which Discord
//! keeps.
//!
//! A module reads nothing that nobody named. Its manifest names the hosts (`http_hosts`), by name and never by address.
//! The operator may leave fewer of them (`[modules.http_hosts]`), and has to name the hosts of a module that asks for
//! any, as a reader of feeds does: until then it reaches none. Only `https` is spoken, at its own port. Each redirect
//! is held to the same, and whoever connects holds the address that a name leads to, too: it must be one of the public
//! internet.

mod attachment;
mod error;
mod hosts;
mod http;
mod public;

pub use attachment::{ATTACHMENT_SIZE_MAX, AttachmentError, Attachments, OwnAttachments};
pub use error::HttpError;
pub use hosts::{ANY_HOST, HttpHosts, host_name};
pub use http::{Http, HttpGet, HttpResponse, OwnHttp, RESPONSE_SIZE_MAX, Validators};
pub use public::is_public;
