//! The MCP server of a module: started, asked for its tools, called, and restarted after it ended.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::future::OptionFuture;
use serde_json::{Map, Value};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};
use tracing::{error, info, warn};
use url::Url;

use crate::mcp::{
    Authorization, HttpAddress, Limits, Machine, McpError, OAuth, OAuthClient, Piece, PieceKind, Server, ToolList,
    ToolResult,
};
use crate::programs::{Prepared, Programs, Running, Turns};
use candor_core::contract::OutsideSpec;
use candor_core::contract::outside::{
    Behind, Fault, FaultAt, OfferedTool, OutsideError, RunSpec, RunStart, ServerAccess, Started, ToolAnswer,
    ToolServer, UnusableTool,
};
use candor_core::diagnostic::Code;
use candor_core::language::Language;
use candor_engine::read_key;

/// Delay before a server that ended is started again. It doubles after each failed try, up to the last.
const REST_FIRST: Duration = Duration::from_secs(1);
const REST_LAST: Duration = Duration::from_secs(60);
/// A server that leaves this many calls in a row unanswered hangs, and is ended.
const UNANSWERED_MAX: u32 = 3;
/// How long a server with closed pipes may take to end, and to write the reason to standard error.
const LAST_WORDS: Duration = Duration::from_secs(1);

pub(super) enum Reach {
    /// Started here, with the protocol on its pipes.
    Program(Programs, Box<Prepared>),
    /// A remote server.
    Address(HttpAddress),
}

pub(super) async fn start_module(module: &str, spec: &OutsideSpec, reach: Reach) -> Started {
    let server = Arc::new(ModuleServer {
        module: module.to_owned(),
        reach,
        run: spec.run.clone(),
        turns: Turns::new(spec.run.at_once),
        state: Mutex::default(),
    });
    let mut state = server.state.lock().await;
    match server.connect().await {
        Ok((link, Listed { tools, unusable })) => {
            info!(
                module,
                server = link.server.name(),
                protocol = link.server.protocol(),
                n_tools = tools.len(),
                "an MCP server is there"
            );
            for UnusableTool { name, why } in &unusable {
                info!(module, tool = name, why, "a tool of the server cannot be used");
            }
            server.watch(&link);
            state.link = Some(link);
            state.tools = Some(tools.clone());
            drop(state);
            let server: Arc<dyn ToolServer> = Arc::new(SharedServer(server));
            Started { behind: Some(Behind::Server { server, tools, unusable }), ..Started::default() }
        }
        Err(message) => {
            let fault = unusable(message);
            let fault = match program_elsewhere(&server.reach) {
                Some(folder) if fault.help.contains("`reads`") => {
                    Fault { help: format!("{}; its program is in `{}`", fault.help, folder.display()), ..fault }
                }
                Some(_) | None => fault,
            };
            Started { faults: vec![fault], ..Started::default() }
        }
    }
}

/// Returns the install folder of a program outside `/usr` and the module, such as the Python that a venv links to.
fn program_elsewhere(reach: &Reach) -> Option<PathBuf> {
    let Reach::Program(_, prepared) = reach else { return None };
    let program = prepared.spec.program.resolved().ok()?;
    let known = [Path::new("/usr"), &prepared.spec.folder];
    let is_elsewhere = !known.into_iter().any(|known| program.starts_with(known));
    program.ancestors().nth(2).filter(|_| is_elsewhere).map(Path::to_owned)
}

/// Returns the address and the authorization of a remote server. `tokens` is the file for the tokens of a sign-in.
pub(super) fn address(run: &RunSpec, tokens: &Path) -> Result<HttpAddress, Fault> {
    let RunStart::Server { url, access, insecure } = &run.start else {
        return Err(unusable("no address is written".to_owned()));
    };
    let url = Url::parse(url).map_err(|problem| unusable(format!("its address cannot be read: {problem}")))?;
    let secret = |path: &String| read_key(Path::new(path)).map_err(|problem| unusable(problem.to_string()));
    let authorization = match access {
        ServerAccess::Open => Authorization::None,
        ServerAccess::Bearer { file } => Authorization::Bearer(secret(file)?),
        ServerAccess::OAuth { client_id, client_secret_file, scopes } => {
            let secret = client_secret_file.as_ref().map(secret).transpose()?;
            let client = client_id.clone().map(|id| OAuthClient { id, secret });
            Authorization::OAuth(OAuth { client, scopes: scopes.clone(), file: tokens.to_owned() })
        }
        ServerAccess::Machine { client_id, client_secret_file, scopes } => {
            let secret = secret(client_secret_file)?;
            Authorization::Machine(Machine { id: client_id.clone(), secret, scopes: scopes.clone() })
        }
    };
    Ok(HttpAddress { url, authorization, insecure: *insecure })
}

fn unusable(message: String) -> Fault {
    let help = help(&message).to_owned();
    Fault { code: Code::ServerUnusable, at: FaultAt::Run, message, help }
}

/// Returns a hint for the server's last words, where they contain a system error about a limit.
fn help(message: &str) -> &'static str {
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
    if says(&["Permission denied", "EACCES"]) {
        return "it is confined to its folder and the system's programs: `reads` under `[run]` names what else it reads, and the \
                settings file grants it under `[modules.trusted]`";
    }
    if says(&["Too many open files", "EMFILE"]) {
        return "raise `open_files` under `[run]`";
    }
    "start the server by hand to see what is wrong; `start_s` under `[run]` says how long it may take"
}

struct ModuleServer {
    module: String,
    reach: Reach,
    run: RunSpec,
    turns: Turns,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    link: Option<Link>,
    tools: Option<Vec<OfferedTool>>,
    /// The server's tools differ from the checked ones.
    is_withdrawn: bool,
    n_failures: u32,
    /// Calls in a row that timed out.
    n_unanswered: u32,
    rests_until: Option<Instant>,
}

struct Listed {
    tools: Vec<OfferedTool>,
    unusable: Vec<UnusableTool>,
}

impl Listed {
    fn of(list: ToolList) -> Self {
        let offered = list.tools.into_iter().map(|tool| OfferedTool {
            name: tool.name,
            description: tool.description.or(tool.title),
            input_schema: tool.input_schema,
        });
        let unusable = list.unusable.into_iter().map(|tool| UnusableTool { name: tool.name, why: tool.why });
        Self { tools: offered.collect(), unusable: unusable.collect() }
    }
}

/// A connection, with the program that ends together with it.
struct Link {
    server: Arc<Server>,
    program: Option<Running>,
}

impl ModuleServer {
    /// Connects and lists the tools. The error is for the operator.
    async fn connect(&self) -> Result<(Link, Listed), String> {
        let limits = Limits { start: self.run.start_within, message_bytes: self.message_bytes(), ..Limits::default() };
        let (connected, program) = match &self.reach {
            Reach::Address(address) => (Server::over_http(address.clone(), limits).await, None),
            Reach::Program(programs, program) => {
                let mut program = programs.start(&program.spec).await.map_err(|problem| problem.to_string())?;
                let (Some(stdin), Some(stdout)) = (program.stdin(), program.stdout()) else {
                    return Err("it has no pipes".to_owned());
                };
                (Server::over_streams(Box::new(stdin), Box::new(stdout), limits).await, Some(program))
            }
        };
        let tools = match connected {
            Ok(server) => server.tools(self.run.start_within).await.map(|tools| (server, tools)),
            Err(problem) => Err(problem),
        };
        let (server, tools) = match tools {
            Ok(both) => both,
            Err(problem) => return Err(self.with_last_words(problem, program).await),
        };
        Ok((Link { server: Arc::new(server), program }, Listed::of(tools)))
    }

    /// Returns the limit of a protocol message: an answer and a little more.
    fn message_bytes(&self) -> usize {
        let kib = usize::try_from(self.run.output_kib).unwrap_or(usize::MAX);
        kib.saturating_mul(1024).max(Limits::default().message_bytes)
    }

    async fn with_last_words(&self, problem: McpError, program: Option<Running>) -> String {
        if problem == McpError::SignedOut {
            return format!("{problem}: run `candor mcp login {}`", self.module);
        }
        // If the server was cut off for breaking the protocol, its last words add nothing.
        let by_itself = matches!(problem, McpError::Exited | McpError::Unreachable { .. });
        let Some(mut program) = program.filter(|_| by_itself) else { return problem.to_string() };
        let _ended = timeout(LAST_WORDS, program.ended()).await;
        match program.stderr() {
            words if words.is_empty() => problem.to_string(),
            words => format!("{problem}: {words}"),
        }
    }

    /// Follows a connection until it ends and logs the reason. Lists the tools again when the server reports a change.
    fn watch(self: &Arc<Self>, link: &Link) {
        let module = Arc::downgrade(self);
        let server = Arc::downgrade(&link.server);
        let mut changes = link.server.changed();
        let closed = link.server.closed();
        let outgrown = OptionFuture::from(link.program.as_ref().map(Running::outgrown));
        tokio::spawn(async move {
            tokio::pin!(closed, outgrown);
            loop {
                tokio::select! {
                    changed = changes.changed() => {
                        if changed.is_err() || !Self::look_again(&module, &server).await {
                            return;
                        }
                    }
                    reason = &mut closed => {
                        let Some(module) = module.upgrade() else { return };
                        return module.ended(&server, &reason).await;
                    }
                    Some(full) = &mut outgrown => {
                        let Some(module) = module.upgrade() else { return };
                        return module.ended(&server, &full).await;
                    }
                }
            }
        });
    }

    /// Lists the tools again. Returns whether to go on.
    async fn look_again(module: &Weak<Self>, server: &Weak<Server>) -> bool {
        let (Some(module), Some(server)) = (module.upgrade(), server.upgrade()) else { return false };
        let listed = server.tools(module.run.start_within).await;
        let mut state = module.state.lock().await;
        match listed {
            Ok(list) => module.compare(&mut state, Listed::of(list)),
            Err(problem) => {
                warn!(module = module.module, error = %problem, "the server's tools changed, and cannot be listed")
            }
        }
        true
    }

    /// Withdraws the tools if a checked tool is gone or its input schema changed.
    fn compare(&self, state: &mut State, now: Listed) {
        let now: Map<String, Value> = now.tools.into_iter().map(|tool| (tool.name, tool.input_schema)).collect();
        let Some(checked) = &state.tools else { return };
        let differs = checked.iter().find(|tool| now.get(&tool.name) != Some(&tool.input_schema));
        let was_withdrawn = std::mem::replace(&mut state.is_withdrawn, differs.is_some());
        match differs {
            Some(tool) => error!(
                module = self.module,
                tool = tool.name,
                "a tool is no longer the one that was checked: the module's commands fail until `candor reload`"
            ),
            None if was_withdrawn => info!(module = self.module, "the tools are those that were checked again"),
            None => {}
        }
    }

    async fn ended(&self, server: &Weak<Server>, reason: &(dyn fmt::Display + Sync)) {
        let mut state = self.state.lock().await;
        let is_this = |link: &Link| Weak::ptr_eq(&Arc::downgrade(&link.server), server);
        if let Some(link) = state.link.take_if(|link| is_this(link)) {
            let stderr = link.program.as_ref().map(Running::stderr).unwrap_or_default();
            warn!(module = self.module, error = %reason, stderr, "the server ended; the next call starts it again");
            state.has_failed();
        }
    }

    /// Records how a call ended. Ends a server that hangs, together with its other calls: it would not answer them.
    async fn answered(&self, server: &Arc<Server>, result: &Result<ToolResult, McpError>) {
        let mut state = self.state.lock().await;
        if !state.link.as_ref().is_some_and(|link| Arc::ptr_eq(&link.server, server)) {
            // The server has been replaced; this result says nothing about the new one.
            return;
        }
        match result {
            Ok(_) => (state.n_failures, state.n_unanswered) = (0, 0),
            Err(McpError::TimedOut { .. }) => state.n_unanswered += 1,
            Err(_) => {}
        }
        if UNANSWERED_MAX <= state.n_unanswered {
            warn!(
                module = self.module,
                "the server left {UNANSWERED_MAX} calls in a row unanswered and was ended; the next call starts it again"
            );
            state.link = None;
            state.has_failed();
        }
    }

    /// Returns the connection, after reconnecting if it ended.
    async fn server(self: &Arc<Self>) -> Result<Arc<Server>, OutsideError> {
        let mut state = self.state.lock().await;
        if state.link.is_none() {
            if let Some(left) = state.rests_for() {
                let why = format!("its server ended, and is not started again for {} s", left.as_secs() + 1);
                return Err(OutsideError::Failed(why));
            }
            match self.connect().await {
                Ok((link, listed)) => {
                    info!(module = self.module, "the server is there again");
                    self.compare(&mut state, listed);
                    self.watch(&link);
                    state.link = Some(link);
                    state.n_unanswered = 0;
                }
                Err(why) => {
                    state.has_failed();
                    return Err(OutsideError::Failed(why));
                }
            }
        }
        if state.is_withdrawn {
            let why = "its server's tools are others than were checked: `candor reload` checks them anew";
            return Err(OutsideError::Failed(why.to_owned()));
        }
        let link = state.link.as_ref().ok_or_else(|| OutsideError::Failed("it has no server".to_owned()))?;
        Ok(link.server.clone())
    }
}

impl State {
    fn has_failed(&mut self) {
        let rest = REST_FIRST.saturating_mul(1 << self.n_failures.min(6)).min(REST_LAST);
        self.n_failures = self.n_failures.saturating_add(1);
        self.rests_until = Some(Instant::now() + rest);
    }

    fn rests_for(&self) -> Option<Duration> {
        self.rests_until?.checked_duration_since(Instant::now())
    }
}

/// The server as its handlers share it. The tasks that follow its connections do not keep it alive.
struct SharedServer(Arc<ModuleServer>);

#[async_trait]
impl ToolServer for SharedServer {
    async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        language: Language,
    ) -> Result<ToolAnswer, OutsideError> {
        let module = &self.0;
        let _turn = module.turns.take().await?;
        let server = module.server().await?;
        let result = server.call_in(Some(language.tag()), tool, arguments, module.run.answer_within).await;
        module.answered(&server, &result).await;
        let answer = answer(result.map_err(|problem| match problem.may_have_run() {
            true => OutsideError::Unsure(problem.to_string()),
            false => OutsideError::Failed(problem.to_string()),
        })?);
        let max = usize::try_from(module.run.output_kib).unwrap_or(usize::MAX).saturating_mul(1024);
        match answer.text.len() <= max {
            true => Ok(answer),
            false => Err(OutsideError::Unsure(format!("its answer is longer than {} KiB", module.run.output_kib))),
        }
    }
}

/// Returns a tool's answer as text; pictures, sound and other parts are only named.
fn answer(result: ToolResult) -> ToolAnswer {
    let pieces = result.pieces.iter().map(named);
    let mut lines: Vec<_> = Some(result.text).filter(|text| !text.is_empty()).into_iter().chain(pieces).collect();
    if let (true, Some(structured)) = (lines.is_empty(), result.structured) {
        lines.push(format!("{structured:#}"));
    }
    ToolAnswer { text: lines.join("\n"), is_error: result.is_error }
}

fn named(piece: &Piece) -> String {
    let kind = match piece.kind {
        PieceKind::Image => "picture",
        PieceKind::Audio => "sound",
        PieceKind::Resource => "resource",
        PieceKind::Link => "link",
        PieceKind::Unreadable => {
            let kind = if piece.media_type.is_empty() { "unnamed" } else { &piece.media_type };
            let uri = piece.uri.as_ref().map(|uri| format!(", {uri}")).unwrap_or_default();
            return format!("[a part that cannot be shown: {kind}{uri}]");
        }
    };
    let what = piece.uri.as_deref().unwrap_or(&piece.media_type);
    format!("[{kind}: {what}, {} bytes]", piece.size)
}
