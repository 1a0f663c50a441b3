//! What the check says of modules whose commands are answered by a template, a program or a server.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::natives::{builtin, nothing};
use super::{check_manifests, check_one, codes, manifest, started};
use candor_core::contract::outside::{
    Behind, Fault, FaultAt, OfferedTool, OutsideError, RunStart, ServerAccess, Started, ToolAnswer, ToolServer,
};
use candor_core::contract::{
    Checked, Given, Manifest, NativeModule, NoArguments, OutsideSpec, ServiceName, check, declared_settings, limits,
};
use candor_core::diagnostic::{Code, SourceFile};
use candor_core::inbound::CommandPath;
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
    let behind = Behind::Server { server: Arc::new(Idle), tools: tools.collect() };
    let started = Some(Started { behind: Some(behind), ..Started::default() });
    check(builtin(), Vec::new(), vec![Manifest { started, ..manifest("tools", text) }])
}

/// A manifest of a module with a server, with this behind its header.
fn of_server(rest: &str) -> String {
    format!("[module]\nname = \"tools\"\nsummary = \"x\"\nkind = \"mcp\"\n[run]\nprogram = \"serve\"\n{rest}")
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
    assert_eq!(codes(&checked.diagnostics), []);
    let leaf = checked.accepted[1].commands[0].leaves().next().unwrap();
    let options: Vec<_> = leaf.options.iter().map(|option| (option.name.as_str(), option.required)).collect();
    assert_eq!(options, [("query", true), ("max_results", false)]);
    // What Discord has no option for can be left out only if the tool does not need it.
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
    let checked = check_one("tools", &format!("[module]\nname = \"tools\"\nsummary = \"x\"\nkind = \"text\"\n{text}"));
    assert_eq!(codes(&checked.diagnostics), []);
    let of_servers: Vec<_> =
        checked.accepted[1].code.per_server().iter().map(|known| known.spec.name.as_str()).collect();
    assert_eq!(of_servers, ["place"]);
}

#[test]
fn what_a_module_has_run_by_itself_it_may_send() {
    let module = |more: &str| {
        format!(
            "[module]\nname = \"welcome-all\"\nsummary = \"x\"\nkind = \"text\"\n[commands.\"/hail\"]\n\
             description = \"x\"\nreply = \"x\"\n[commands.\"/hail\".options.why]\ndescription = \"x\"\n{more}"
        )
    };
    let of_event = "[events.member_joined]\nrun = \"/hail\"\n";
    let of_time = "[schedules.daily]\ncron = \"0 9 * * *\"\nrun = \"/hail\"\n";
    for (more, sends) in [("", 0), (of_event, 1), (of_time, 1), (&format!("{of_event}{of_time}"), 1)] {
        let given = Given { send_to: [candor_core::inbound::ChannelId(7)].into(), ..Given::default() };
        let checked = check_manifests(vec![Manifest { given, ..manifest("welcome-all", &module(more)) }]);
        assert_eq!(codes(&checked.diagnostics), [], "{more}");
        let services = &checked.accepted[1].services;
        assert_eq!(services.iter().filter(|&&service| service == ServiceName::Send).count(), sends, "{more}");
    }
}

#[test]
fn services_are_asked_for_once_and_those_that_the_code_needs_are_among_them() {
    let module = |services: &str| {
        let rest = "[commands.\"/board\"]\ndescription = \"x\"\nhandler = \"board\"\n";
        format!("[module]\nname = \"board\"\nsummary = \"x\"\nservices = [{services}]\n{rest}")
    };
    let checked = check_one("board", &module("\"records\", \"records\""));
    assert_eq!(codes(&checked.diagnostics), []);
    assert_eq!(checked.accepted[1].services, [ServiceName::Records]);
    assert_eq!(codes(&check_one("board", &module("\"time\"")).diagnostics), [Code::ServiceMissing]);

    let program = "[module]\nname = \"tools\"\nsummary = \"x\"\nkind = \"exec\"\nservices = [\"records\"]\n\
                   [run]\nprogram = \"x.sh\"\n[commands.\"/x\"]\ndescription = \"x\"\nprobe = {}\n";
    let checked = check_one("tools", program);
    let found: Vec<_> = checked.diagnostics.iter().map(|found| (found.code, found.help.as_str())).collect();
    assert_eq!(
        found,
        [(Code::KeyOfOtherKind, "take it out: of the services, a program reaches `send` and `http` alone")]
    );
}

#[test]
fn suggestions_for_an_option_that_no_handler_takes_are_told() {
    let native = NativeModule::new("clock", "").handler("now", |_: NoArguments, _| nothing()).complete(
        "now",
        "zone",
        async |_, _| Vec::new(),
    );
    let text =
        "[module]\nname = \"clock\"\nsummary = \"x\"\n[commands.\"/now\"]\ndescription = \"x\"\nhandler = \"now\"\n";
    let checked = check(builtin(), vec![native], vec![manifest("clock", text)]);
    assert_eq!(codes(&checked.diagnostics), [Code::AutocompleteMismatch]);
}

#[test]
fn code_without_handlers_is_told_to_add_one() {
    let text =
        "[module]\nname = \"bare\"\nsummary = \"x\"\n[commands.\"/now\"]\ndescription = \"x\"\nhandler = \"now\"\n";
    let checked = check(builtin(), vec![NativeModule::new("bare", "")], vec![manifest("bare", text)]);
    let helps: Vec<_> = checked.diagnostics.iter().map(|found| found.help.as_str()).collect();
    assert_eq!(helps, ["add `.handler(\"now\", …)` to the module's code"]);
}

#[test]
fn a_name_that_an_operator_gives_takes_none_from_a_module_that_declares_it() {
    let text = |name: &str, command: &str| {
        format!(
            "[module]\nname = \"{name}\"\nsummary = \"x\"\nkind = \"text\"\n[commands.\"{command}\"]\n\
             description = \"x\"\nreply = \"x\"\n"
        )
    };
    let mut given = Given::default();
    given.names.set("/first", &json!("/second")).unwrap();
    let renamed = Manifest { given: given.clone(), ..manifest("a", &text("a", "/first")) };
    let checked = check_manifests(vec![renamed, manifest("b", &text("b", "/second"))]);
    assert!(checked.diagnostics.has_errors());
    let registry = Registry::build(checked);
    let owner = registry.find(&CommandPath::new("second", None)).map(|(command, _)| command.owner.to_string());
    assert_eq!(owner.as_deref(), Some("b"));

    // A module that is compiled in is called otherwise in the same way.
    let weather = "[module]\nname = \"weather\"\nsummary = \"x\"\n[commands.\"/first\"]\ndescription = \"x\"\n\
                   handler = \"status\"\n";
    let registry = Registry::build(check_manifests(vec![Manifest { given, ..manifest("weather", weather) }]));
    assert!(registry.command("second").is_some() && registry.command("first").is_none());
}

#[test]
fn settings_are_declared_by_the_manifest_alone() {
    let text = "[settings.place]\ndescription = \"Where\"\n[settings.days]\ndescription = \"x\"\ntype = \"integer\"\n";
    let file = Arc::new(SourceFile { path: "module.toml".to_owned(), text: text.to_owned() });
    let names: Vec<_> = declared_settings(&file).into_iter().map(|spec| spec.name).collect();
    assert_eq!(names, ["place", "days"]);
}

#[test]
fn one_mistake_of_settings_is_told_once() {
    let module = |settings: &str| {
        format!(
            "[module]\nname = \"tuned\"\nsummary = \"x\"\n[commands.\"/tuned\"]\ndescription = \"x\"\n\
             handler = \"tuned\"\n{settings}"
        )
    };
    let cases: [(&str, &[Code]); 3] = [
        // The code reads `days` alone.
        ("[settings.hours]\ndescription = \"x\"\n", &[Code::SettingMismatch, Code::SettingMismatch]),
        ("[settings.days]\ndescription = \"x\"\nrequired = true\n", &[Code::SettingMissing]),
        (
            "[settings.days]\ndescription = \"x\"\ntype = \"integer\"\nmin = 0\nmax = 9\nrequired = true\n",
            &[Code::SettingMissing],
        ),
    ];
    for (settings, expected) in cases {
        assert_eq!(codes(&check_one("tuned", &module(settings)).diagnostics), expected, "{settings}");
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[expect(dead_code, reason = "only its shape is read")]
struct PlaceAndDays {
    place: String,
    days: u8,
}

#[test]
fn whether_code_can_read_what_administrators_set_is_asked_of_whole_settings_alone() {
    let module = |settings: &str| {
        format!(
            "[module]\nname = \"two\"\nsummary = \"x\"\n[commands.\"/two\"]\ndescription = \"x\"\n\
             handler = \"two\"\n{settings}"
        )
    };
    let place = "[settings.place]\ndescription = \"x\"\nper_server = true\ndefault = \"here\"\n";
    let days = "[settings.days]\ndescription = \"x\"\ntype = \"integer\"\nmin = 0\nmax = 9\n";
    let hours = days.replace("days", "hours");
    let cases: [(String, &[Code]); 4] = [
        (format!("{place}{days}default = 1\n"), &[]),
        (format!("{place}{days}required = true\n"), &[Code::SettingMissing]),
        (place.to_owned(), &[Code::SettingMismatch]),
        (format!("{place}{hours}default = 1\n"), &[Code::SettingMismatch, Code::SettingMismatch]),
    ];
    for (settings, expected) in cases {
        let native =
            NativeModule::new("two", "").handler("two", |_: NoArguments, _| nothing()).settings::<PlaceAndDays>();
        let checked = check(builtin(), vec![native], vec![manifest("two", &module(&settings))]);
        assert_eq!(codes(&checked.diagnostics), expected, "{settings}");
    }
}

#[test]
fn an_event_runs_a_command_that_there_is_and_a_faulty_one_is_told_as_such() {
    let module = |command: &str| {
        format!(
            "[module]\nname = \"tools\"\nsummary = \"x\"\nkind = \"text\"\n[commands.\"/hail\"]\n{command}\
             [events.member_joined]\nrun = \"/hail\"\n"
        )
    };
    // Where the command has a fault, that is told, and not that there is none to run.
    let checked = check_one("tools", &module("reply = \"x\"\n"));
    assert_eq!(codes(&checked.diagnostics), [Code::DescriptionMissing, Code::SendNowhere]);
    let weather = "[module]\nname = \"weather\"\nsummary = \"x\"\n[commands.\"/hail\"]\ndescription = \"x\"\n\
                   handler = \"hail\"\n[events.member_joined]\nrun = \"/hail\"\n";
    let found = codes(&check_one("weather", weather).diagnostics);
    assert!(found.contains(&Code::HandlerNotFound) && !found.contains(&Code::EventCommand), "{found:?}");
    let other = module("description = \"x\"\nreply = \"x\"\n").replace("run = \"/hail\"", "run = \"/hale\"");
    assert!(codes(&check_one("tools", &other).diagnostics).contains(&Code::EventCommand));
}

#[test]
fn tools_that_a_server_lists_are_taken_in_as_commands() {
    let tools = [("searchBooks", takes(json!({}), json!([]))), ("fetch", takes(json!({}), json!([])))];
    let run = |more: &str| of_server(&format!("tools = [\"searchBooks\", \"fetch\"]\n{more}"));
    let cases: [(&str, &[&str]); 3] = [
        ("", &["/search-books", "/fetch"]),
        ("model = true\n", &["/search-books tool", "/fetch tool"]),
        ("prefix = \"web\"\nmodel = true\n", &["/web search-books tool", "/web fetch tool"]),
    ];
    for (more, expected) in cases {
        let checked = with_tools(&run(more), &tools);
        assert_eq!(codes(&checked.diagnostics), [], "{more}");
        let shown = checked.accepted[1].commands.iter().flat_map(|command| command.described());
        let shown: Vec<_> = shown
            .map(|(leaf, words)| {
                let tool = words.strip_prefix("Does what ").unwrap().to_lowercase();
                assert!(leaf.path().to_string().replace('-', "").ends_with(&tool), "{words}");
                format!("{}{}", leaf.path(), if leaf.tool.is_some() { " tool" } else { "" })
            })
            .collect();
        assert_eq!(shown, expected, "{more}");
    }
    let find = "[commands.\"/find\"]\ndescription = \"Find\"\nhandler = \"fetch\"\n";
    let unused = with_tools(&of_server(&format!("prefix = \"web\"\nmodel = true\n{find}")), &tools);
    assert_eq!(codes(&unused.diagnostics), [Code::RunInvalid, Code::RunInvalid]);
}

#[test]
fn a_kind_that_there_is_not_is_told_with_the_nearest() {
    let text = "[module]\nname = \"tools\"\nsummary = \"x\"\nkind = \"exce\"\n";
    let checked = check_one("tools", text);
    let helps: Vec<_> = checked.diagnostics.iter().map(|found| (found.code, found.help.as_str())).collect();
    assert!(helps.contains(&(Code::ManifestValueInvalid, "did you mean `exec`?")), "{helps:?}");
}

#[test]
fn a_menu_of_a_text_module_is_about_whom_it_is_chosen_on() {
    for (kind, target) in [("user", "{user}: {user.mention}"), ("message", "{message}")] {
        let menu = format!("[menus.\"Greet\"]\ntype = \"{kind}\"\nreply = \"Hello {target}\"\n");
        let text = format!("[module]\nname = \"tools\"\nsummary = \"x\"\nkind = \"text\"\n{menu}");
        assert_eq!(codes(&check_one("tools", &text).diagnostics), [], "{kind}");
    }
}

/// What is started for a module of this kind with this in `[run]`.
fn spec(kind: &str, run: &str) -> Option<OutsideSpec> {
    let text = format!(
        "[module]\nname = \"tools\"\nsummary = \"x\"\nkind = \"{kind}\"\n[run]\n{run}\n\
         [commands.\"/x\"]\ndescription = \"x\"\nprobe = {{ n = 1 }}\n"
    );
    let file = Arc::new(SourceFile { path: "module.toml".to_owned(), text });
    OutsideSpec::of(&file, &Given::default())
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
    let open = spec("exec", "program = \"x\"\nsandbox = \"off\"\nports = [1, 65535]").unwrap();
    let RunStart::Program { is_confined, ports, .. } = open.run.start else { panic!("{open:?}") };
    assert_eq!((is_confined, ports), (false, vec![1, 65535]));
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
    let text = "[module]\nname = \"tools\"\nsummary = \"x\"\nkind = \"exec\"\n[run]\nprogram = \"x.sh\"\n\
                [commands.\"/x\"]\ndescription = \"x\"\n\
                [commands.\"/x\".subcommands.a]\ndescription = \"x\"\nprobe = {}\n\
                [commands.\"/x\".subcommands.b]\ndescription = \"x\"\nprobe = { n = 1 }\n\
                [commands.\"/y\"]\ndescription = \"x\"\nprobe = { n = 2 }\n";
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
        let checked = check_manifests(vec![Manifest { started: Some(started), ..manifest("tools", text) }]);
        let found: Vec<_> = checked.diagnostics.iter().collect();
        let [only] = found.as_slice() else { panic!("{shown}: {found:?}") };
        assert_eq!(only.code, code, "{shown}");
        let line = text.get(only.place.span.start..).and_then(|rest| rest.lines().next()).unwrap();
        assert!(line.ends_with(place), "{shown}: {line}");
        let registry = Registry::build(checked);
        assert_eq!(registry.quarantined().keys().map(String::as_str).collect::<Vec<_>>(), unavailable, "{shown}");
    }
}

#[test]
fn why_a_name_is_refused_is_said_by_the_first_reason() {
    let labels = |of_command: &str| {
        let text =
            format!("[module]\nname = \"tools\"\nsummary = \"x\"\nkind = \"text\"\n{of_command}\nreply = \"x\"\n");
        let checked = check_one("tools", &text);
        checked.diagnostics.iter().map(|found| found.place.label.clone()).collect::<Vec<_>>()
    };
    let command = |name: &str| labels(&format!("[commands.\"/{name}\"]\ndescription = \"x\""));
    let menu = |name: &str| labels(&format!("[menus.\"{name}\"]\ntype = \"user\""));
    let one_less = "n".repeat(limits::NAME_LENGTH_MAX - 1);
    let long = format!("{one_less}n");
    let none: [&str; 0] = [];
    for (found, expected) in [
        (command(&long), &none[..]),
        (command(&format!("{long}n")), &["33 characters, and Discord accepts 32"]),
        (command(&format!("{one_less}N")), &["a name is in lower case"]),
        (menu(&long), &none),
        (menu(&format!("{long}n")), &["33 characters, and Discord accepts 32"]),
        (menu(&format!("{one_less} ")), &["it begins or ends with white space"]),
        (menu("a\\nb"), &["it is not one line of plain text"]),
    ] {
        assert_eq!(found, expected);
    }
}
