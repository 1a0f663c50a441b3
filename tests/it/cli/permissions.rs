//! `[permissions]`: what is read, what is refused, and what comes of it before a command runs.

use std::sync::Arc;
use std::time::Duration;

use crate::host::dispatch::{PATIENT, ask, dispatcher, interaction};
use crate::support::bot::Folder;
use crate::support::said::{ANY, assert_says, said};
use candor_core::access::Access;
use candor_core::contract::{Cooldowns, Policy};
use candor_core::diagnostic::SourceFile;
use candor_core::inbound::{Caller, ChannelId, GuildId, Permissions, Place, RoleId, UserId};
use candor_core::reply::{Answer, Audience, Provenance};
use candor_core::settings;
use candor_engine::ReceiptBook as _;

fn read(text: &str) -> Result<Access, Vec<String>> {
    let file = Arc::new(SourceFile { path: "config.toml".to_owned(), text: text.to_owned() });
    let told = |found: candor_core::diagnostic::Diagnostics| {
        found.iter().map(|problem| format!("{}; {}", problem.message, problem.help)).collect()
    };
    settings::read(&file).map(|settings| settings.access).map_err(told)
}

#[test]
fn every_rule_reaches_its_command() {
    let access = read(
        r#"
        [permissions."/tasks"]
        users = ["80351110224678912", 5]
        roles = ["40"]
        channels = []
        discord = ["manage_messages", "ban_members"]
        owners = true
        cooldown_s = { user = 5, channel = 1, guild = 86400, global = 2 }
        [permissions." /tasks   remove "]
        owners = false
        [permissions."Show ids"]
        roles = []
        "#,
    )
    .expect("it is valid");
    let tasks = Policy {
        users: Some([UserId(80_351_110_224_678_912), UserId(5)].into()),
        roles: Some([RoleId(40)].into()),
        channels: Some([].into()),
        discord: Permissions(0x2004),
        owners: true,
        cooldowns: Cooldowns {
            user: Some(Duration::from_secs(5)),
            channel: Some(Duration::from_secs(1)),
            guild: Some(Duration::from_hours(24)),
            global: Some(Duration::from_secs(2)),
        },
    };
    let show_ids = Policy { roles: Some([].into()), ..Policy::default() };
    let policies = [("/tasks", tasks), ("/tasks remove", Policy::default()), ("Show ids", show_ids)];
    let policies = policies.into_iter().map(|(name, policy)| (name.to_owned(), policy)).collect();
    assert_eq!(access, Access { policies, ..Access::default() });
}

#[test]
fn what_cannot_be_meant_is_said() {
    let cases = [
        (
            "users = \"5\"",
            "`permissions.\"/x\".users` takes a list of ids, but this is text; write `users = [ID, ID]`, with the ids of people",
        ),
        (
            "roles = [\"@mods\"]",
            "`permissions.\"/x\".roles` takes the ids of roles, but this is not an id; an id is digits only: turn on \
          Developer Mode in Discord, right-click the role in the server's settings, choose `Copy Role ID`",
        ),
        (
            "discord = []",
            "`discord` holds no permission, and so demands nothing; write permissions of Discord, such as \
          `discord = [\"manage_messages\"]`, or take it out",
        ),
        (
            "discord = [\"manage_message\"]",
            "`discord` takes Discord's permissions, and this is not one; did you mean `manage_messages`?",
        ),
        (
            "discord = [\"?\"]",
            "`discord` takes Discord's permissions, and this is not one; write the name that Discord documents, in lower \
          case, such as `manage_messages`",
        ),
        (
            "cooldown_s = { user = 0 }",
            "`permissions.\"/x\".cooldown_s.user` cannot be 0; write a whole number from 1 to 86400",
        ),
        (
            "cooldown_s = { server = 1 }",
            "unknown key `server` in `[permissions.\"/x\".cooldown_s]`; known keys: `user`, `channel`, `guild`, `global`",
        ),
        (
            "cooldown_s = 5",
            "`permissions.\"/x\".cooldown_s` takes a table, but this is a whole number; write `[permissions.\"/x\".cooldown_s]` on a \
          line of its own, and its settings below",
        ),
        ("role = [1]", "unknown key `role` in `[permissions.\"/x\"]`; did you mean `roles`?"),
    ];
    for (line, expected) in cases {
        assert_eq!(read(&format!("[permissions.\"/x\"]\n{line}\n")), Err(vec![expected.to_owned()]), "{line}");
    }
    let twice = read("[permissions.\"/x y\"]\n[permissions.\"/x  y\"]\n");
    let expected = "`[permissions]` names `/x y` twice; put everything that a command demands into one table";
    assert_eq!(twice, Err(vec![expected.to_owned()]));
    let bare = read("[permissions]\nroles = [1]\n");
    let expected = "`[permissions]` holds a table for each command, and this is not one; write `[permissions.\"/tasks remove\"]` on a line \
                    of its own, and its settings below";
    assert_eq!(bare, Err(vec![expected.to_owned()]));
}

#[test]
fn the_check_knows_which_commands_there_are_and_prints_who_may_use_what() {
    let checked = |config: &str| {
        let output = Folder::with(config).run(&["check"]);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    for (name, help) in [
        ("/task", "did you mean `/tasks`?"),
        ("/tasks remov", "did you mean `/tasks remove`?"),
        ("tasks remove", "write `[permissions.\"/tasks remove\"]`"),
        ("/weather", "name a command as people type it"),
    ] {
        let (code, text) = checked(&format!("[permissions.\"{name}\"]\nowners = true\n"));
        assert_eq!(code, Some(78), "{name}: {text}");
        assert!(text.contains(&format!("`[permissions]` names `{name}`, and there is no such command")), "{text}");
        assert!(text.contains(help), "{text}");
    }
    let (code, text) = checked(
        "[permissions.\"/tasks remove\"]\nroles = [1]\n[permissions.\"/status\"]\ndiscord = [\"manage_messages\"]\n\
         cooldown_s = { user = 5 }\n",
    );
    assert_eq!(code, Some(0), "{text}");
    for line in [
        "/status    manage_messages, cooldown 5 s a person; range: cooldown 3 s a person",
        "/tasks     everyone; remove: roles 1",
    ] {
        assert!(text.lines().any(|shown| shown.trim_start() == line), "{line} is not in\n{text}");
    }
}

#[test]
fn the_check_prints_who_may_chat_unless_it_is_as_by_default() {
    let folder = Folder::empty();
    let checked = |config: &str| {
        std::fs::write(folder.path().join("config.toml"), config).expect("it can be written");
        let output = folder.run(&["check"]);
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, text) = checked("[chat.access]\nper_minute = 10\n");
    assert!(code == Some(0) && !text.contains("direct messages"), "{text}");
    for (config, expected) in [
        (
            "direct = \"everybody\"",
            "everyone; direct messages: everybody; 10 messages a minute; 4 turns at once a server",
        ),
        (
            "roles = [5]\nguilds = [1, 2]\ndirect = [7]\nper_minute = 3\nturns_at_once = 1",
            "roles 1, servers 2; direct messages: operators and 1 listed; 3 messages a minute; 1 turns at once a server",
        ),
        (
            "users = []\ndirect = \"nobody\"",
            "nobody; direct messages: nobody; 10 messages a minute; 4 turns at once a server",
        ),
    ] {
        let (code, text) = checked(&format!("[chat.access]\n{config}\n"));
        let line = format!("chat       {expected}");
        assert_eq!(code, Some(0), "{text}");
        assert!(text.lines().any(|shown| shown.trim_start() == line), "{line} is not in\n{text}");
    }
}

#[test]
fn mistakes_in_who_may_chat_are_said() {
    let cases = [
        (
            "direct = \"all\"",
            "`chat.access.direct` takes a list of ids, `\"everybody\"` or `\"nobody\"`; write `direct = [ID, ID]`, with the \
             ids of people, or `\"everybody\"` or `\"nobody\"`",
        ),
        ("guilds = 5", "`chat.access.guilds` takes a list of ids, but this is a whole number; write `guilds = [5]`"),
        ("per_minute = 0", "`chat.access.per_minute` cannot be 0; write a whole number from 1 to 600"),
        ("turn_at_once = 4", "unknown key `turn_at_once` in `[chat.access]`; did you mean `turns_at_once`?"),
    ];
    for (line, expected) in cases {
        assert_eq!(read(&format!("[chat.access]\n{line}\n")), Err(vec![expected.to_owned()]), "{line}");
    }
}

fn policy(cooldown: Duration) -> Access {
    let cooldowns = Cooldowns { user: Some(cooldown), ..Cooldowns::default() };
    Access { policies: [("/fine".to_owned(), Policy { cooldowns, ..Policy::default() })].into(), ..Access::default() }
}

fn ran(answer: Option<&Answer>) -> bool {
    matches!(answer.map(|answer| &answer.provenance), Some(Provenance::Command(_)))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cooldown_holds_over_a_restart_and_a_refusal_leaves_nothing_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, bot) = dispatcher(&folder, policy(Duration::from_hours(1)), PATIENT).await;
    assert!(ran(ask(&bot, &interaction(1, "fine", 7)).await.as_ref()));
    assert_eq!(ask(&bot, &interaction(1, "fine", 7)).await, None, "a second delivery is no second run");
    let caller = Caller::new(UserId(7), "");
    let place = Place::Guild { guild: GuildId(3), channel: ChannelId(4) };
    let last = store.last(&caller, place, "/receipt").await.expect("it can be read");
    store.close().await;

    let (store, bot) = dispatcher(&folder, policy(Duration::from_hours(1)), PATIENT).await;
    let refused = ask(&bot, &interaction(2, "fine", 7)).await.expect("an answer");
    assert_eq!((&refused.provenance, refused.audience), (&Provenance::Host, Audience::Asker));
    let text = &refused.reply.text;
    assert_says(text, said!("cooldown-user", command = "/fine", wait = "60 min", at = ANY));
    assert_eq!(store.last(&caller, place, "/receipt").await.expect("it can be read"), last, "no receipt");
    assert!(ran(ask(&bot, &interaction(3, "fine", 8)).await.as_ref()), "it counts for each person");
    assert!(ran(ask(&bot, &interaction(4, "no", 7)).await.as_ref()), "it counts for that command");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_store_to_ask_what_has_a_cooldown_does_not_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let (store, bot) = dispatcher(&folder, policy(Duration::from_secs(1)), PATIENT).await;
    store.close().await;
    let refused = ask(&bot, &interaction(1, "fine", 7)).await.expect("an answer");
    assert_eq!((&refused.provenance, refused.audience), (&Provenance::Host, Audience::Asker));
    assert_eq!(refused.reply.text, said!("cooldown-unknown", command = "/fine"));
}
