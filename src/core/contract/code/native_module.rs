//! A compiled-in module: its manifest's text and the functions that the manifest names.

use std::future::Future;
use std::sync::Arc;

use futures_util::FutureExt as _;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::contract::code::handler::{
    Accept, BackgroundSource, Call, CommandError, Completer, Handler, HandlerFn, Suggestion,
};
use crate::contract::code::operator_values::Given;
use crate::contract::services::ServiceName;
use crate::contract::spec::ModuleSettings;
use crate::diagnostic::SourceFile;
use crate::reply::Reply;

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
