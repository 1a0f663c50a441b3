//! Lists of channels and roles, as people write them and as they are stored: mentions or ids, separated by spaces or
//! commas.

use std::collections::BTreeSet;

use crate::guild::unfit::Unfit;
use crate::inbound::{ChannelId, RoleId};

pub(super) const IDS_MAX: usize = 50;

pub(super) fn listed_channels(ids: &BTreeSet<ChannelId>) -> String {
    listed(ids.iter().map(|id| format!("<#{id}>")))
}

pub(super) fn listed_roles(ids: &BTreeSet<RoleId>) -> String {
    listed(ids.iter().map(|id| format!("<@&{id}>")))
}

fn listed(mentions: impl Iterator<Item = String>) -> String {
    mentions.collect::<Vec<_>>().join(" ")
}

pub(super) fn channels(text: &str, problem: Unfit) -> Result<BTreeSet<ChannelId>, Unfit> {
    ids(text, "<#", ChannelId, problem)
}

pub(super) fn roles(text: &str) -> Result<BTreeSet<RoleId>, Unfit> {
    ids(text, "<@&", RoleId, Unfit::Roles)
}

fn ids<I: Ord>(text: &str, mention: &str, kind: fn(u64) -> I, problem: Unfit) -> Result<BTreeSet<I>, Unfit> {
    // Mentions may follow each other without a space.
    let text = text.replace('>', "> ");
    let words = text.split([' ', ',', '\n']).filter(|word| !word.is_empty());
    let id = |word: &str| {
        let digits = match word.strip_prefix(mention) {
            Some(rest) => rest.strip_suffix('>')?,
            None => word,
        };
        let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
        is_number.then(|| digits.parse().ok()).flatten().filter(|&id: &u64| 0 < id)
    };
    let ids: Option<BTreeSet<_>> = words.map(|word| id(word).map(kind)).collect();
    match ids {
        None => Err(problem),
        Some(ids) if ids.is_empty() => Err(Unfit::Empty),
        Some(ids) if IDS_MAX < ids.len() => Err(Unfit::TooMany(IDS_MAX)),
        Some(ids) => Ok(ids),
    }
}
