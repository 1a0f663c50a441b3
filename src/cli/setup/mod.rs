//! What is needed once: the files of a first deployment and of a module, the link that invites the bot, and what this
//! build is.

mod init;
mod invite;
mod new;
mod version;

pub(super) use init::{Init, init};
pub(super) use invite::{Invite, invite};
pub(super) use new::{New, new};
pub(super) use version::long_version;
