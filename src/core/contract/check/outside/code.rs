//! Creates the handlers of an outside module, under the names that the check then looks up.

use std::ops::Range;
use std::sync::Arc;

use schemars::Schema;

use crate::contract::check::findings::Findings;
use crate::contract::check::outside::signature::ToolSignature;
use crate::contract::check::outside::text::Known;
use crate::contract::check::outside::{run, server, signature, spec, text};
use crate::contract::check::subject::{Candidate, Standing};
use crate::contract::code::NativeModule;
use crate::contract::code::{Accept, HandlerFn};
use crate::contract::manifest::{Text, WrittenCommandValue, WrittenLeaf, WrittenManifest, WrittenReply};
use crate::contract::outside::{
    Behind, CONFIRM, FaultAt, OfferedTool, Program, ProgramCommand, Started, asking_first, of_program, of_text,
    of_tool, to_be_started,
};
use crate::contract::spec::{HandlerKind, SettingSpec};
use crate::diagnostic::Code;
use crate::diagnostic::spanned::Spanned;
use crate::inbound::{CommandPath, CommandType};

/// Adds handlers built from the manifest and the started program or server. A native module is returned unchanged.
pub(crate) fn with_code(
    mut candidate: Candidate,
    specs: &[SettingSpec],
    written: &mut WrittenManifest,
    found: &mut Findings,
) -> Candidate {
    spec::check(written, found);
    let Some(kind) = spec::kind(written) else { return Candidate { has_wrong_kind: true, ..candidate } };
    report_strangers(kind, written, found);
    if kind == HandlerKind::Native {
        return candidate;
    }
    if candidate.standing != Standing::WithoutCode {
        let span = written.kind.as_ref().map_or_else(|| written.header.clone(), |kind| kind.span.clone());
        found.at(Code::ManifestValueInvalid, &span).report(
            format!("the module `{}` is compiled in, so its kind is `native`", candidate.code.folder),
            "take `kind` out, or give the folder and the module another name",
        );
        return Candidate { has_wrong_kind: true, ..candidate };
    }
    candidate.kind = kind;
    if kind.is_outside() {
        run::read(kind, written, &candidate.given.trusted, found);
    }
    let started = candidate.started.take().unwrap_or_default();
    report_faults(&started, written, found);
    server::take_in(started.behind.as_ref(), written, found);
    report_not_started(kind, &started, written, found);
    let code = NativeModule::new(&candidate.code.folder, "");
    let bodies = written.commands.iter().filter_map(|command| match &command.value {
        // A `chat_only` command cannot be called later.
        WrittenCommandValue::Table(body) if !body.is_chat_only() => Some(body.named_leaves(&command.key.value)),
        WrittenCommandValue::Table(_) | WrittenCommandValue::BareHandler(_) | WrittenCommandValue::Unreadable => None,
    });
    let commands = bodies.flatten().map(|(path, _)| path).collect();
    let mut making = Making { kind, started, specs, commands, code };
    making.tools();
    for command in &mut written.commands {
        let WrittenCommandValue::Table(body) = &mut command.value else { continue };
        let span = command.key.span.clone();
        let has_subcommands = !body.subcommands.is_empty() || !body.groups.is_empty();
        for (path, leaf) in body.named_leaves_mut(&command.key.value, !has_subcommands) {
            let of = leaf.path.clone();
            if has_subcommands {
                found.within(&of, |found| making.leaf(leaf, &path, None, &span, found));
            } else {
                making.leaf(leaf, &path, None, &span, found);
            }
        }
    }
    for menu in &mut written.menus {
        let word = match menu.kind.given().map(|kind| kind.value.as_str()) {
            Some("user") => "user",
            Some("message") => "message",
            // The check of the command reports it.
            Some(_) | None => continue,
        };
        let path = menu.name.value.clone();
        let span = menu.name.span.clone();
        making.leaf(&mut menu.leaf, &path, Some(word), &span, found);
    }
    candidate.code = making.code;
    candidate
}

struct Making<'a> {
    kind: HandlerKind,
    started: Started,
    specs: &'a [SettingSpec],
    /// The full names, with slash, of commands that can be called later.
    commands: Arc<[String]>,
    code: NativeModule,
}

impl Making<'_> {
    fn tools(&mut self) {
        let Some(Behind::Server { server, tools, .. }) = self.started.behind.clone() else { return };
        for OfferedTool { name, input_schema, .. } in tools {
            let ToolSignature { schema, renamed, .. } = signature::of_tool(&input_schema);
            let (run, accept) = of_tool(server.clone(), name.clone(), renamed, true);
            self.add(&name, schema, run, accept);
        }
    }

    /// Adds the handler of one command or subcommand. `target` is the object that a context-menu command is used on.
    fn leaf(
        &mut self,
        leaf: &mut WrittenLeaf,
        path: &str,
        target: Option<&str>,
        span: &Range<usize>,
        found: &mut Findings,
    ) {
        let known = Known::of(leaf, target, self.specs);
        let (signature, made) = match self.kind {
            HandlerKind::Native => return,
            HandlerKind::Mcp => {
                self.tool(leaf, found);
                let Some(handler) = leaf.handler.given().filter(|_| leaf.ask.is_some()) else { return };
                let Some(known) = self.code.handlers.iter().find(|known| known.name == handler.value) else { return };
                (known.signature.clone(), Some(known.handler.code()))
            }
            HandlerKind::Text => {
                (signature::of_command(leaf, target), text::cards(leaf, &known, span, found).map(of_text))
            }
            HandlerKind::Exec => (signature::of_command(leaf, target), self.program(leaf, path, span, found)),
        };
        // If the code could not be built, the problem is already reported. A handler that is never called lets the
        // check of the rest go on.
        let (run, accept) = made.unwrap_or_else(to_be_started);
        let (signature, run) = match &leaf.ask {
            Some(question) if self.may_ask(leaf, path, &signature, question, found) => {
                let cards = text::of_reply(&question.value, &question.span, &known, found);
                let names: Vec<_> = path.trim_start_matches('/').split(' ').collect();
                let run = asking_first(cards, CommandPath::at(CommandType::Slash, &names), run);
                (signature::with_confirm(&signature), run)
            }
            Some(_) | None => (signature, run),
        };
        self.add(path, signature, run, accept);
        leaf.handler = Text::Given(Spanned { value: path.to_owned(), span: span.clone() });
    }

    /// Returns whether a command can ask before it runs. Reports why if not.
    fn may_ask(
        &self,
        leaf: &WrittenLeaf,
        path: &str,
        signature: &Schema,
        question: &Spanned<WrittenReply>,
        found: &mut Findings,
    ) -> bool {
        let has_file = leaf.options.iter().any(|option| signature::type_of(option) == "attachment");
        let why = if !self.commands.iter().any(|command| command == path) {
            "only a slash command that people call can ask first".to_owned()
        } else if signature::has_property(signature, CONFIRM) {
            format!("`{path}` has an option `{CONFIRM}` of its own, and `ask` adds one of this name")
        } else if has_file {
            format!("`{path}` takes a file, which a button cannot hold")
        } else {
            return true;
        };
        found
            .at(Code::ManifestValueInvalid, &question.span)
            .report(why, format!("take `ask` out of `[{}]`", leaf.path));
        false
    }

    fn program(
        &mut self,
        leaf: &WrittenLeaf,
        path: &str,
        span: &Range<usize>,
        found: &mut Findings,
    ) -> Option<(Arc<HandlerFn>, Arc<Accept>)> {
        // A probe of a command that writes would change something at each start.
        let is_said_to_change = [&leaf.writes, &leaf.removes].into_iter().flatten().any(|key| key.value);
        if let Some(probe) = leaf.probe.as_ref().filter(|_| is_said_to_change) {
            found.at(Code::ProbeWrites, &probe.span).report(
                format!("`{path}` changes something, and its probe would do so at each check, start and reload"),
                format!("take `probe` out of `[{}]`; if it changes nothing, write `writes = false`", leaf.path),
            );
        } else if leaf.probe.is_none() && !is_said_to_change {
            found.at(Code::ProbeMissing, span).report(
                format!("`{path}` has no start-up probe, so a broken program is only noticed when someone uses it"),
                format!("write `probe = {{ … }}` under `[{}]`, with options such as people give", leaf.path),
            );
        }
        let Some(Behind::Program(program)) = &self.started.behind else { return None };
        let program: Arc<dyn Program> = program.clone();
        let command = ProgramCommand { name: path.into(), changes: changes(leaf), of_module: self.commands.clone() };
        Some(of_program(program, command))
    }

    /// Replaces the handler of a tool that writes nothing by one that does not announce effects first.
    fn tool(&mut self, leaf: &WrittenLeaf, found: &mut Findings) {
        let Some(handler) = leaf.handler.given() else { return };
        let Some(Behind::Server { server, tools, .. }) = &self.started.behind else {
            // Without a server its tools are unknown, so the manifest's options become the signature.
            if !self.code.has_handler(&handler.value) {
                let (run, accept) = to_be_started();
                self.add(&handler.value, signature::of_options(&leaf.options), run, accept);
            }
            return;
        };
        let Some(tool) = tools.iter().find(|tool| tool.name == handler.value) else { return };
        let ToolSignature { renamed, left_out, .. } = signature::of_tool(&tool.input_schema);
        report_left_out(handler, &left_out, found);
        if changes(leaf) {
            return;
        }
        let (run, accept) = of_tool(server.clone(), handler.value.clone(), renamed, false);
        self.code.replace_handler(&handler.value, run, accept);
    }

    fn add(&mut self, name: &str, signature: Schema, run: Arc<HandlerFn>, accept: Arc<Accept>) {
        let code = std::mem::replace(&mut self.code, NativeModule::new("", ""));
        self.code = code.handler_with(name, signature, run, accept);
    }
}

/// Reports the arguments of a tool that have no Discord option.
fn report_left_out(tool: &Spanned<String>, left_out: &[(String, String)], found: &mut Findings) {
    if left_out.is_empty() {
        return;
    }
    let listed: Vec<_> = left_out.iter().map(|(name, reason)| format!("`{name}` ({reason})")).collect();
    found.at(Code::ArgumentLeftOut, &tool.span).report(
        format!("the tool `{}` has arguments that Discord has no option for: {}", tool.value, listed.join(", ")),
        "nothing to do if the tool works without them: they are never sent",
    );
}

/// Returns whether a command may change something. The host cannot see what outside code does, so the default is true.
pub(super) fn changes(leaf: &WrittenLeaf) -> bool {
    leaf.writes.as_ref().is_none_or(|writes| writes.value)
}

/// Reports keys that have no meaning for this kind of module.
fn report_strangers(kind: HandlerKind, written: &WrittenManifest, found: &mut Findings) {
    let name = kind.name();
    if let Some(run) = written.run.as_ref().filter(|_| !kind.is_outside()) {
        found.at(Code::KeyOfOtherKind, &run.span).report(
            format!("a module of the kind `{name}` starts nothing"),
            "take `[run]` out, or write `kind = \"exec\"` or `kind = \"mcp\"` under `[module]`",
        );
    }
    let commands = written.commands.iter().filter_map(|command| match &command.value {
        WrittenCommandValue::Table(body) => Some(body.leaves()),
        WrittenCommandValue::BareHandler(_) | WrittenCommandValue::Unreadable => None,
    });
    for leaf in commands.flatten().chain(written.menus.iter().map(|menu| &menu.leaf)) {
        let has_handler = matches!(kind, HandlerKind::Native | HandlerKind::Mcp);
        let keys = [
            ("handler", has_handler, leaf.handler.given().map(|handler| &handler.span)),
            ("reply", kind == HandlerKind::Text, leaf.reply.as_ref().map(|reply| &reply.span)),
            ("ask", kind != HandlerKind::Native, leaf.ask.as_ref().map(|ask| &ask.span)),
            ("probe", kind == HandlerKind::Exec, leaf.probe.as_ref().map(|probe| &probe.span)),
        ];
        for (key, fits, span) in keys {
            let Some(span) = span.filter(|_| !fits) else { continue };
            found.at(Code::KeyOfOtherKind, span).report(
                format!("`{key}` means nothing in a module of the kind `{name}`"),
                format!("take `{key}` out of `[{}]`, or write another `kind` under `[module]`", leaf.path),
            );
        }
    }
}

/// Reports a module whose program or server was not started.
fn report_not_started(kind: HandlerKind, started: &Started, written: &WrittenManifest, found: &mut Findings) {
    let is_told = !started.faults.is_empty() || found.has(Code::RightNotTrusted);
    if !kind.is_outside() || started.behind.is_some() || is_told {
        return;
    }
    let (code, help) = match started.is_offline {
        true => (Code::NotStarted, "check without `--offline` to find out whether it works"),
        false => (Code::ProgramUnusable, "correct what is wrong with `[run]`"),
    };
    found.at(code, &run_span(written)).report("what answers this module's commands was not started", help);
}

/// Reports the faults of starting the module, at the position of the failed setting.
fn report_faults(started: &Started, written: &WrittenManifest, found: &mut Findings) {
    for fault in &started.faults {
        let tried = match &fault.at {
            FaultAt::Run => None,
            FaultAt::Reads(path) => reads_span(written, path).map(|span| Tried { span, subcommand: None }),
            FaultAt::Probe(command) => tried(written, command),
        };
        let report = |span: &Range<usize>, found: &mut Findings| {
            found.at(fault.code, span).report(fault.message.clone(), fault.help.clone());
        };
        match tried {
            None => report(&run_span(written), found),
            Some(Tried { span, subcommand: None }) => report(&span, found),
            Some(Tried { span, subcommand: Some(of) }) => found.within(of, |found| report(&span, found)),
        }
    }
}

fn run_span(written: &WrittenManifest) -> Range<usize> {
    let Some(run) = &written.run else { return written.header.clone() };
    let named = run.program.as_ref().or(run.url.as_ref());
    named.map_or_else(|| run.span.clone(), |named| named.span.clone())
}

fn reads_span(written: &WrittenManifest, wanted: &str) -> Option<Range<usize>> {
    let reads = &written.run.as_ref()?.reads;
    reads.iter().find(|path| path.value == wanted).map(|path| path.span.clone())
}

/// The probe of a command in the manifest.
struct Tried<'a> {
    /// The position of `probe`, or of the failed path.
    span: Range<usize>,
    /// The header of its table, if the fault concerns a subcommand.
    subcommand: Option<&'a str>,
}

fn tried<'a>(written: &'a WrittenManifest, wanted: &str) -> Option<Tried<'a>> {
    written.commands.iter().find_map(|command| match &command.value {
        WrittenCommandValue::Table(body) => {
            let key = &command.key.value;
            let (path, leaf) = body.named_leaves(key).find(|(path, _)| path == wanted)?;
            let span = leaf.probe.as_ref()?.span.clone();
            Some(Tried { span, subcommand: (path != *key).then_some(leaf.path.as_str()) })
        }
        WrittenCommandValue::BareHandler(_) | WrittenCommandValue::Unreadable => None,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::UNIX_EPOCH;

    use futures_util::FutureExt as _;
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::contract::check::subject::Manifest;
    use crate::contract::code::CommandError;
    use crate::contract::outside::{OutsideError, ToolAnswer, ToolServer};
    use crate::contract::services::HostServices;
    use crate::diagnostic::SourceFile;
    use crate::inbound::{Caller, Place, UserId};
    use crate::language::Language;
    use crate::testing;

    /// A server that keeps what it was called with.
    #[derive(Default)]
    struct Listener(Mutex<Vec<(String, Map<String, Value>)>>);

    #[async_trait::async_trait]
    impl ToolServer for Listener {
        async fn call(
            &self,
            tool: &str,
            arguments: Map<String, Value>,
            _: Language,
        ) -> Result<ToolAnswer, OutsideError> {
            self.0.lock().unwrap().push((tool.to_owned(), arguments));
            Ok(ToolAnswer { text: "done".to_owned(), is_error: false })
        }
    }

    /// What a tool may change is announced first, which needs the store; a tool that changes nothing needs none.
    #[test]
    fn a_tool_is_called_by_its_own_names_and_announced_unless_it_changes_nothing() {
        let text = "[module]\nname = \"tools\"\nsummary = \"x\"\nkind = \"mcp\"\n[run]\nprogram = \"serve\"\n\
                    [commands.\"/close\"]\ndescription = \"x\"\nhandler = \"close\"\n\
                    [commands.\"/open\"]\ndescription = \"x\"\nhandler = \"open\"\nwrites = false\n";
        let takes = json!({ "type": "object", "properties": { "maxResults": { "type": "integer" } } });
        let tool = |name: &str, input_schema: &Value| OfferedTool {
            name: name.to_owned(),
            description: None,
            input_schema: input_schema.clone(),
        };
        let listener = Arc::new(Listener::default());
        let tools = vec![tool("close", &json!({ "type": "object" })), tool("open", &takes)];
        let started = Started {
            behind: Some(Behind::Server { server: listener.clone(), tools, unusable: Vec::new() }),
            ..Started::default()
        };
        let file = Arc::new(SourceFile { path: "module.toml".to_owned(), text: text.to_owned() });
        let manifest = Manifest { started: Some(started), ..Manifest::new("tools", Some(file)) };
        let builtin = NativeModule::new("builtin", "[module]\nname = \"builtin\"\nsummary = \"x\"\n");
        let checked = crate::contract::check(builtin, Vec::new(), vec![manifest]);
        let module = checked.accepted.last().unwrap();

        let ran = |handler: &str, arguments: &Value| {
            let host = HostServices::default();
            let call = testing::call("tools", &host, &[], Caller::new(UserId(7), "ann"), Place::Console, UNIX_EPOCH);
            let arguments = arguments.as_object().cloned().unwrap_or_default();
            module.code.handler(handler).unwrap().run(arguments, call).now_or_never().unwrap()
        };
        assert_eq!(ran("open", &json!({ "max_results": 3 })).unwrap().text, "done");
        let given = json!({ "maxResults": 3 }).as_object().cloned().unwrap();
        assert_eq!(*listener.0.lock().unwrap(), [("open".to_owned(), given)]);
        let unannounced = ran("close", &json!({}));
        assert!(matches!(unannounced, Err(CommandError::Internal(_))), "{unannounced:?}");
        assert_eq!(listener.0.lock().unwrap().len(), 1);
    }

    /// The reply to a call of `/x`, of a module with this manifest and these tools behind it.
    fn answered(text: &str, behind: Option<Behind>, arguments: &Value) -> crate::reply::Reply {
        let file = Arc::new(SourceFile { path: "module.toml".to_owned(), text: text.to_owned() });
        let started = Some(Started { behind, ..Started::default() });
        let manifest = Manifest { started, ..Manifest::new("asks", Some(file)) };
        let builtin = NativeModule::new("builtin", "[module]\nname = \"builtin\"\nsummary = \"x\"\n");
        let checked = crate::contract::check(builtin, Vec::new(), vec![manifest]);
        assert!(!checked.diagnostics.has_errors(), "{:?}", checked.diagnostics);
        let module = checked.accepted.last().unwrap();
        let leaf = module.commands[0].leaves().next().unwrap();
        let host = HostServices::default();
        let call = testing::call("asks", &host, &[], Caller::new(UserId(7), "ann"), Place::Console, UNIX_EPOCH);
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        let handler = module.code.handler(&leaf.handler.name).unwrap();
        handler.run(arguments, call).now_or_never().unwrap().unwrap()
    }

    #[test]
    fn a_command_asks_first_and_its_button_runs_it_whatever_its_kind() {
        let head = |kind: &str| format!("[module]\nname = \"asks\"\nsummary = \"x\"\nkind = \"{kind}\"\n");
        let command = "[commands.\"/x\"]\ndescription = \"x\"\nask = \"Close {title}?\"\n";
        let option = "options.title.description = \"x\"\n";
        let listener = Arc::new(Listener::default());
        let input_schema = json!({ "type": "object", "properties": { "title": { "type": "string" } } });
        let tools = vec![OfferedTool { name: "close".to_owned(), description: None, input_schema }];
        let server = Behind::Server { server: listener.clone(), tools, unusable: Vec::new() };
        let kinds = [
            (format!("{}{command}reply = \"done\"\n{option}", head("text")), None),
            (
                format!(
                    "{}[run]\nprogram = \"serve\"\n{command}handler = \"close\"\nwrites = false\n{option}",
                    head("mcp")
                ),
                Some(server),
            ),
        ];
        for (text, behind) in kinds {
            let asked = answered(&text, behind.clone(), &json!({ "title": "tea" }));
            assert!(asked.is_question && asked.text.starts_with("Close tea?"), "{asked:?}");
            assert_eq!(*listener.0.lock().unwrap(), []);
            let button = asked.controls[0][0].call().unwrap();
            assert_eq!((button.path.to_string(), button.once), ("/x".to_owned(), true));
            let done = answered(&text, behind, &Value::Object(button.arguments.clone()));
            assert!(!done.is_question && done.text == "done", "{done:?}");
        }
        // The server's tool does not get the option of the question.
        assert_eq!(listener.0.lock().unwrap()[0].1, json!({ "title": "tea" }).as_object().cloned().unwrap());
    }

    #[test]
    fn what_cannot_ask_first_is_an_error() {
        let head = "[module]\nname = \"asks\"\nsummary = \"x\"\nkind = \"text\"\n";
        let command = "[commands.\"/x\"]\ndescription = \"x\"\nask = \"Sure?\"\nreply = \"done\"\n";
        for (rest, why) in [
            ("chat_only = true\ntool = true\n", "only a slash command that people call can ask first"),
            ("options.confirm.description = \"x\"\n", "`/x` has an option `confirm` of its own"),
            ("options.of = { type = \"attachment\", description = \"x\" }\n", "`/x` takes a file"),
        ] {
            let text = format!("{head}{command}{rest}");
            let file = Arc::new(SourceFile { path: "module.toml".to_owned(), text });
            let builtin = NativeModule::new("builtin", "[module]\nname = \"builtin\"\nsummary = \"x\"\n");
            let checked = crate::contract::check(builtin, Vec::new(), vec![Manifest::new("asks", Some(file))]);
            let told: Vec<_> = checked.diagnostics.iter().map(|problem| problem.message.as_str()).collect();
            assert!(told.iter().any(|told| told.starts_with(why)), "{told:?}");
        }
    }
}
