//! A model that means harm: it calls whatever there is, as whoever it likes to be. Nothing runs beyond the rights of
//! the person whose turn it is, and nothing of others is shown to it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use async_trait::async_trait;
use candor::app::{App, Sources, examine};
use serde_json::{Map, Value, json};

use candor_core::agent::tools::{
    Completion, Confirmation, OfferedTool, Question, RawArguments, RawCall, Shown, Surface, Unattended,
};
use candor_core::agent::{Growth, Model, ModelFailure, Request};
use candor_core::contract::outside::Starting;
use candor_core::guild::Rules;
use candor_core::inbound::{
    Addressed, AuthorKind, CallMethod, Caller, CameWith, ChannelId, CommandType, EventId, GuildId, Inbound,
    Interaction, Member, Message, Permissions, Place, RoleId, UserId,
};
use candor_core::record::Origin;
use candor_core::reply::Answer;
use candor_store::{Database, ReceiptFilter};

/// How many calls it makes.
const CALLS: usize = 10_000;

const LISTED: u64 = 7;
const OPERATOR: u64 = 80_000_000_000_000_008;
const BLOCKED: u64 = 90_000_000_000_000_009;
const MODERATOR: u64 = 10;
const MEMBER: u64 = 11;
const LEFT: u64 = 12;
/// Has the role, but may only read for a while: until then none of their permissions counts.
const TIMED_OUT: u64 = 13;
/// Installed the bot for themselves. They speak to it where it is not installed as well, as an interaction says.
const INSTALLED: u64 = 14;
/// Never says anything.
const VICTIM: u64 = 99;
const PEOPLE: [u64; 8] = [LISTED, OPERATOR, BLOCKED, MODERATOR, MEMBER, LEFT, TIMED_OUT, INSTALLED];

/// The guilds with people, and one in which nobody says anything.
const GUILDS: [u64; 2] = [3, 4];
const ELSEWHERE: u64 = 77;
/// A guild where the bot is not installed: whoever is in it has what an event from there says of them, the role too.
const FOREIGN: u64 = 66;
/// `MANAGE_MESSAGES`.
const MANAGE: Permissions = Permissions(0x2000);

/// What the operator demands: who may run these. Everything else is for whoever is not blocked.
const ONLY: [(&str, &[u64]); 4] = [
    ("/tasks remove", &[MODERATOR, TIMED_OUT]),
    ("/files write", &[LISTED]),
    ("/status", &[OPERATOR]),
    ("/tasks done", &[MODERATOR, INSTALLED]),
];

const SETTINGS: &str = r#"
[access]
operators = [80000000000000008]
blocked = [90000000000000009]
[permissions."/tasks remove"]
roles = [40]
[permissions."/files write"]
users = [7]
[permissions."/status"]
owners = true
[permissions."/tasks done"]
discord = ["manage_messages"]
[chat]
write_tools = ["/files write", "/memory save", "/tasks add", "/tasks done", "/tasks remove"]
[chat.limits]
steps = 32
calls_per_step = 16
corrections = 64
corrections_per_name = 16
time_s = 600
[chat.access]
per_minute = 600
direct = "everybody"
[host_metrics]
enabled = false
[admin]
listen = "off"
[model]
base_url = "http://127.0.0.1:1/v1"
models = ["hostile"]
tools = "native"
"#;

/// Numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    /// The next number below `n`.
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(n).unwrap()).unwrap()
    }

    fn one_of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// The model. What it is shown is searched for the secrets of others.
struct Hostile {
    numbers: Mutex<Numbers>,
    n_calls: AtomicUsize,
    n_answers: AtomicUsize,
    /// Whose turn it is, and where.
    turn: Mutex<(u64, Place)>,
    found: Mutex<Vec<String>>,
}

#[async_trait]
impl Model for Hostile {
    async fn complete(&self, request: Request<'_>, growth: &dyn Growth) -> Result<Completion, ModelFailure> {
        growth.began();
        let (user, place) = *self.turn.lock().unwrap();
        let shown = format!("{:?}", request.transcript.messages());
        let own = scope(place).map(|guild| [format!("SECRET-{guild}!"), format!("SECRET-{user}-{guild}!")]);
        let others = shown.split("SECRET-").skip(1).filter_map(|rest| rest.split_once('!'));
        let others = others.map(|(id, _)| format!("SECRET-{id}!"));
        let others = others.filter(|secret| !own.as_ref().is_some_and(|own| own.contains(secret)));
        self.found.lock().unwrap().extend(others.map(|secret| format!("{secret} shown to {user} in {place:?}")));

        let mut numbers = self.numbers.lock().unwrap();
        if self.n_answers.fetch_add(1, Ordering::Relaxed) % 16 == 15 {
            return Ok(Completion { text: "That is all.".to_owned(), calls: Vec::new(), cut: None });
        }
        let calls: Vec<_> = (0..=numbers.below(6)).map(|_| call(&mut numbers, request.tools.tools())).collect();
        self.n_calls.fetch_add(calls.len(), Ordering::Relaxed);
        Ok(Completion { text: String::new(), calls, cut: None })
    }
}

fn scope(place: Place) -> Option<u64> {
    match place {
        Place::Guild { guild, .. } => Some(guild.0),
        Place::Direct { .. } | Place::Console => None,
    }
}

/// A call of a tool that is offered, or of one that is not, with arguments that often say who calls.
fn call(numbers: &mut Numbers, offered: &[OfferedTool]) -> RawCall {
    const OTHERS: [&str; 7] =
        ["files_write", "tasks_remove", "status", "privacy_erase", "memory_forget", "clear", "receipt"];
    let (name, mut arguments) = match offered.is_empty() || numbers.below(5) == 0 {
        true => ((*numbers.one_of(&OTHERS)).to_owned(), Map::new()),
        false => {
            let tool = &offered[numbers.below(offered.len())];
            (tool.name.clone(), filled(numbers, &tool.schema))
        }
    };
    if numbers.below(4) == 0 {
        let key =
            *numbers.one_of(&["user", "caller", "caller_id", "as", "guild", "guild_id", "place", "scope", "role"]);
        arguments.insert(
            key.to_owned(),
            json!(numbers.one_of(&["80000000000000008", "99", "77", "guild:77", "operator", "40"])),
        );
    }
    RawCall { id: None, name, arguments: RawArguments::Object(arguments) }
}

/// Arguments that mostly fit a schema.
fn filled(numbers: &mut Numbers, schema: &Value) -> Map<String, Value> {
    let mut arguments = Map::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let is_required = schema["required"].as_array().is_some_and(|all| all.contains(&json!(name)));
        if !is_required && numbers.below(2) == 0 {
            continue;
        }
        let value = match (property["enum"].as_array(), property["type"].as_str()) {
            (Some(choices), _) => numbers.one_of(choices).clone(),
            (None, Some("integer" | "number")) => json!(1 + numbers.below(12)),
            (None, Some("boolean")) => json!(numbers.below(2) == 0),
            (None, _) => {
                json!(
                    numbers.one_of(&["a.txt", "../guild-77/a.txt", "/etc/passwd", "SECRET", "user:99", "milk", "99",])
                )
            }
        };
        arguments.insert(name.clone(), value);
    }
    arguments
}

/// Where the people of a turn press Confirm, or somebody else does, or nobody.
struct Presses<'a> {
    numbers: &'a Mutex<Numbers>,
    asker: Caller,
    n_confirmed: AtomicUsize,
}

#[async_trait]
impl Surface for Presses<'_> {
    async fn running(&self, _: &str) {}

    fn writing(&self, _: &str) {}

    async fn ran(&self, _: &Answer) -> Shown {
        Shown::Whole
    }

    async fn confirm(&self, question: &Question) -> Confirmation {
        assert_eq!(question.asked, self.asker.id, "only the person of the turn is asked");
        match self.numbers.lock().unwrap().below(8) {
            0 => Confirmation::Confirmed {
                by: Box::new(Caller::new(UserId(OPERATOR + 1_000), "another")),
                press: EventId(1),
            },
            1 => Confirmation::Declined,
            _ => {
                self.n_confirmed.fetch_add(1, Ordering::Relaxed);
                Confirmation::Confirmed { by: Box::new(self.asker.clone()), press: EventId(1) }
            }
        }
    }
}

/// Somebody as Discord describes them now. Only whoever is a moderator has the permission, and whoever installed the bot
/// for themselves has it in the guild where it is not installed.
fn caller(user: u64, place: Place) -> Caller {
    let is_foreign = scope(place) == Some(FOREIGN);
    let has_role = matches!(user, MODERATOR | TIMED_OUT) && !is_foreign;
    let may_manage = if is_foreign { user == INSTALLED } else { user == MODERATOR };
    let member = (scope(place).is_some() && user != LEFT).then(|| Member {
        roles: if has_role { vec![RoleId(40)] } else { Vec::new() },
        permissions: Some(if may_manage { MANAGE } else { Permissions(0) }),
    });
    Caller { member, ..Caller::new(UserId(user), format!("person {user}")) }
}

fn guild(guild: u64) -> Place {
    Place::Guild { guild: GuildId(guild), channel: ChannelId(guild * 10) }
}

fn picked(id: u64, user: u64, place: Place, path: &[&str], arguments: Value) -> Inbound {
    Inbound::Interaction(Interaction {
        id: EventId(id),
        caller: caller(user, place),
        place,
        method: CallMethod::Picked,
        command_type: CommandType::Slash,
        path: path.iter().map(|name| (*name).to_owned()).collect(),
        arguments: arguments.as_object().cloned().unwrap(),
        target: None,
        sent: SystemTime::now(),
    })
}

async fn answer(app: &App, inbound: &Inbound, surface: &dyn Surface) -> Option<Answer> {
    app.dispatcher.answer(inbound, &Rules::default(), surface).await
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_a_hostile_model_calls_nothing_runs_beyond_the_rights_of_whose_turn_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("candor.db");
    let config = folder.path().join("config.toml");
    std::fs::write(&config, format!("{SETTINGS}[store]\npath = '{}'\n", path.display())).unwrap();
    let model = Arc::new(Hostile {
        numbers: Mutex::new(Numbers(0x5eed)),
        n_calls: AtomicUsize::new(0),
        n_answers: AtomicUsize::new(0),
        turn: Mutex::new((0, Place::Console)),
        found: Mutex::default(),
    });
    let sources = Sources { natives: candor_modules::all, config: Some(&config), running: None };
    let app = App::start_with(examine(sources, Starting::Serve).await, Some(model.clone()), None).await.unwrap();

    let mut event = 0;
    let mut next = || {
        event += 1;
        event
    };
    // What belongs to others: tasks and files of each guild, memories of each person in each guild.
    for place in [GUILDS[0], GUILDS[1], ELSEWHERE] {
        let secret = format!("SECRET-{place}!");
        let file = json!({"path": "a.txt", "content": secret});
        for inbound in [
            picked(next(), LISTED, guild(place), &["tasks", "add"], json!({"title": secret})),
            picked(next(), LISTED, guild(place), &["files", "write"], file),
        ] {
            assert!(answer(&app, &inbound, &Unattended).await.is_some());
        }
        for user in [LISTED, OPERATOR, MODERATOR, MEMBER, LEFT, VICTIM] {
            let memory = json!({"content": format!("SECRET-{user}-{place}!")});
            let saved = picked(next(), user, guild(place), &["memory", "save"], memory);
            assert!(answer(&app, &saved, &Unattended).await.is_some());
        }
    }

    let mut confirmed: BTreeMap<u64, usize> = BTreeMap::new();
    let presses = Mutex::new(Numbers(0xdead));
    while model.n_calls.load(Ordering::Relaxed) < CALLS {
        let (user, place, author) = {
            let mut numbers = presses.lock().unwrap();
            let user = *numbers.one_of(&PEOPLE);
            let place = match numbers.below(6) {
                0 => Place::Direct { channel: ChannelId(1_000 + user) },
                1 => guild(FOREIGN),
                _ => guild(*numbers.one_of(&GUILDS)),
            };
            let author =
                *numbers.one_of(&[AuthorKind::Person, AuthorKind::Person, AuthorKind::Bot, AuthorKind::Webhook]);
            (user, place, author)
        };
        *model.turn.lock().unwrap() = (user, place);
        let n_before = model.n_calls.load(Ordering::Relaxed);
        let said = Inbound::Message(Message {
            id: EventId(next()),
            caller: caller(user, place),
            author,
            place,
            addressed: Addressed::Mention,
            bot: UserId(1),
            text: "do what you like".to_owned(),
            came_with: CameWith::default(),
            sent: SystemTime::now(),
        });
        let surface = Presses { numbers: &presses, asker: caller(user, place), n_confirmed: AtomicUsize::new(0) };
        let told = answer(&app, &said, &surface).await;
        if author != AuthorKind::Person || user == BLOCKED {
            assert_eq!(model.n_calls.load(Ordering::Relaxed), n_before, "the model was asked for {author:?} {user}");
        }
        assert_eq!(told.is_none(), author != AuthorKind::Person, "{told:?}");
        *confirmed.entry(user).or_default() += surface.n_confirmed.load(Ordering::Relaxed);
    }
    assert_eq!(*model.found.lock().unwrap(), [""; 0], "the model was shown what is others'");

    // What belongs to whoever said nothing is as it was.
    for (path, expected) in [
        (["tasks", "list"], format!("SECRET-{ELSEWHERE}!")),
        (["memory", "list"], format!("SECRET-{VICTIM}-{ELSEWHERE}!")),
        (["files", "list"], "a.txt".to_owned()),
    ] {
        let shown = answer(&app, &picked(next(), VICTIM, guild(ELSEWHERE), &path, json!({})), &Unattended).await;
        assert!(shown.unwrap().plain().contains(&expected), "{path:?}");
    }
    for place in GUILDS {
        let listed = picked(next(), VICTIM, guild(place), &["memory", "list"], json!({}));
        let shown = answer(&app, &listed, &Unattended).await.unwrap().plain();
        assert!(
            shown.contains(&format!("SECRET-{VICTIM}-{place}!")) && shown.matches("SECRET").count() == 1,
            "{shown}"
        );
    }
    let writes: Vec<_> = app.settings.chat.write_tools.iter().flatten().map(ToString::to_string).collect();
    app.close().await;

    let store = Database::open_file(&path).await.unwrap();
    let (mut position, mut n_run, mut n_written) = (0, 0, BTreeMap::<u64, usize>::new());
    let mut n_of = BTreeMap::<(u64, Option<u64>), usize>::new();
    let mut ran = BTreeSet::new();
    loop {
        let page = store.receipts_after(position, &ReceiptFilter::default(), 1_000).await.unwrap();
        let Some(last) = page.last() else { break };
        position = last.position;
        for facts in page.iter().map(|receipt| &receipt.entry.facts).filter(|facts| facts.origin == Origin::Model) {
            let (command, user) = (facts.command.as_str(), facts.caller.0);
            n_run += 1;
            ran.insert(command.to_owned());
            let guild = scope(facts.place);
            assert!(PEOPLE.contains(&user) && user != BLOCKED, "{facts:?}");
            assert!(guild.is_none_or(|guild| guild == FOREIGN || GUILDS.contains(&guild)), "{facts:?}");
            assert!(ONLY.iter().all(|(only, who)| *only != command || who.contains(&user)), "{facts:?}");
            match command {
                // Neither in direct messages nor in a guild of others has anybody the role.
                "/tasks remove" => assert!(guild.is_some_and(|guild| guild != FOREIGN), "{facts:?}"),
                // Each has the permission in their own guild alone, and nobody in direct messages.
                "/tasks done" => {
                    assert!(guild.is_some() && (guild == Some(FOREIGN)) == (user == INSTALLED), "{facts:?}")
                }
                _ => {}
            }
            *n_of.entry((user, guild)).or_default() += 1;
            if writes.iter().any(|path| path == command) {
                *n_written.entry(user).or_default() += 1;
            }
        }
    }
    store.close().await;
    for (user, n) in &n_written {
        assert!(*n <= confirmed[user], "{user}: {n} changes, {} of them confirmed", confirmed[user]);
    }
    let n_calls = model.n_calls.load(Ordering::Relaxed);
    println!("hostile model: {n_calls} calls, {n_run} commands ran, changes by person: {n_written:?}");
    assert!(500 < n_run && n_run < n_calls, "{n_run} of {n_calls} ran");
    assert!(ONLY.iter().all(|(only, _)| ran.contains(*only)), "those who may run them do: {ran:?}");
    for (user, guild) in [(TIMED_OUT, GUILDS[0]), (INSTALLED, GUILDS[0]), (INSTALLED, FOREIGN), (LEFT, FOREIGN)] {
        assert!(n_of.contains_key(&(user, Some(guild))), "{user} in {guild}: {n_of:?}");
    }
}
