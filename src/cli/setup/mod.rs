//! What an operator needs once: the files of a first deployment, the link that invites the bot, and what this build is.

mod init;
mod invite;
mod version;

pub(super) use init::{Init, init};
pub(super) use invite::{Invite, invite};
pub(super) use version::long_version;
