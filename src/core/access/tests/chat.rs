//! Every way to the chat model, for every kind of caller, under every rule of `[chat.access]`: who may talk with it.

use super::matrix::{ALL_BUT_BLOCKED, IN_GUILDS, access, registry, written};
use super::who::{EVERYBODY, HERE, LISTED, ROLE, Who};
use crate::access::*;
use crate::contract::Policy;
use crate::inbound::{Addressed, CommandPath, GuildId, UserId};
use crate::registry::Catalog;
use crate::router::{Route, classify};

/// A rule for chat by its name, as settings, and whom it lets talk with the model.
type ChatRule = (&'static str, fn() -> ChatAccess, &'static [Who]);

/// Each rule for chat, and whom it lets talk with the model: by a mention, or in direct messages.
const CHAT_RULES: &[ChatRule] = &[
    ("nothing", ChatAccess::default, IN_GUILDS),
    (
        "a listed user",
        || ChatAccess { users: Some([LISTED].into()), ..ChatAccess::default() },
        &[Who::Console, Who::Listed],
    ),
    ("no user", || ChatAccess { users: Some([].into()), ..ChatAccess::default() }, &[Who::Console]),
    ("a role", || ChatAccess { roles: Some([ROLE].into()), ..ChatAccess::default() }, &[Who::Console, Who::Moderator]),
    ("no role", || ChatAccess { roles: Some([].into()), ..ChatAccess::default() }, &[Who::Console]),
    (
        "a channel",
        || ChatAccess { channels: Some([HERE].into()), ..ChatAccess::default() },
        &[Who::Console, Who::Operator, Who::Moderator, Who::Member, Who::Listed, Who::UserInstalledHere, Who::Left],
    ),
    ("no channel", || ChatAccess { channels: Some([].into()), ..ChatAccess::default() }, &[Who::Console]),
    (
        "a guild",
        || ChatAccess { guilds: Some([GuildId(44)].into()), ..ChatAccess::default() },
        &[Who::Console, Who::UserInstalled, Who::UserInstalledWithout],
    ),
    ("no guild", || ChatAccess { guilds: Some([].into()), ..ChatAccess::default() }, &[Who::Console]),
    (
        "direct messages for everybody",
        || ChatAccess { direct: DirectMessages::Everybody, ..ChatAccess::default() },
        ALL_BUT_BLOCKED,
    ),
    (
        "direct messages for one of them",
        || ChatAccess { direct: DirectMessages::Listed([UserId(10)].into()), ..ChatAccess::default() },
        ALL_BUT_BLOCKED,
    ),
    (
        "direct messages for nobody",
        || ChatAccess { direct: DirectMessages::Nobody, ..ChatAccess::default() },
        IN_GUILDS,
    ),
];

#[test]
fn every_cell_of_chat_is_as_written() {
    let catalog = Catalog::new(registry(|command| command), true);
    let mut n_cells = 0;
    for (name, chat, expected) in CHAT_RULES {
        let access = Access { chat: chat(), ..access(&CommandPath::new("plain", None), Policy::default()) };
        for addressed in [Addressed::Mention, Addressed::Reply, Addressed::ChatChannel, Addressed::Direct] {
            for who in EVERYBODY {
                let (caller, place) = who.calls(false);
                let is_words = matches!(classify(&written(who, "hello", addressed), &catalog), Route::Chat(_));
                let is_operator = access.is_operator(&caller, place);
                let admits = access.chat.admits(&caller, place, is_operator).is_ok();
                let may = is_words && !access.is_blocked(&caller) && admits;
                assert_eq!(may, expected.contains(&who), "{name}, {addressed:?}, {who:?}");
                n_cells += 1;
            }
        }
    }
    println!("matrix of chat: {n_cells} cells");
    assert_eq!(n_cells, CHAT_RULES.len() * 4 * EVERYBODY.len());
}
