//! What the check says of modules whose commands are answered by a template, a program or a server.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::natives::builtin;
use super::{check_manifests, check_one, codes, manifest, module, started};
use candor_core::contract::outside::{
    Behind, Fault, FaultAt, OfferedTool, OutsideError, RunStart, ServerAccess, Started, ToolAnswer, ToolServer,
    UnusableTool,
};
use candor_core::contract::{Checked, Given, Manifest, OutsideSpec, TrustedRights, check};
use candor_core::diagnostic::{Code, SourceFile};
use candor_core::language::Language;
use candor_core::registry::Registry;

/// A server that nobody calls.
struct Idle;

#[async_trait::async_trait]
impl ToolServer for Idle {
    async fn call(&self, _: &str, _: Map<String, Value>, _: Language) -> Result<ToolAnswer, OutsideError> {
        Err(OutsideError::Busy)
    }
}

/// Checks a module whose server lists these tools, each with what it takes.
fn with_tools(text: &str, tools: &[(&str, Value)]) -> Checked {
    let tools = tools.iter().map(|(name, takes)| OfferedTool {
        name: (*name).to_owned(),
        description: Some(format!("Does what {name}")),
        input_schema: takes.clone(),
    });
    let broken = UnusableTool { name: "broken".to_owned(), why: "it has no input schema".to_owned() };
    let behind = Behind::Server { server: Arc::new(Idle), tools: tools.collect(), unusable: vec![broken] };
    let started = Some(Started { behind: Some(behind), ..Started::default() });
    check(builtin(), Vec::new(), vec![Manifest { started, ..manifest("tools", text) }])
}

/// A manifest of a module with a server, with this behind its header.
fn of_server(rest: &str) -> String {
    module("tools", "mcp", &format!("[run]\nprogram = \"serve\"\n{rest}"))
}

fn takes(properties: Value, required: Value) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

#[test]
fn a_tool_that_its_server_does_not_list_is_told_with_those_that_it_lists() {
    let manifest = of_server("[commands.\"/find\"]\ndescription = \"Find\"\nhandler = \"serch\"\n");
    let tool = |name| (name, takes(json!({}), json!([])));
    let cases: [(&[(&str, Value)], &str); 3] = [
        (&[tool("search"), tool("fetch")], "did you mean `search`?"),
        (&[tool("open"), tool("close")], "it lists `open`, `close`"),
        (&[], "it lists none"),
    ];
    for (tools, help) in cases {
        let checked = with_tools(&manifest, tools);
        let found: Vec<_> = checked.diagnostics.iter().map(|found| (found.code, found.help.as_str())).collect();
        assert_eq!(found, [(Code::HandlerNotFound, help)]);
    }
}

#[test]
fn a_tools_arguments_are_the_options_by_names_that_discord_takes() {
    let properties = json!({
        "maxResults": { "type": "integer", "description": "How many" },
        "query": { "type": "string" },
        "tags": { "type": "array", "items": { "type": "string" } },
    });
    let manifest = of_server("[commands.\"/find\"]\ndescription = \"Find\"\nhandler = \"search\"\nwrites = false\n");
    let checked = with_tools(&manifest, &[("search", takes(properties.clone(), json!(["query"])))]);
    // What Discord has no option for is named.
    assert_eq!(codes(&checked.diagnostics), [Code::ArgumentLeftOut]);
    assert!(checked.diagnostics.iter().all(|found| found.message.ends_with("`tags` (is a list)")));
    let leaf = checked.accepted[1].commands[0].leaves().next().unwrap();
    let options: Vec<_> = leaf.options.iter().map(|option| (option.name.as_str(), option.required)).collect();
    assert_eq!(options, [("query", true), ("max_results", false)]);
    // It can be left out only if the tool does not need it.
    let checked = with_tools(&manifest, &[("search", takes(properties, json!(["tags"])))]);
    assert_eq!(codes(&checked.diagnostics), [Code::SignatureUnsupported]);
}

#[test]
fn a_setting_of_a_server_is_the_same_for_all() {
    let setting = "[settings.place]\ndescription = \"Where\"\nper_server = true\n\
                   [commands.\"/find\"]\ndescription = \"Find\"\nhandler = \"search\"\n";
    let checked = with_tools(&of_server(setting), &[("search", takes(json!({}), json!([])))]);
    let told: Vec<_> = checked.diagnostics.iter().map(|found| found.message.as_str()).collect();
    let why = "`place` cannot differ from server to server: its server is started once, with one value for all";
    assert!(told.contains(&why), "{told:?}");
    let text = setting.replace("handler = \"search\"", "reply = \"x\"");
    let checked = check_one("tools", &module("tools", "text", &text));
    assert_eq!(codes(&checked.diagnostics), []);
    let of_servers: Vec<_> =
        checked.accepted[1].code.per_server().iter().map(|known| known.spec.name.as_str()).collect();
    assert_eq!(of_servers, ["place"]);
}

#[test]
fn tools_that_a_server_lists_are_taken_in_as_commands() {
    let tools = [("searchBooks", takes(json!({}), json!([]))), ("fetch", takes(json!({}), json!([])))];
    let run = |more: &str| of_server(&format!("tools = [\"searchBooks\", \"fetch\"]\n{more}"));
    let cases: [(&str, &[&str]); 5] = [
        ("", &["/search-books", "/fetch"]),
        ("model = true\n", &["/search-books writing tool", "/fetch writing tool"]),
        ("model = true\nwrites = false\n", &["/search-books tool", "/fetch tool"]),
        ("prefix = \"web\"\nmodel = true\n", &["/web search-books writing tool", "/web fetch writing tool"]),
        (
            "prefix = \"web\"\nchat_only = true\nwrites = false\n",
            &["/web search-books tool for chat alone", "/web fetch tool for chat alone"],
        ),
    ];
    for (more, expected) in cases {
        let checked = with_tools(&run(more), &tools);
        assert_eq!(codes(&checked.diagnostics), [], "{more}");
        let commands = checked.accepted[1].commands.iter();
        let shown = commands.flat_map(|command| command.described().map(|described| (command.chat_only, described)));
        let shown: Vec<_> = shown
            .map(|(chat_only, (leaf, words))| {
                let kind = match &leaf.tool {
                    Some(tool) if tool.writes => " writing tool",
                    Some(_) => " tool",
                    None => "",
                };
                let tool = words.strip_prefix("Does what ").unwrap().to_lowercase();
                assert!(leaf.path().to_string().replace('-', "").ends_with(&tool), "{words}");
                format!("{}{kind}{}", leaf.path(), if chat_only { " for chat alone" } else { "" })
            })
            .collect();
        assert_eq!(shown, expected, "{more}");
    }
    let find = "[commands.\"/find\"]\ndescription = \"Find\"\nhandler = \"fetch\"\n";
    let keys = "prefix = \"web\"\nmodel = true\nchat_only = true\nwrites = false\n";
    let unused = with_tools(&of_server(&format!("{keys}{find}")), &tools);
    assert_eq!(codes(&unused.diagnostics), [Code::RunInvalid; 4]);
    let nobodys = with_tools(&run("model = false\nchat_only = true\n"), &tools);
    assert_eq!(codes(&nobodys.diagnostics), [Code::ToolKeyWithoutTool; 2]);
}

#[test]
fn a_tool_that_cannot_be_a_command_is_left_out_and_the_others_work() {
    let long = "a-tool-with-a-name-of-33-letters!";
    let many: Map<_, _> = (0..26).map(|n| (format!("a{n}"), json!({ "type": "string" }))).collect();
    let cases = [
        ("broken", json!({})),
        (long, takes(json!({}), json!([]))),
        ("😀", takes(json!({}), json!([]))),
        ("Plain", takes(json!({}), json!([]))),
        ("either", json!({ "oneOf": [{ "type": "object" }] })),
        ("list", json!({ "type": "array" })),
        ("needs", takes(json!({ "q": { "type": "array" } }), json!(["q"]))),
        ("many", takes(Value::Object(many), json!([]))),
        ("named", takes(json!({ "what!a name that nobody can ever type": { "type": "string" } }), json!([]))),
    ];
    for (name, schema) in cases {
        let listed = [("plain", takes(json!({}), json!([]))), (name, schema)];
        let listed = if name == "broken" { &listed[..1] } else { &listed[..] };
        let checked = with_tools(&of_server(&format!("tools = [\"plain\", \"{name}\"]\n")), listed);
        assert_eq!(codes(&checked.diagnostics), [Code::ToolUnusable], "{name}");
        let commands: Vec<_> = checked.accepted[1].commands.iter().map(|command| command.name.as_str()).collect();
        assert_eq!(commands, ["plain"], "{name}");
    }
}

#[test]
fn tools_for_chat_alone_take_no_room_among_the_commands_that_discord_takes() {
    let command = |n: usize, only: bool| {
        format!("[commands.\"/c{n}\"]\ndescription = \"x\"\nreply = \"x\"\ntool = true\nchat_only = {only}\n")
    };
    let n_builtin = check_one("tools", &module("tools", "text", &command(0, true))).accepted[0].commands.len();
    for (n_chat_only, expected) in [(20 + n_builtin, vec![]), (19 + n_builtin, vec![Code::TooManyCommands])] {
        let commands: String = (0..120).map(|n| command(n, n < n_chat_only)).collect();
        let checked = check_one("tools", &module("tools", "text", &commands));
        assert_eq!(codes(&checked.diagnostics), expected, "{n_chat_only}");
    }
}

#[test]
fn a_server_of_many_tools_is_taken_in_for_chat_alone() {
    let names: Vec<_> = (0..30).map(|n| format!("tool-{n}")).collect();
    let tools: Vec<_> = names.iter().map(|name| (name.as_str(), takes(json!({}), json!([])))).collect();
    let listed = names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let of = |more: &str| with_tools(&of_server(&format!("tools = [{listed}]\nprefix = \"web\"\n{more}")), &tools);
    assert_eq!(codes(&of("").diagnostics), [Code::TooManySubcommands]);
    let checked = of("chat_only = true\n");
    assert_eq!(codes(&checked.diagnostics), []);
    assert_eq!(checked.accepted[1].commands[0].leaves().count(), 30);
}

#[test]
fn what_is_for_chat_alone_runs_for_nothing_else() {
    let hello = "[commands.\"/hello\"]\ndescription = \"x\"\nreply = \"x\"\ntool = true\nchat_only = true\n\
                 [events.member_joined]\nrun = \"/hello\"\n";
    let found = codes(&check_one("tools", &module("tools", "text", hello)).diagnostics);
    assert_eq!(found, [Code::SendNowhere, Code::EventCommand]);
}

#[test]
fn a_kind_that_there_is_not_is_told_with_the_nearest() {
    let checked = check_one("tools", &module("tools", "exce", ""));
    let helps: Vec<_> = checked.diagnostics.iter().map(|found| (found.code, found.help.as_str())).collect();
    assert!(helps.contains(&(Code::ManifestValueInvalid, "did you mean `exec`?")), "{helps:?}");
}

#[test]
fn a_menu_of_a_text_module_is_about_whom_it_is_chosen_on() {
    for (kind, target) in [("user", "{user}: {user.mention}"), ("message", "{message}")] {
        let menu = format!("[menus.\"Greet\"]\ntype = \"{kind}\"\nreply = \"Hello {target}\"\n");
        assert_eq!(codes(&check_one("tools", &module("tools", "text", &menu)).diagnostics), [], "{kind}");
    }
}

/// What is started for a module of this kind with this in `[run]`.
fn spec(kind: &str, run: &str) -> Option<OutsideSpec> {
    spec_with(kind, run, TrustedRights::default())
}

/// The same where the operator grants these rights.
fn spec_with(kind: &str, run: &str, trusted: TrustedRights) -> Option<OutsideSpec> {
    let rest = format!("[run]\n{run}\n[commands.\"/x\"]\ndescription = \"x\"\nprobe = {{ n = 1 }}\n");
    let text = module("tools", kind, &rest);
    let file = Arc::new(SourceFile { path: "module.toml".to_owned(), text });
    OutsideSpec::of(&file, &Given { trusted, ..Given::default() })
}

#[test]
fn what_is_started_is_as_the_manifest_says_or_nothing_is() {
    let exec = spec("exec", "program = \"x.sh\"").unwrap();
    assert!(exec.run.cpu_s.is_some());
    assert!(matches!(&exec.run.start, RunStart::Program { is_confined: true, ports, .. } if ports.is_empty()));
    // What a program is tried with may hold secrets.
    let shown = format!("{:?}", exec.probes);
    assert!(shown.contains("\"/x\"") && !shown.contains("input"), "{shown}");
    assert!(!exec.probes[0].input.is_empty());

    assert_eq!(spec("mcp", "program = \"x\"").unwrap().run.cpu_s, None);
    assert_eq!(spec("mcp", "program = \"x\"\ncpu_s = 5").unwrap().run.cpu_s, Some(5));
    let rights = TrustedRights { ports: [1, 80, 65535].into(), unconfined: true, ..TrustedRights::default() };
    let run = "program = \"x\"\nsandbox = \"off\"\nports = [1, 65535]";
    let open = spec_with("exec", run, rights.clone()).unwrap();
    let RunStart::Program { is_confined, ports, .. } = open.run.start else { panic!("{open:?}") };
    assert_eq!((is_confined, ports), (false, vec![1, 65535]));
    for fewer in [
        TrustedRights { ports: [1].into(), ..rights.clone() },
        TrustedRights { unconfined: false, ..rights },
        TrustedRights::default(),
    ] {
        assert!(spec_with("exec", run, fewer.clone()).is_none(), "{fewer:?}");
    }
    let signed_in = "url = \"https://tools.example/mcp\"\n[run.oauth]\ngrant = \"authorization_code\"";
    assert!(matches!(
        spec("mcp", signed_in).unwrap().run.start,
        RunStart::Server { access: ServerAccess::OAuth { .. }, .. }
    ));
    for (kind, run) in [
        ("exec", "url = \"https://tools.example/mcp\""),
        ("exec", "program = \"x\"\nports = [0]"),
        ("exec", "program = \"x\"\nports = [65536]"),
        ("exec", "program = \"x\"\nsandbox = \"maybe\""),
        ("exec", "program = \"x\"\ntime_s = 0"),
        ("mcp", "url = \"https://tools.example/mcp\"\n[run.oauth]\ngrant = \"password\""),
        ("text", "program = \"x\""),
    ] {
        assert!(spec(kind, run).is_none(), "{kind}: {run}");
    }
}

#[test]
fn what_went_wrong_at_the_start_is_told_where_it_belongs() {
    let commands = "[run]\nprogram = \"x.sh\"\n[commands.\"/x\"]\ndescription = \"x\"\n\
                [commands.\"/x\".subcommands.a]\ndescription = \"x\"\nprobe = {}\n\
                [commands.\"/x\".subcommands.b]\ndescription = \"x\"\nprobe = { n = 1 }\n\
                [commands.\"/y\"]\ndescription = \"x\"\nprobe = { n = 2 }\n";
    let text = module("tools", "exec", commands);
    let fault = |at| Fault { code: Code::ProgramUnusable, at, message: "it failed".to_owned(), help: "x".to_owned() };
    let tried = |path: &str| vec![fault(FaultAt::Probe(path.to_owned()))];
    let none = Started { behind: None, ..started() };
    let cases = [
        (Started { is_offline: true, ..none.clone() }, Code::NotStarted, "\"x.sh\"", &[][..]),
        (none.clone(), Code::ProgramUnusable, "\"x.sh\"", &["x", "y"]),
        (Started { faults: vec![fault(FaultAt::Run)], ..none }, Code::ProgramUnusable, "\"x.sh\"", &["x", "y"]),
        (Started { faults: tried("/x b"), ..started() }, Code::ProgramUnusable, "probe = { n = 1 }", &["x b"]),
        (Started { faults: tried("/y"), ..started() }, Code::ProgramUnusable, "probe = { n = 2 }", &["x", "y"]),
    ];
    for (started, code, place, unavailable) in cases {
        let shown = format!("{started:?}");
        let checked = check_manifests(vec![Manifest { started: Some(started), ..manifest("tools", &text) }]);
        let found: Vec<_> = checked.diagnostics.iter().collect();
        let [only] = found.as_slice() else { panic!("{shown}: {found:?}") };
        assert_eq!(only.code, code, "{shown}");
        let line = text.get(only.place.span.start..).and_then(|rest| rest.lines().next()).unwrap();
        assert!(line.ends_with(place), "{shown}: {line}");
        let registry = Registry::build(checked);
        assert_eq!(registry.quarantined().into_keys().collect::<Vec<_>>(), unavailable, "{shown}");
    }
}
