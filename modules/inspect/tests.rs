//! What each command answers.

use std::time::{Duration, UNIX_EPOCH};

use serde_json::json;

use super::permission::{OfPermission, show, suggest};
use super::*;
use candor_core::contract::{HostServices, Suggestion};
use candor_core::inbound::{Caller, ChannelId, GuildId, UserId};
use candor_core::language::{Language, say};
use candor_core::testing::{self, said};

/// The example from Discord's documentation: created on 30 April 2016.
const ID: u64 = 175_928_847_299_117_063;
const MADE: &str = "2016-04-30 11:18:25 UTC";

fn call(place: Place) -> Call {
    let now = UNIX_EPOCH + Duration::from_secs(1_462_015_106 + 600);
    testing::call("inspect", &HostServices::default(), &[], Caller::new(UserId(7), "Ann"), place, now)
}

fn here() -> Call {
    call(Place::Guild { guild: GuildId(1), channel: ChannelId(2) })
}

fn ann() -> User {
    User { id: ID, name: Some("**Ann**\n".to_owned()), bot: Some(false) }
}

#[tokio::test]
async fn people_and_roles_are_shown_with_what_is_known_of_them() {
    let known = format!("User\nName: \\*\\*Ann\\*\\*\nIs: a person\nId: `{ID}`\nCreated: {MADE}\nServer: `1`");
    assert_eq!(said(person(OfPerson { user: ann() }, here()).await), known);
    assert_eq!(said(mention(OfMention { who: Mentionable::User(ann()) }, here()).await), known);
    let typed = OfPerson { user: User { id: ID, name: None, bot: None } };
    let direct = call(Place::Direct { channel: ChannelId(2) });
    assert_eq!(said(person(typed, direct).await), format!("User\nId: `{ID}`\nCreated: {MADE}"));

    let crew = || Role { id: ID, name: Some("crew".to_owned()) };
    let known = format!("Role\nName: crew\nId: `{ID}`\nCreated: {MADE}\nServer: `1`");
    assert_eq!(said(role(OfRole { role: crew() }, here()).await), known);
    assert_eq!(said(mention(OfMention { who: Mentionable::Role(crew()) }, here()).await), known);
}

#[tokio::test]
async fn a_channel_says_its_type_where_that_is_known() {
    let of = |kind| OfChannel { channel: Channel { id: ID, name: Some("general".to_owned()), kind } };
    let said = |text: &str| format!("Channel\nName: general\n{text}Id: `{ID}`\nCreated: {MADE}\nServer: `1`");
    for (kind, expected) in [
        (Some(0), "Type: text\n"),
        (Some(11), "Type: public thread\n"),
        (Some(99), "Type: number 99 of Discord's types\n"),
        (None, ""),
    ] {
        assert_eq!(candor_core::testing::said(channel(of(kind), here()).await), said(expected));
    }
}

#[tokio::test]
async fn a_file_is_described_and_never_read() {
    let of = |content_type: Option<&str>| OfFile {
        file: Attachment {
            id: ID,
            filename: "a`b.png".to_owned(),
            size: 70,
            content_type: content_type.map(str::to_owned),
            url: "https://cdn.discordapp.com/a.png".to_owned(),
        },
    };
    for (content_type, expected) in [(Some("image/png"), "image/png"), (None, "Discord does not say")] {
        let expected = format!(
            "File\nAs Discord describes it. The file was not read.\nName: a\\`b.png\nSize: 70 bytes\nType: {expected}\n\
             Id: `{ID}`"
        );
        assert_eq!(said(file(of(content_type), here()).await), expected);
    }
}

#[tokio::test]
async fn an_id_says_when_it_was_made() {
    let of = |id: &str| OfId { id: id.to_owned() };
    let age = say!(Language::ENGLISH, "age-minutes", n = 10);
    let known = format!("Id\nId: `{ID}`\nCreated: {MADE}\nAge: {age}");
    assert_eq!(said(id(of(&format!("<@{ID}>")), here()).await), known);
    for nothing in ["x", "12", "99999999999999999999"] {
        let refused = said(id(of(nothing), here()).await);
        assert!(refused.starts_with("! That is not a Discord id"), "{nothing}: {refused}");
    }
}

#[tokio::test]
async fn a_message_has_a_link_that_leads_to_it() {
    let of = || OfMessage { message: MessageRef { id: ID, channel: 2, author: ann(), content: "secret".to_owned() } };
    let shown = said(message(of(), here()).await);
    assert_eq!(
        shown,
        format!(
            "Message\nMessage: `{ID}`\nChannel: `2`\nAuthor: `{ID}`\nSent: {MADE}\nLength: 6 characters\n\
             Link: https://discord.com/channels/1/2/{ID}\nAuthor's name: \\*\\*Ann\\*\\*\nServer: `1`"
        )
    );
    let direct = said(message(of(), call(Place::Direct { channel: ChannelId(2) })).await);
    assert!(direct.contains(&format!("https://discord.com/channels/@me/2/{ID}")), "{direct}");
}

#[tokio::test]
async fn a_permission_is_found_by_its_name_or_its_bit() {
    let shown = said(show(OfPermission { bit: 13 }, here()).await);
    assert_eq!(shown, "Permission\nName: `manage_messages`\nBit: 13\nValue: `8192`");
    let unknown = said(show(OfPermission { bit: 63 }, here()).await);
    assert_eq!(unknown, "! Discord documents no permission with the bit 63.");

    let manage = Suggestion { label: "manage_messages · bit 13".to_owned(), value: json!(13) };
    for typed in ["manage mess", "Manage_Messages", "13"] {
        assert_eq!(suggest(typed.to_owned(), here()).await, std::slice::from_ref(&manage), "{typed}");
    }
    assert_eq!(suggest(String::new(), here()).await.len(), 25);
    assert_eq!(suggest("nosuch".to_owned(), here()).await, []);
}
