//! One-time commands: the files of a first deployment and of a module, the invitation link, a sign-in, shell
//! completions, manual pages and the version.

mod init;
mod invite;
mod native;
mod new;
mod shell;
#[cfg(feature = "outside")]
mod sign_in;

pub(super) use init::{Init, init};
pub(super) use invite::{Invite, invite};
pub(super) use new::{New, new};
pub(super) use shell::{Completions, Man, completions, long_version, man};
#[cfg(feature = "outside")]
pub(super) use sign_in::{Mcp, mcp};
