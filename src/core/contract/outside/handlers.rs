//! The handlers of outside modules: they answer a command from a template, a program or a tool.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use futures_util::FutureExt as _;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::contract::code::{Accept, Call, CommandError, HandlerFn};
use crate::contract::outside::files::with_files;
use crate::contract::outside::later::GivenLater;
use crate::contract::outside::records::GivenRecords;
use crate::contract::outside::reply::read_reply;
use crate::contract::outside::request::{Given, request};
use crate::contract::outside::start::{OutsideError, Program, ToolServer};
use crate::contract::outside::template::Template;
use crate::contract::services::OwnHttp;
use crate::inbound::CommandPath;
use crate::language::{Language, say};
use crate::reply::{Control, PreparedCall, Reply, sanitize_module_text};

/// How often a program may ask the host to fetch URLs in one call.
const FETCH_ROUNDS_MAX: usize = 3;

/// The largest fetched page passed to a program, in bytes.
const FETCHED_MAX: usize = 256 * 1_024;

#[derive(Clone, Debug, Default)]
pub(crate) struct Cards {
    /// The reply in any other language.
    pub(crate) own: Card,
    pub(crate) localized: Vec<(Language, Card)>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Card {
    pub(crate) title: Option<Template>,
    /// One of them is chosen at each call.
    pub(crate) texts: Vec<Template>,
    pub(crate) colour: Option<u32>,
    pub(crate) picture: Option<String>,
}

/// Creates a handler that answers with a filled template, in the caller's language.
pub(crate) fn of_text(cards: Cards) -> (Arc<HandlerFn>, Arc<Accept>) {
    let cards = Arc::new(cards);
    let run: Arc<HandlerFn> = Arc::new(move |arguments, call| {
        let cards = cards.clone();
        async move { Ok(cards.filled(&arguments, &call).await) }.boxed()
    });
    (run, accepts_all())
}

/// The option that confirms a command with a question, so that it runs.
pub(crate) const CONFIRM: &str = "confirm";

/// Wraps a handler in a question. It runs only with [`CONFIRM`], which the question's button adds.
pub(crate) fn asking_first(question: Cards, command: CommandPath, run: Arc<HandlerFn>) -> Arc<HandlerFn> {
    let question = Arc::new(question);
    Arc::new(move |mut arguments, call| {
        if arguments.remove(CONFIRM) == Some(Value::Bool(true)) {
            return run(arguments, call);
        }
        let question = question.clone();
        let path = command.clone();
        async move {
            let language = call.caller.language;
            let filled = question.filled(&arguments, &call).await;
            arguments.insert(CONFIRM.to_owned(), Value::Bool(true));
            let call = PreparedCall { path, arguments, in_place: true, once: true, for_everyone: false };
            let asked = Reply::ask(call, say!(language, "ask-button"), filled.text);
            let mut reply = Reply { title: filled.title, colour: filled.colour, picture: filled.picture, ..asked };
            reply.add_line(&say!(language, "ask-how", option = CONFIRM));
            Ok(reply)
        }
        .boxed()
    })
}

#[derive(Clone, Debug)]
pub(crate) struct ProgramCommand {
    /// Its full name in the manifest, with slash.
    pub(crate) name: Arc<str>,
    pub(crate) changes: bool,
    /// The slash commands of its module, also by their names in the manifest.
    pub(crate) of_module: Arc<[String]>,
}

pub(crate) fn of_program(program: Arc<dyn Program>, command: ProgramCommand) -> (Arc<HandlerFn>, Arc<Accept>) {
    let run: Arc<HandlerFn> = Arc::new(move |arguments, call| {
        let program = program.clone();
        let ProgramCommand { name, changes, of_module } = command.clone();
        async move {
            if changes {
                call.services.announce().await?;
            }
            let records = GivenRecords::of(&call).await?;
            let later = GivenLater::of(&call).await?;
            let mut given = Given { records, later, fetched: Vec::new() };
            let options = with_files(arguments, &call).await;
            for _ in 0..=FETCH_ROUNDS_MAX {
                let printed = program.run(request(&name, &options, &given, &call)).await;
                let answer = read_reply(&printed.map_err(|problem| told(problem, &call))?)??;
                if answer.fetch.is_empty() {
                    answer.records.make(given.records.as_ref(), changes, &call).await?;
                    answer.later.make(changes, &of_module, &call).await?;
                    for (channel, message) in answer.messages {
                        call.services.send()?.send(channel, message).await?;
                    }
                    return with_questions(answer.reply, &of_module, &call);
                }
                let http = call.services.http()?;
                for address in &answer.fetch {
                    given.fetched.push(read(&http, address, &call).await);
                }
            }
            Err(CommandError::from(OutsideError::Failed(format!(
                "it wants something to be read for it more than {FETCH_ROUNDS_MAX} times"
            ))))
        }
        .boxed()
    });
    (run, accepts_all())
}

/// Makes buttons for commands of other modules ask first. Fails if a button names a command that is not in force.
fn with_questions(mut reply: Reply, of_module: &[String], call: &Call) -> Result<Reply, CommandError> {
    for control in reply.controls.iter_mut().flatten() {
        let Control::Button { label, style, call: Some(press), .. } = control else { continue };
        if of_module.contains(&press.path.to_string()) {
            continue;
        }
        if !call.services.has_command(&press.path) {
            let why = format!("its button names `{}`, and there is no such command", press.path);
            return Err(CommandError::from(OutsideError::Failed(why)));
        }
        *control = Control::Ask { label: std::mem::take(label), style: *style, call: press.clone() };
    }
    Ok(reply)
}

/// Reads a URL for a program. A failure is returned as JSON, too.
async fn read(http: &OwnHttp<'_>, address: &str, call: &Call) -> Value {
    let failed = |why: String| json!({ "url": address, "error": why });
    match http.get(address).await {
        Err(problem) => failed(problem.told(call.caller.language)),
        Ok(answer) => match answer.text() {
            Some(text) if text.len() <= FETCHED_MAX => {
                json!({ "url": address, "status": answer.status, "type": answer.content_type, "text": text })
            }
            Some(_) => failed(format!("what is there has more than {FETCHED_MAX} bytes")),
            None => failed("what is there is no text in UTF-8".to_owned()),
        },
    }
}

/// Creates a handler that calls a tool of a server. `changes` is whether the tool may change something. `renamed` maps
/// option names to the tool's argument names.
pub(crate) fn of_tool(
    server: Arc<dyn ToolServer>,
    tool: String,
    renamed: BTreeMap<String, String>,
    changes: bool,
) -> (Arc<HandlerFn>, Arc<Accept>) {
    let tool: Arc<str> = tool.into();
    let run: Arc<HandlerFn> = Arc::new(move |arguments, call| {
        let server = server.clone();
        let tool = tool.clone();
        let own = |name: String| renamed.get(&name).cloned().unwrap_or(name);
        let arguments = arguments.into_iter().map(|(name, value)| (own(name), value)).collect();
        async move {
            if changes {
                call.services.announce().await?;
            }
            let answer = server.call(&tool, arguments, call.caller.language).await;
            let answer = answer.map_err(|problem| match problem {
                // If the tool changes nothing, it does not matter whether it ran.
                OutsideError::Unsure(why) if !changes => told(OutsideError::Failed(why), &call),
                problem => told(problem, &call),
            })?;
            let text = sanitize_module_text(&answer.text);
            match (answer.is_error, text.is_empty()) {
                (true, true) => {
                    Err(CommandError::from(OutsideError::Failed("the tool failed without a word".to_owned())))
                }
                (true, false) => Err(CommandError::tell(text)),
                (false, true) => Ok(Reply::text(say!(call.caller.language, "tool-without-words"))),
                (false, false) => Ok(Reply::text(text)),
            }
        }
        .boxed()
    });
    (run, accepts_all())
}

/// Creates the handler of a module that an offline check did not start. Such a command is never in force.
pub(crate) fn to_be_started() -> (Arc<HandlerFn>, Arc<Accept>) {
    let run: Arc<HandlerFn> = Arc::new(|_, _| {
        let offline = OutsideError::Failed("nothing was started: the check was offline".to_owned());
        std::future::ready(Err(CommandError::from(offline))).boxed()
    });
    (run, accepts_all())
}

/// Accepts all arguments: the host already checked them against the signature.
fn accepts_all() -> Arc<Accept> {
    Arc::new(|_| Ok(()))
}

fn told(problem: OutsideError, call: &Call) -> CommandError {
    match problem {
        OutsideError::Busy => CommandError::tell(say!(call.caller.language, "module-busy")),
        failed @ (OutsideError::Unsure(_) | OutsideError::Failed(_)) => CommandError::from(failed),
    }
}

impl Cards {
    /// Returns the reply to this call, in the caller's language.
    async fn filled(&self, arguments: &Map<String, Value>, call: &Call) -> Reply {
        let card = self.spoken(call.caller.language);
        let server = if card.names_server() { call.services.server_name().await } else { None };
        card.filled(arguments, call, server.as_deref())
    }

    fn spoken(&self, language: Language) -> &Card {
        let spoken = self.localized.iter().find(|(known, _)| *known == language);
        spoken.map_or(&self.own, |(_, card)| card)
    }
}

impl Card {
    /// Fills missing parts from another card.
    pub(crate) fn or(self, other: &Self) -> Self {
        Self {
            title: self.title.or_else(|| other.title.clone()),
            texts: if self.texts.is_empty() { other.texts.clone() } else { self.texts },
            colour: self.colour.or(other.colour),
            picture: self.picture.or_else(|| other.picture.clone()),
        }
    }

    fn names_server(&self) -> bool {
        self.title.iter().chain(&self.texts).any(Template::names_server)
    }

    fn filled(&self, arguments: &Map<String, Value>, call: &Call, server: Option<&str>) -> Reply {
        let text = self.texts.get(chosen(call, self.texts.len()));
        Reply {
            title: self.title.as_ref().map(|title| title.filled(arguments, call, server)),
            text: text.map(|text| text.filled(arguments, call, server)).unwrap_or_default(),
            colour: self.colour,
            picture: self.picture.clone(),
            ..Reply::default()
        }
    }
}

/// Chooses one of `n` texts for a call. The core has no random source, so it hashes the call's time, caller and
/// receipt. That is even enough for a joke of the day and no more.
fn chosen(call: &Call, n: usize) -> usize {
    let nanoseconds = call.now.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let receipt = call.receipt.map_or(0, |id| id.number());
    let digest = Sha256::new()
        .chain_update(nanoseconds.to_le_bytes())
        .chain_update(call.caller.id.0.to_le_bytes())
        .chain_update(receipt.to_le_bytes())
        .finalize();
    let number = digest.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    let n = u64::try_from(n.max(1)).unwrap_or(1);
    usize::try_from(number % n).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use async_trait::async_trait;

    use super::*;
    use crate::contract::services::{HostServices, HttpHosts, HttpResponse, ServiceName};
    use crate::inbound::{Caller, Place, UserId};
    use crate::testing::{self, Pages, said};

    /// A program that prints one thing after the other, and what it was asked with.
    struct Script(Mutex<Vec<&'static str>>, Mutex<Vec<Value>>);

    #[async_trait]
    impl Program for Script {
        async fn run(&self, input: Vec<u8>) -> Result<Vec<u8>, OutsideError> {
            let request: Value = serde_json::from_slice(&input).unwrap();
            self.1.lock().unwrap().push(request.get("fetched").cloned().unwrap_or_default());
            Ok(self.0.lock().unwrap().remove(0).as_bytes().to_vec())
        }
    }

    fn page(body: &[u8]) -> HttpResponse {
        HttpResponse {
            status: 200,
            content_type: Some("text/plain".to_owned()),
            body: body.to_vec(),
            ..HttpResponse::default()
        }
    }

    /// What a person reads, or the failure, and what the program was told each time.
    async fn ran(prints: Vec<&'static str>, services: &[ServiceName]) -> (Result<String, String>, Vec<Value>) {
        let pages = Pages::default()
            .with("https://a.example/1", Ok(page(b"one")))
            .with("https://a.example/2", Ok(page(b"\xff")))
            .with("https://a.example/3", Ok(page(&[b'a'; FETCHED_MAX + 1])));
        let host = HostServices { http: Some(Arc::new(pages)), ..HostServices::default() };
        let script = Arc::new(Script(Mutex::new(prints), Mutex::default()));
        let (run, _) =
            of_program(script.clone(), ProgramCommand { name: "/look".into(), changes: false, of_module: [].into() });
        let call = testing::call("look", &host, services, Caller::new(UserId(7), "ann"), Place::Console, UNIX_EPOCH);
        let hosts = HttpHosts::declared(["a.example"]);
        let call = Call { services: call.services.with_http_hosts(hosts), ..call };
        let answer = match run(Map::new(), call).await {
            Err(CommandError::Internal(problem)) => Err(problem.to_string()),
            answer => Ok(said(answer)),
        };
        let told = script.1.lock().unwrap().clone();
        (answer, told)
    }

    #[test]
    fn a_text_is_said_in_the_callers_language_and_what_that_lacks_in_the_first_one() {
        let said_as = |text: &str| Template::parse(text, &[], &[]).unwrap();
        let own = Card {
            title: Some(said_as("Hello")),
            texts: vec![said_as("Good to see you.")],
            colour: Some(7),
            picture: None,
        };
        let german = Card { texts: vec![said_as("Schön, dich zu sehen.")], ..Card::default() }.or(&own);
        let german_tag = Language::of_locale("de").unwrap();
        let (run, _) = of_text(Cards { own, localized: vec![(german_tag, german)] });
        for (language, text) in [(Language::ENGLISH, "Good to see you."), (german_tag, "Schön, dich zu sehen.")] {
            let caller = Caller { language, ..Caller::new(UserId(7), "ann") };
            let call = testing::call("greeter", &HostServices::default(), &[], caller, Place::Console, UNIX_EPOCH);
            let reply = run(Map::new(), call).now_or_never().unwrap().unwrap();
            assert_eq!((reply.title.as_deref(), reply.text.as_str(), reply.colour), (Some("Hello"), text, Some(7)));
        }
    }

    #[test]
    fn what_a_program_wants_is_read_for_it_and_it_is_asked_again() {
        let http = [ServiceName::Http];
        let all =
            r#"{"fetch": ["https://a.example/1", "https://a.example/2", "https://a.example/3", "https://b.example/"]}"#;
        let (answer, told) = ran(vec![all, "done"], &http).now_or_never().unwrap();
        assert_eq!(answer, Ok("done".to_owned()));
        assert_eq!(told[0], Value::Null);
        let [one, no_text, too_long, elsewhere] = told[1].as_array().unwrap().as_slice() else { panic!("{told:?}") };
        assert_eq!(*one, json!({ "url": "https://a.example/1", "status": 200, "type": "text/plain", "text": "one" }));
        assert_eq!(no_text["error"], "what is there is no text in UTF-8");
        assert_eq!(too_long["error"], "what is there has more than 262144 bytes");
        assert!(elsewhere["error"].as_str().is_some_and(|why| why.contains("that host")), "{elsewhere}");

        // It learns more each time, and so often it may ask.
        let again = r#"{"fetch": ["https://a.example/1"]}"#;
        let (answer, told) = ran(vec![again, again, again, "done"], &http).now_or_never().unwrap();
        assert_eq!(answer, Ok("done".to_owned()));
        assert_eq!(told.iter().map(|told| told.as_array().map_or(0, Vec::len)).collect::<Vec<_>>(), [0, 1, 2, 3]);
        let (answer, _) = ran(vec![again; 5], &http).now_or_never().unwrap();
        assert_eq!(answer, Err("it wants something to be read for it more than 3 times".to_owned()));
        let (answer, _) = ran(vec![again], &[]).now_or_never().unwrap();
        assert!(answer.is_err_and(|why| why.contains("http")));
    }
}
