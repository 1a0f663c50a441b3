//! A module's code: handlers and completers, their arguments, and how a module registers them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::SystemTime;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::contract::manifest::CommandNames;
use crate::contract::services::{NotDone, SendPolicy, ServiceName, Services};
use crate::contract::spec::{HandlerKind, ModuleSettings, SettingSpec};
use crate::diagnostic::SourceFile;
use crate::guild::Rules;
use crate::inbound::{Caller, Place};
use crate::record::ReceiptId;
use crate::reply::Reply;

/// A function that runs a command with checked JSON arguments.
pub type HandlerFn = dyn Fn(Map<String, Value>, Call) -> BoxFuture<'static, Result<Reply, CommandError>> + Send + Sync;
/// A function that decodes arguments as the handler would, without running it.
pub type Accept = dyn Fn(Map<String, Value>) -> Result<(), String> + Send + Sync;
/// A function that suggests values for an option, from the text typed so far. At most 25 are shown.
pub type Completer = Arc<dyn Fn(String, Call) -> BoxFuture<'static, Vec<Suggestion>> + Send + Sync>;
/// A function that returns prompt entries about the person who talks to the chat model, most useful first.
pub type BackgroundSource = Arc<dyn Fn(Call) -> BoxFuture<'static, Result<Vec<String>, CommandError>> + Send + Sync>;

/// The code that answers a command.
#[derive(Clone)]
pub struct Handler {
    name: Arc<str>,
    run: Arc<HandlerFn>,
    accept: Arc<Accept>,
}

impl Handler {
    /// Creates a handler under the name that the manifest uses.
    pub fn new(name: &str, run: Arc<HandlerFn>, accept: Arc<Accept>) -> Self {
        Self { name: name.into(), run, accept }
    }

    /// Returns the name that the manifest uses.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns its code, for another handler to wrap.
    pub(crate) fn code(&self) -> (Arc<HandlerFn>, Arc<Accept>) {
        (self.run.clone(), self.accept.clone())
    }

    /// Runs the handler. Only the executor calls this.
    pub(crate) fn run(
        &self,
        arguments: Map<String, Value>,
        call: Call,
    ) -> BoxFuture<'static, Result<Reply, CommandError>> {
        (self.run)(arguments, call)
    }

    /// Wraps the handler so that its replies use the current names of the module's commands.
    pub(crate) fn saying(self, names: CommandNames) -> Self {
        let names = Arc::new(names);
        let run = self.run;
        let said: Arc<HandlerFn> = Arc::new(move |arguments, call| {
            let names = Arc::clone(&names);
            run(arguments, call)
                .map(move |result| match result {
                    Ok(reply) => Ok(names.in_reply(reply)),
                    Err(CommandError::Tell(text)) => Err(CommandError::Tell(names.in_text(&text).into_owned())),
                    Err(other @ (CommandError::Internal(_) | CommandError::NotYet(_))) => Err(other),
                })
                .boxed()
        });
        Self { run: said, ..self }
    }

    /// Checks that the handler can decode these arguments, without running it.
    pub fn accepts(&self, arguments: Map<String, Value>) -> Result<(), String> {
        (self.accept)(arguments)
    }
}

impl fmt::Debug for Handler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handler").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A suggested value for an option.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    /// The label shown to the user; cut at 100 characters.
    pub label: String,
    /// The value passed to the handler. It has the option's type.
    pub value: Value,
}

impl From<String> for Suggestion {
    fn from(text: String) -> Self {
        Self { label: text.clone(), value: Value::String(text) }
    }
}

/// The context of a command run, passed to a handler beside its arguments.
#[derive(Clone)]
pub struct Call {
    /// The person who called the command.
    pub caller: Caller,
    /// The place where it was called.
    pub place: Place,
    /// The time when the call began.
    pub now: SystemTime,
    /// The time at which the module wanted this call (service `time`). The call may be late.
    pub due: Option<SystemTime>,
    /// The id of the receipt that the run will leave. `None` if this is not a command run.
    pub receipt: Option<ReceiptId>,
    /// The settings of the guild's administrators at this call. Only the bot's own commands need them.
    pub rules: Rules,
    /// The services that its manifest asks for.
    pub services: Services,
}

/// The error of a handler. Each variant has its own audience: the caller or the log.
#[derive(Debug)]
pub enum CommandError {
    /// Shown to the caller as is: says what cannot be done and why.
    Tell(String),
    /// For the log only. The caller sees a fixed sentence and the receipt id.
    Internal(Box<dyn std::error::Error + Send + Sync>),
    /// Nothing to do yet: call again at this time. Only for a later call ([`Call::due`]); any other call fails with it.
    /// The run stores no changes, leaves no receipt, and shows nothing.
    NotYet(SystemTime),
}

impl CommandError {
    /// Creates an error that is shown to the caller.
    pub fn tell(text: impl Into<String>) -> Self {
        Self::Tell(text.into())
    }
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for CommandError {
    fn from(error: E) -> Self {
        Self::Internal(Box::new(error))
    }
}

impl From<NotDone> for CommandError {
    fn from(not_done: NotDone) -> Self {
        match not_done {
            NotDone::Told(text) => Self::Tell(text),
            NotDone::Internal(problem) => Self::Internal(problem),
        }
    }
}

/// A module's code: handlers, completers and background source. Commands are plain data and refer to it by name.
#[derive(Clone, Default)]
pub struct ModuleCode {
    handlers: BTreeMap<String, Handler>,
    /// By handler name, then by option name.
    completers: BTreeMap<String, BTreeMap<String, Completer>>,
    background: Option<BackgroundSource>,
    settings: ModuleSettings,
    per_server: Vec<PerServer>,
    names: CommandNames,
    send_to: Arc<SendPolicy>,
}

/// A setting that guild administrators may set, unless the operator did.
#[derive(Clone, Debug, PartialEq)]
pub struct PerServer {
    /// The setting's declaration.
    pub spec: SettingSpec,
    /// Whether the operator gave a value, which takes precedence.
    pub is_operators: bool,
}

impl ModuleCode {
    /// Returns the handler with that name.
    pub fn handler(&self, name: &str) -> Option<&Handler> {
        self.handlers.get(name)
    }

    /// Returns the completer for that option of that handler.
    pub fn completer(&self, handler: &str, option: &str) -> Option<&Completer> {
        self.completers.get(handler)?.get(option)
    }

    /// Sets the settings. Guilds may override those in `per_server`.
    pub(crate) fn with_settings(self, settings: ModuleSettings, per_server: Vec<PerServer>) -> Self {
        Self { settings, per_server, ..self }
    }

    /// Sets the operator's command names and applies them to handler replies. Replies of text modules already contain
    /// them.
    pub(crate) fn with_names(mut self, names: &CommandNames, kind: HandlerKind) -> Self {
        if !names.is_empty() && kind != HandlerKind::Text {
            let named = |(name, handler): (String, Handler)| (name, handler.saying(names.clone()));
            self.handlers = self.handlers.into_iter().map(named).collect();
        }
        Self { names: names.clone(), ..self }
    }

    /// Returns the operator's names for its commands.
    pub fn names(&self) -> &CommandNames {
        &self.names
    }

    /// Returns the settings in force where administrators set none.
    pub fn settings(&self) -> &ModuleSettings {
        &self.settings
    }

    /// Returns the settings that guild administrators may set.
    pub fn per_server(&self) -> &[PerServer] {
        &self.per_server
    }

    /// Returns the settings in force where administrators wrote these values. Values that they may not set, or that do
    /// not fit, are ignored.
    pub fn settings_where<'a>(&self, written: impl Iterator<Item = (&'a str, &'a str)>) -> ModuleSettings {
        self.settings.with(written.filter_map(|(name, text)| {
            let PerServer { spec, .. } =
                self.per_server.iter().find(|setting| setting.spec.name == name && !setting.is_operators)?;
            Some((name.to_owned(), spec.read(text)?))
        }))
    }

    /// Sets the channels that it may send to.
    pub(crate) fn sending_to(self, policy: SendPolicy) -> Self {
        Self { send_to: Arc::new(policy), ..self }
    }

    /// Returns the channels that the operator lets it send to.
    pub fn send_to(&self) -> &Arc<SendPolicy> {
        &self.send_to
    }

    /// Returns the source of prompt entries about a caller, if the module has one.
    pub fn background(&self) -> Option<&BackgroundSource> {
        self.background.as_ref()
    }
}

impl fmt::Debug for ModuleCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModuleCode").field("handlers", &self.handlers).finish_non_exhaustive()
    }
}

impl FromIterator<Handler> for ModuleCode {
    fn from_iter<I: IntoIterator<Item = Handler>>(handlers: I) -> Self {
        let handlers = handlers.into_iter().map(|handler| (handler.name().to_owned(), handler)).collect();
        Self { handlers, ..Self::default() }
    }
}

impl From<NativeModule> for ModuleCode {
    fn from(module: NativeModule) -> Self {
        let mut code: Self = module.handlers.into_iter().map(|native| native.handler).collect();
        for native in module.completers {
            code.completers.entry(native.handler).or_default().insert(native.option, native.completer);
        }
        Self { background: module.background, ..code }
    }
}

/// A compiled-in module: manifest text, handlers, completers and needed services.
pub struct NativeModule {
    pub(crate) folder: String,
    pub(crate) manifest: SourceFile,
    pub(crate) handlers: Vec<NativeHandler>,
    pub(crate) completers: Vec<NativeCompleter>,
    pub(crate) needs: Vec<ServiceName>,
    pub(crate) background: Option<BackgroundSource>,
    pub(crate) settings: Option<SettingsReader>,
    pub(crate) given: Given,
}

/// The type in which a module's code reads its settings, if it does.
pub(crate) struct SettingsReader {
    pub(crate) fields: Vec<String>,
    /// Reads the settings. The error describes the value that does not fit.
    pub(crate) accept: fn(&ModuleSettings) -> Result<(), String>,
}

pub(crate) struct NativeHandler {
    pub(crate) name: String,
    pub(crate) signature: Schema,
    pub(crate) handler: Handler,
}

pub(crate) struct NativeCompleter {
    pub(crate) handler: String,
    pub(crate) option: String,
    pub(crate) completer: Completer,
}

/// The return type of a handler's `async fn`: a future of its reply.
#[diagnostic::on_unimplemented(
    message = "the function of a handler returns no future of `Result<Reply, CommandError>`",
    label = "it returns `{Self}`",
    note = "write it as `async fn name(arguments: Arguments, call: Call) -> Result<Reply, CommandError>`",
    note = "what it keeps over an `.await` must be `Send`"
)]
pub trait HandlerFuture: Future<Output = Result<Reply, CommandError>> + Send + 'static {}

#[diagnostic::do_not_recommend]
impl<F: Future<Output = Result<Reply, CommandError>> + Send + 'static> HandlerFuture for F {}

impl NativeModule {
    /// Creates a module with this folder name and the text of its `module.toml`.
    pub fn new(folder: &str, manifest: &str) -> Self {
        let manifest = SourceFile { path: format!("modules/{folder}/module.toml"), text: manifest.to_owned() };
        Self {
            folder: folder.to_owned(),
            manifest,
            handlers: Vec::new(),
            completers: Vec::new(),
            needs: Vec::new(),
            background: None,
            settings: None,
            given: Given::default(),
        }
    }

    /// Returns the compiled-in manifest.
    pub fn manifest(&self) -> &SourceFile {
        &self.manifest
    }

    /// Declares the type in which the code reads its settings. It has a field for each setting of the manifest, an
    /// `Option` if the setting may have no value. Read it with
    /// [`Services::settings`](crate::contract::Services::settings).
    #[must_use]
    pub fn settings<T: DeserializeOwned + JsonSchema>(mut self) -> Self {
        let schema = schema_of::<T>();
        let fields = schema.get("properties").and_then(Value::as_object);
        let fields = fields.into_iter().flat_map(Map::keys).cloned().collect();
        let accept = |settings: &ModuleSettings| settings.read::<T>().map(drop).map_err(|problem| problem.to_string());
        self.settings = Some(SettingsReader { fields, accept });
        self
    }

    /// Sets the operator's settings for the module.
    #[must_use]
    pub fn given(self, given: Given) -> Self {
        Self { given, ..self }
    }

    /// Returns the folder name.
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// Declares that the code uses a service. The manifest must ask for it too.
    #[must_use]
    pub fn needs(mut self, service: ServiceName) -> Self {
        self.needs.push(service);
        self
    }

    /// Adds a handler under the name that the manifest uses. Its argument type is the signature: the type's JSON Schema
    /// defines the command's options.
    #[must_use]
    pub fn handler<A, F, R>(self, name: &str, function: F) -> Self
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        F: Fn(A, Call) -> R + Send + Sync + 'static,
        R: HandlerFuture,
    {
        let run: Arc<HandlerFn> = Arc::new(move |arguments, call| match decode::<A>(arguments) {
            Ok(arguments) => function(arguments, call).boxed(),
            // The arguments were checked against this signature, so a failure is the host's fault, not the caller's.
            Err(problem) => std::future::ready(Err(CommandError::from(problem))).boxed(),
        });
        let accept: Arc<Accept> =
            Arc::new(|arguments| decode::<A>(arguments).map(drop).map_err(|problem| problem.to_string()));
        self.handler_with(name, schema_of::<A>(), run, accept)
    }

    /// Adds a handler whose signature is known only as a schema.
    #[must_use]
    pub(crate) fn handler_with(
        mut self,
        name: &str,
        signature: Schema,
        run: Arc<HandlerFn>,
        accept: Arc<Accept>,
    ) -> Self {
        let handler = Handler::new(name, run, accept);
        self.handlers.push(NativeHandler { name: name.to_owned(), signature, handler });
        self
    }

    pub(crate) fn has_handler(&self, name: &str) -> bool {
        self.handlers.iter().any(|handler| handler.name == name)
    }

    /// Replaces a handler's code. Its signature stays.
    pub(crate) fn replace_handler(&mut self, name: &str, run: Arc<HandlerFn>, accept: Arc<Accept>) {
        if let Some(native) = self.handlers.iter_mut().find(|handler| handler.name == name) {
            native.handler = Handler::new(name, run, accept);
        }
    }

    /// Adds suggestions for an option of a handler. At most 25 are shown.
    #[must_use]
    pub fn complete<F, R>(mut self, handler: &str, option: &str, function: F) -> Self
    where
        F: Fn(String, Call) -> R + Send + Sync + 'static,
        R: Future<Output = Vec<Suggestion>> + Send + 'static,
    {
        let completer: Completer = Arc::new(move |typed, call| function(typed, call).boxed());
        self.completers.push(NativeCompleter { handler: handler.to_owned(), option: option.to_owned(), completer });
        self
    }

    /// Adds a source of one-line prompt entries about the person who talks to the chat model, most useful first. The
    /// model gets them as data, never as instructions. At most 50 are used. The manifest must ask for the service
    /// `prompt`.
    #[must_use]
    pub fn background<F, R>(mut self, function: F) -> Self
    where
        F: Fn(Call) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Vec<String>, CommandError>> + Send + 'static,
    {
        self.background = Some(Arc::new(move |call| function(call).boxed()));
        self.needs(ServiceName::Prompt)
    }
}

/// The argument type of a handler that takes no arguments.
#[derive(serde::Deserialize, JsonSchema)]
pub struct NoArguments {}

fn decode<A: DeserializeOwned>(arguments: Map<String, Value>) -> Result<A, serde_json::Error> {
    serde_json::from_value(Value::Object(arguments))
}

/// Returns the JSON Schema of a handler's arguments, with all definitions inlined.
fn schema_of<A: JsonSchema>() -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    SchemaGenerator::new(settings).into_root_schema_for::<A>()
}

/// The operator's settings for a module; empty by default.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The values of its settings. Each fits its setting's kind.
    pub settings: ModuleSettings,
    /// The names of its commands.
    pub names: CommandNames,
    /// The channels that it may send to.
    pub send_to: SendPolicy,
    /// The rights of its program beyond its own folders.
    pub trusted: TrustedRights,
}

/// The rights that an operator grants a module's program under `[modules.trusted]`; none by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedRights {
    /// The TCP ports that it may connect to.
    pub ports: BTreeSet<u16>,
    /// The files and folders that it may read, with everything below them.
    pub reads: Vec<String>,
    /// Whether it may run without a sandbox.
    pub unconfined: bool,
}

impl TrustedRights {
    /// Returns a help text on how an operator grants a right. `line` goes under the module's table.
    pub fn help(module: &str, line: &str) -> String {
        format!(
            "if you trust this module with it, write `{line}` under `[modules.trusted.{module}]` in the settings file; \
             otherwise take it out of the manifest"
        )
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::contract::spec::SettingKind;

    #[test]
    fn what_administrators_write_counts_where_they_may_write_it_and_it_fits() {
        let setting = |name: &str, is_operators| PerServer {
            spec: SettingSpec {
                name: name.to_owned(),
                kind: SettingKind::Integer { min: 1, max: 9 },
                required: false,
                default: None,
                env: None,
                per_server: true,
            },
            is_operators,
        };
        let of_all = json!({ "days": 3, "hours": 5, "weeks": 1 });
        let code = ModuleCode::default().with_settings(
            ModuleSettings::new(of_all.as_object().unwrap().clone()),
            vec![setting("days", false), setting("hours", true), setting("unset", false)],
        );
        let cases = [
            ([("days", "4"), ("unset", "2")], json!({ "days": 4, "hours": 5, "weeks": 1, "unset": 2 })),
            ([("days", "10"), ("hours", "6")], of_all.clone()),
            ([("weeks", "2"), ("years", "2")], of_all),
        ];
        for (written, expected) in cases {
            let here = code.settings_where(written.into_iter());
            assert_eq!(json!(here.values()), expected, "{written:?}");
        }
        assert_eq!(code.settings_where(std::iter::empty()), *code.settings());
    }
}
