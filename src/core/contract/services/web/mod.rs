//! Web access of modules: pages of named hosts, and files that came with a call, which Discord stores.
//!
//! A module reads only from named hosts. Its manifest lists them by name, never by IP address (`http_hosts`). The
//! operator may narrow the list (`[modules.http_hosts]`). A module that asks for any host, such as a feed reader,
//! reaches none until the operator names some. Only `https` on its standard port is allowed. Redirects are checked the
//! same way. When connecting, the resolved IP address must also be on the public internet.

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
