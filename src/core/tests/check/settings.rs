//! The settings: what is read, and what is refused.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::fixtures;
use candor_core::agent::{
    GuardSettings, ImageSetting, OfferedModel, OwnThreads, PlaceChat, ToolMode, ToolSetting, TurnLimits,
};
use candor_core::contract::Metric;
use candor_core::diagnostic::{Code, Diagnostics, SourceFile};
use candor_core::guild::GuildSetting;
use candor_core::inbound::{ChannelId, GuildId, UserId};
use candor_core::language::Language;
use candor_core::settings::{self, LogFormat, ModelApi, OnViolation, Settings, StoreSettings};

fn file(text: &str) -> Arc<SourceFile> {
    Arc::new(SourceFile { path: "config.toml".to_owned(), text: text.to_owned() })
}

pub(super) fn read(text: &str) -> Result<Settings, Diagnostics> {
    settings::read(&file(text))
}

pub(super) fn codes(text: &str) -> Vec<Code> {
    read(text).err().map(|found| found.iter().map(|problem| problem.code).collect()).unwrap_or_default()
}

/// Every problem with its place, the text it is about, and the line it is on as it would be shown.
pub(super) fn told(found: &Diagnostics) -> String {
    let mut told = String::new();
    for problem in found.iter() {
        let file = &problem.place.file;
        let at = file.position(problem.place.span.start);
        let offending = file.text.get(problem.place.span.clone()).expect("a span of the file");
        let line = file.text.lines().nth(at.line - 1).unwrap_or_default();
        let (code, severity, path) = (problem.code, problem.severity().name(), &file.path);
        writeln!(told, "{severity}[{code}] {path}:{}:{} {offending:?}", at.line, at.column).unwrap();
        writeln!(told, "  | {line}\n  {}\n  help: {}\n", problem.message, problem.help).unwrap();
    }
    told
}

#[test]
fn the_store_is_in_a_file_or_in_a_database_and_files_are_beside_it() {
    let cases = [
        ("", StoreSettings::File("data/candor.db".into()), "data"),
        ("[store]\npath = \"x/y.db\"", StoreSettings::File("x/y.db".into()), "x"),
        ("[store]\npath = \"y.db\"", StoreSettings::File("y.db".into()), "."),
        ("[store]\nurl_file = \"/run/url\"", StoreSettings::Server("/run/url".into()), "data"),
    ];
    for (text, expected, data_folder) in cases {
        let store = read(text).unwrap().store;
        assert_eq!((store.data_folder().to_str(), &store), (Some(data_folder), &expected), "{text}");
    }
}

#[test]
fn an_empty_file_means_the_defaults() {
    assert_eq!(read(""), Ok(Settings::default()));
    assert_eq!(read("\u{feff}# only a comment\r\n"), Ok(Settings::default()));
}

#[test]
fn a_secret_goes_to_another_machine_encrypted_or_by_the_operators_word() {
    let model = |url: &str, more: &str| format!("[model]\nbase_url = \"{url}\"\nmodels = [\"m\"]\n{more}\n");
    let key = "key_file = \"key\"";
    let cases = [
        (model("http://10.0.0.7/v1", key), false),
        (model("https://10.0.0.7/v1", key), true),
        (model("http://127.0.0.1/v1", key), true),
        (model("http://10.0.0.7/v1", ""), true),
        (model("http://10.0.0.7/v1", &format!("{key}\ninsecure = true")), true),
        ("discord.proxy = \"http://proxy:3000\"".to_owned(), false),
        ("discord.proxy = \"http://localhost:3000\"".to_owned(), true),
        ("discord = { proxy = \"http://proxy:3000\", insecure = true }".to_owned(), true),
    ];
    for (text, fits) in cases {
        let expected = if fits { Vec::new() } else { vec![Code::ConfigValueInvalid] };
        assert_eq!(codes(&text), expected, "{text}");
    }
}

#[test]
fn every_setting_reaches_its_place() {
    let settings = read(
        r#"
        modules = { path = "my modules", disabled = ["tasks"], on_violation = "quarantine" }
        store.path = "/var/lib/candor/store.db"
        commands.deadline_s = 840
        commands.tell_after_s = 5
        chat.fallbacks = ["more/third", "large"]
        access.operators = [80351110224678912, "80351110224678913"]
        access.blocked = [80351110224678914]
        log.format = "json"
        language.default = "de"
        admin = { listen = "[::]:80", hosts = ["candor", "candor.example"], page = true, page_token_file = "page.token" }
        discord.proxy = "http://10.0.0.7:3000/api"
        discord.insecure = true
        discord.guild = "80351110224678914"
        host_metrics = { enabled = false, interval_s = 3600 }
        chat.name = "Ada"
        chat.system = "Be brief."
        chat.history = 0
        chat.summaries = true
        chat.thread = true
        chat.channels = ["30", 20, 30]
        chat.own_threads = "all"
        chat.write_tools = ["/tasks add", " /files  write ", "/tasks add"]
        chat.confirm_s = 600
        chat.server_settings = ["persona", "chat", "persona"]
        chat.limits = { steps = 1, calls_per_step = 2, time_s = 840, corrections_per_name = 0, corrections = 64, result_bytes = 256 }
        [chat.places.5]
        system = "Of {server}."
        model = "large"
        tools = ["/status"]
        history = 7
        summaries = false
        language = "de"
        [chat.places."6"]
        tools = []
        [guard]
        tool_text = false
        made_up_results = false
        [status]
        file = "live.json"
        stale_after_s = 1
        generated_at = "at"
        sample_s = 5
        live_every_s = 300
        live_channels = ["80351110224678930", 80351110224678920, 80351110224678930]
        [model]
        base_url = "https://example.org/v1"
        models = ["small", "large"]
        key_file = "/run/secrets/model"
        first_token_s = 600
        stall_s = 120
        max_tokens = 1_000_000
        context_tokens = 4_000_000
        tools = "text"
        images = true
        temperature = 0.5
        top_p = 1
        [models.more]
        base_url = "https://example.com/v1"
        models = ["third"]
        context_tokens = 1024
        images = "auto"
        api = "messages"
        key_header = "Api-Key"
        headers = { X-Title = "Candor" }
        body = { reasoning = { effort = "low" }, stop = ["a", 1, true] }
        proxy = "http://proxy:3128"
        "#,
    )
    .unwrap();

    let here = &settings.chat.places[&5];
    assert_eq!(
        (here.system.as_deref(), here.model.as_deref(), here.history, here.summaries),
        (Some("Of {server}."), Some("large"), Some(7), Some(false))
    );
    assert_eq!((here.tools.as_ref().map(BTreeSet::len), here.language.map(Language::tag)), (Some(1), Some("de")));
    let none = PlaceChat { tools: Some(BTreeSet::new()), ..PlaceChat::default() };
    assert_eq!((&settings.chat.places[&6], settings.chat.places.len()), (&none, 2));
    assert_eq!(settings.modules.path, Some(PathBuf::from("my modules")));
    assert_eq!(settings.modules.disabled, ["tasks"]);
    assert_eq!(settings.modules.on_violation, OnViolation::Quarantine);
    assert_eq!(settings.store, StoreSettings::File(PathBuf::from("/var/lib/candor/store.db")));
    assert_eq!(settings.command_deadline, Duration::from_secs(840));
    assert_eq!(settings.access.operators, [UserId(80351110224678912), UserId(80351110224678913)].into());
    assert_eq!(settings.access.blocked, [UserId(80351110224678914)].into());
    assert_eq!(settings.status.file, PathBuf::from("live.json"));
    assert_eq!(settings.status.presentation.stale_after, Duration::from_secs(1));
    assert_eq!(settings.status.presentation.generated_at, "at");
    assert_eq!(settings.status.sample_every, Duration::from_secs(5));
    assert_eq!(settings.status.live.every, Duration::from_secs(300));
    assert_eq!(settings.status.live.channels, [80351110224678920, 80351110224678930].map(ChannelId));
    assert!(!settings.host_metrics.enabled);
    assert_eq!(settings.host_metrics.interval, Duration::from_secs(3600));
    assert_eq!((settings.chat.name.as_str(), settings.chat.system.as_str()), ("Ada", "Be brief."));
    assert_eq!((settings.chat.history, settings.chat.summaries, settings.chat.thread), (0, true, true));
    assert_eq!(settings.chat.channels, [ChannelId(20), ChannelId(30)]);
    assert_eq!(settings.chat.own_threads, Some(OwnThreads::All));
    assert_eq!(settings.chat.write_tools, Some(["/files write".to_owned(), "/tasks add".to_owned()].into()));
    assert_eq!(settings.chat.guild_settings, [GuildSetting::Chat, GuildSetting::Persona].into());
    assert_eq!(settings.chat.confirm_within, Duration::from_secs(600));
    let limits = TurnLimits {
        steps: 1,
        calls_per_step: 2,
        time: Duration::from_secs(840),
        corrections_per_name: 0,
        corrections: 64,
        result_bytes: 256,
    };
    assert_eq!(settings.chat.limits, limits);
    let guard = GuardSettings { tool_text: false, made_up_results: false };
    assert_eq!(settings.chat.guard, guard);
    let offered = |name: &str| OfferedModel {
        name: name.to_owned(),
        tools: ToolSetting::Fixed(ToolMode::Text),
        images: ImageSetting::Fixed(true),
        context_tokens: 4_000_000,
        answer_tokens: 1_000_000,
    };
    let more = OfferedModel { context_tokens: 1_024, ..OfferedModel::named("more/third") };
    assert_eq!(settings.chat.models, [offered("small"), offered("large"), more]);
    assert_eq!(settings.chat.fallbacks, ["more/third", "large"]);
    assert_eq!(settings.discord.guild, Some(GuildId(80_351_110_224_678_914)));
    assert_eq!(settings.discord.proxy.unwrap().as_str(), "http://10.0.0.7:3000/api");
    assert!(settings.discord.insecure);
    assert_eq!(settings.admin.hosts, ["candor", "candor.example"]);
    assert_eq!(settings.admin.listen, "[::]:80".parse().ok());
    assert_eq!((settings.admin.page, settings.admin.page_token_file), (true, Some(PathBuf::from("page.token"))));
    assert_eq!(settings.log_format, LogFormat::Json);
    assert_eq!(settings.language.tag(), "de");

    let [model, more] = settings.model_servers.as_slice() else { panic!("{:?}", settings.model_servers) };
    assert_eq!(model.base_url.as_str(), "https://example.org/v1/");
    assert_eq!(model.models, ["small", "large"]);
    assert_eq!((model.api, more.api), (ModelApi::Chat, ModelApi::Messages));
    assert_eq!(model.key_file, Some(PathBuf::from("/run/secrets/model")));
    assert_eq!((model.first_token, model.stall), (Duration::from_secs(600), Duration::from_secs(120)));
    assert_eq!(model.max_tokens, Some(1_000_000));
    assert_eq!(serde_json::Value::from(model.body.clone()), serde_json::json!({"temperature": 0.5, "top_p": 1.0}));
    assert_eq!(
        (more.key_header.as_deref(), more.proxy.as_ref().map(|proxy| proxy.as_str())),
        (Some("api-key"), Some("http://proxy:3128/"))
    );
    assert_eq!(more.headers, [("x-title".to_owned(), "Candor".to_owned())].into());
    assert_eq!(
        serde_json::Value::from(more.body.clone()),
        serde_json::json!({"reasoning": {"effort": "low"}, "stop": ["a", 1, true]})
    );
}

#[test]
fn whoever_names_a_metrics_file_writes_it_unless_they_say_otherwise() {
    let enabled = |text: &str| read(text).unwrap().host_metrics.enabled;
    let file = "status.file = 'live.json'\n";
    assert!(enabled(""));
    assert!(!enabled(file));
    assert!(!enabled(&format!("host_metrics.interval_s = 9\n{file}")));
    assert!(enabled(&format!("host_metrics.enabled = true\n{file}")));
}

#[test]
fn a_file_is_not_named_like_a_folder() {
    let model = "model = { base_url = 'http://127.0.0.1', models = ['small'], key_file = 'PATH' }";
    for setting in ["store.path = 'PATH'", "status.file = 'PATH'", model] {
        for path in ["data/", "/", "..", "data/.."] {
            assert_eq!(codes(&setting.replace("PATH", path)), [Code::ConfigValueInvalid], "{setting}: {path}");
        }
        assert_eq!(codes(&setting.replace("PATH", "data")), []);
    }
}

#[test]
fn every_way_to_call_tools_has_its_word() {
    for tools in ToolSetting::ALL {
        let text = format!("{}\ntools = '{}'", with_base_url("http://127.0.0.1"), tools.name());
        assert_eq!(read(&text).unwrap().chat.models[0].tools, tools);
    }
}

#[test]
fn a_write_tool_is_written_as_people_type_it() {
    for command in ["/tasks add", "/files-2 write_all", "/größe"] {
        assert_eq!(codes(&format!("chat.write_tools = ['{command}']")), [], "{command}");
    }
    let refused = [
        ("tasks add", "write `/tasks add`"),
        ("//tasks add", "write `/tasks add`"),
        ("/ tasks add", "write `/tasks add`"),
        ("", "write a command as people type it, such as `/tasks add`, or take it out"),
        ("/", "write a command as people type it, such as `/tasks add`, or take it out"),
        ("/tasks add: x", "write a command as people type it, such as `/tasks add`, or take it out"),
        ("/https://ada:lovelace@h", "write a command as people type it, such as `/tasks add`, or take it out"),
    ];
    for (command, help) in refused {
        let found = read(&format!("chat.write_tools = ['{command}']")).unwrap_err();
        let told: Vec<_> = found.iter().map(|problem| (problem.message.as_str(), problem.help.as_str())).collect();
        assert_eq!(told, [("`chat.write_tools` takes commands, and this is not one", help)], "{command}");
    }
}

#[test]
fn a_setting_that_is_gone_is_told_with_what_takes_its_place() {
    let model = with_base_url("http://127.0.0.1");
    let gone = [(
        "model.timeout_s",
        "write `first_token_s`, how long to wait for the first word; `time_s` in [chat.limits] is the time from there \
             on",
    )];
    for (setting, help) in gone {
        let (section, key) = setting.split_once('.').unwrap();
        let begin = if section == "model" { model.clone() } else { format!("[{section}]\ntool_text = true") };
        let found = read(&format!("{begin}\n{key} = 60")).unwrap_err();
        let told: Vec<_> =
            found.iter().map(|problem| (problem.code, problem.message.as_str(), &*problem.help)).collect();
        let message = format!("`{setting}` is no longer a setting");
        assert_eq!(told, [(Code::ConfigUnknownKey, message.as_str(), help)]);
    }
}

#[test]
fn a_server_is_named_by_its_id() {
    for setting in ["'5'", "5"] {
        assert_eq!(read(&format!("discord.guild = {setting}")).unwrap().discord.guild, Some(GuildId(5)), "{setting}");
    }
    for (setting, code) in [
        ("'0'", Code::ConfigValueInvalid),
        ("'+5'", Code::ConfigValueInvalid),
        ("-5", Code::ConfigValueInvalid),
        ("true", Code::ConfigWrongType),
    ] {
        assert_eq!(codes(&format!("discord.guild = {setting}")), [code], "{setting}");
    }
    let found = read("discord.guild = 'my server'").unwrap_err();
    let told: Vec<_> = found.iter().map(|problem| (problem.message.as_str(), problem.help.as_str())).collect();
    let help =
        "an id is digits only: turn on Developer Mode in Discord, right-click the server, choose `Copy Server ID`";
    assert_eq!(told, [("`discord.guild` takes the ids of servers, but this is not an id", help)]);
}

#[test]
fn commands_are_registered_in_one_server_alone_or_everywhere() {
    for (text, told) in [("", None), ("discord.guild = '5'", Some("in the server 5 alone"))] {
        assert_eq!(read(text).unwrap().discord.where_registered().as_deref(), told, "{text}");
    }
    let gone = read("discord.register = 'servers'").unwrap_err();
    let told: Vec<_> = gone.iter().map(|problem| (problem.code, problem.message.as_str())).collect();
    assert_eq!(told, [(Code::ConfigUnknownKey, "`discord.register` is no longer a setting")]);
    assert!(gone.iter().all(|problem| problem.help.contains("Server Settings → Integrations")));
}

#[test]
fn off_closes_the_operators_port() {
    assert_eq!(read("admin.listen = 'off'").unwrap().admin.listen, None);
}

/// A page without a token is for this machine alone.
#[test]
fn the_operators_page_is_not_open_to_others() {
    let is_open = ["127.0.0.1:1", "127.9.9.9:9180", "[::1]:9180"];
    for listen in is_open {
        assert_eq!(codes(&format!("admin = {{ listen = '{listen}', page = true }}")), [], "{listen}");
    }
    let refused = ["0.0.0.0:9180", "10.0.0.7:9180", "[::]:9180", "[::ffff:127.0.0.1]:9180", "off"];
    for listen in refused {
        let found = codes(&format!("admin = {{ listen = '{listen}', page = true }}"));
        assert_eq!(found, [Code::ConfigValueInvalid], "{listen}");
        assert_eq!(codes(&format!("admin = {{ listen = '{listen}', page = false }}")), [], "{listen}");
    }
    let with_token = |listen| format!("admin = {{ listen = '{listen}', page = true, page_token_file = 'page.token' }}");
    assert_eq!(codes(&with_token("0.0.0.0:9180")), []);
    assert_eq!(codes(&with_token("off")), [Code::ConfigValueInvalid]);
    assert_eq!(codes("admin.page = true"), []);
}

#[test]
fn a_metric_is_the_same_quoted_or_not() {
    let forms = [
        "[status.metrics.\"cpu.usage_percent\"]\nlabel = 'CPU'\nunit = '%'",
        "[status.metrics.cpu.usage_percent]\nlabel = 'CPU'\nunit = '%'",
        "[status.metrics]\ncpu.usage_percent = { label = 'CPU', unit = '%' }",
        "[status]\nmetrics.cpu = { usage_percent.label = 'CPU', usage_percent.unit = '%' }",
    ];
    let metric = Metric { label: Some("CPU".to_owned()), unit: Some("%".to_owned()), ..Metric::default() };
    for form in forms {
        let metrics = read(form).unwrap().status.presentation.metrics;
        assert_eq!(metrics, BTreeMap::from([("cpu.usage_percent".to_owned(), metric.clone())]), "{form}");
    }
}

#[test]
fn thresholds_are_a_few_numbers_from_low_to_high() {
    let cases: [(&str, Option<&[f64]>); 9] = [
        ("[95, 80.5, 95]", Some(&[80.5, 95.0])),
        ("[]", Some(&[])),
        ("[-1]", Some(&[-1.0])),
        ("[1, 2, 3, 4, 5, 6, 7, 8]", Some(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])),
        ("[1, 2, 3, 4, 5, 6, 7, 8, 9]", None),
        ("80", None),
        ("['80']", None),
        ("[nan]", None),
        ("[inf]", None),
    ];
    for (written, expected) in cases {
        let text = format!("[status.metrics.cpu]\nthresholds = {written}");
        match expected {
            Some(expected) => {
                assert_eq!(read(&text).unwrap().status.presentation.metrics["cpu"].thresholds, expected, "{written}");
            }
            None => assert_eq!(codes(&text), [Code::ConfigValueInvalid], "{written}"),
        }
    }
}

#[test]
fn metrics_may_be_called_like_settings_and_secrets() {
    let metrics = |text| read(text).unwrap().status.presentation.metrics.into_keys().collect::<Vec<_>>();
    assert_eq!(metrics("[status.metrics.gpu.label]\nlabel = 'Sticker'"), ["gpu.label"]);
    assert_eq!(metrics("[status.metrics.used.token]\nlabel = 'Tokens'"), ["used.token"]);
    assert_eq!(metrics("[status.metrics.uptime]"), ["uptime"]);
}

#[test]
fn problems_are_told_all_at_once_in_the_order_of_the_file() {
    let codes = ["config-syntax", "config-unknown-key", "config-wrong-type", "config-value-invalid"];
    for code in codes.into_iter().chain(["config-contradiction"]) {
        let text = fs::read_to_string(fixtures().join(code).join("config.toml")).unwrap();
        let found = settings::read_leniently(&file(&text)).problems;
        assert!(found.iter().any(|problem| problem.code.name() == code), "{code}: {found:?}");
        insta::assert_snapshot!(code, told(&found));
    }
}

/// Every number, with the smallest and the largest that is taken.
pub(super) const NUMBERS: [(&str, i64, i64); 33] = [
    ("store.keep.receipts_days", 1, 3_650),
    ("store.keep.refreshes_days", 1, 3_650),
    ("store.keep.conversations_days", 1, 3_650),
    ("store.keep.turns_days", 1, 3_650),
    ("store.keep.answers_days", 1, 3_650),
    ("store.keep.samples_days", 1, 3_650),
    ("store.keep.workspaces_mib", 16, 1_048_576),
    ("commands.deadline_s", 1, 3_600),
    ("commands.tell_after_s", 1, 840),
    ("status.stale_after_s", 1, 86_400),
    ("status.sample_s", 5, 300),
    ("status.live_every_s", 1, 300),
    ("host_metrics.interval_s", 1, 3_600),
    ("model.first_token_s", 1, 600),
    ("model.stall_s", 1, 600),
    ("model.max_tokens", 1, 1_000_000),
    ("model.context_tokens", 1_024, 4_000_000),
    ("chat.history", 0, 200),
    ("chat.confirm_s", 5, 600),
    ("chat.limits.steps", 1, 32),
    ("chat.limits.calls_per_step", 1, 16),
    ("chat.limits.time_s", 5, 840),
    ("chat.limits.corrections_per_name", 0, 16),
    ("chat.limits.corrections", 0, 64),
    ("chat.limits.result_bytes", 256, 1_048_576),
    ("chat.budget.person_tokens", 1, 1_000_000_000_000),
    ("chat.budget.person_turns", 1, 1_000_000_000),
    ("chat.budget.guild_tokens", 1, 1_000_000_000_000),
    ("chat.budget.guild_turns", 1, 1_000_000_000),
    ("chat.budget.bot_tokens", 1, 1_000_000_000_000),
    ("chat.budget.bot_turns", 1, 1_000_000_000),
    ("chat.places.1.day_tokens", 1, 1_000_000_000_000),
    ("chat.places.1.day_turns", 1, 1_000_000_000),
];

pub(super) fn with_number(key: &str, number: i64) -> String {
    let model = "model.base_url = 'http://127.0.0.1/v1'\nmodel.models = ['small']";
    format!("{model}\n{key} = {number}")
}

#[test]
fn numbers_are_taken_within_their_range() {
    for (key, first, last) in NUMBERS {
        for number in [first, last] {
            assert_eq!(codes(&with_number(key, number)), [], "{key} = {number}");
        }
        for number in [first - 1, last + 1, i64::MIN, i64::MAX] {
            assert_eq!(codes(&with_number(key, number)), [Code::ConfigValueInvalid], "{key} = {number}");
        }
    }
}

#[test]
fn addresses_are_web_addresses_without_secrets() {
    let accepted = [
        ("http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1/"),
        ("http://127.0.0.1:11434/v1/", "http://127.0.0.1:11434/v1/"),
        ("https://example.org", "https://example.org/"),
        ("  HTTPS://Example.org/api//  ", "https://example.org/api/"),
    ];
    for (written, expected) in accepted {
        let servers = read(&with_base_url(written)).unwrap().model_servers;
        assert_eq!(servers[0].base_url.as_str(), expected, "{written}");
    }
    let refused = [
        "",
        "127.0.0.1:11434/v1",
        "localhost:11434",
        "ftp://example.org",
        "file:///v1",
        "http://",
        "http://ada@example.org",
        "http://ada:lovelace@example.org",
        "http://example.org/v1?version=2",
        "http://example.org/v1#top",
        "http://example.org/v1/chat/completions/",
        "http://example.org/v1/messages",
        "http://example.org/v1/responses",
    ];
    for written in refused {
        assert_eq!(codes(&with_base_url(written)), [Code::ConfigValueInvalid], "{written}");
    }
}

pub(super) fn with_base_url(base_url: &str) -> String {
    format!("[model]\nbase_url = '{base_url}'\nmodels = ['small']")
}

#[test]
fn what_is_different_in_a_place_is_checked() {
    let table = "`[chat.places]` holds a table for each id, and";
    let cases = [
        ("'x'", "", format!("{table} `x` is not one")),
        ("0", "", format!("{table} `0` is not one")),
        ("5", "model = 'huge'", "`huge` is not one of the models".to_owned()),
        ("5", "history = 201", "`chat.places.5.history` cannot be 201".to_owned()),
        ("5", "language = 'xx'", "`chat.places.5.language` is not a language that this bot speaks".to_owned()),
        ("5", "tools = ['status']", "`chat.places.5.tools` takes commands, and this is not one".to_owned()),
        ("5", "time_zone = 'Berlin'", "`chat.places.5.time_zone` is not a known time zone".to_owned()),
        ("5", "topic = 'x'", "unknown key `topic` in `[chat.places.5]`".to_owned()),
    ];
    for (id, body, expected) in cases {
        let text = format!("[model]\nbase_url = 'http://127.0.0.1/v1'\nmodels = ['small']\n[chat.places.{id}]\n{body}");
        let found = read(&text).unwrap_err();
        assert_eq!(found.iter().map(|problem| &problem.message).collect::<Vec<_>>(), [&expected], "{text}");
    }
    let near = read("chat.time_zone = 'Berlin'").unwrap_err();
    assert_eq!(near.iter().next().unwrap().help, "did you mean `Europe/Berlin`?");
    let persona = |length: usize| format!("[chat.places.5]\nsystem = '{}'", "é".repeat(length / 2));
    assert_eq!(codes(&persona(32 * 1024)), []);
    assert_eq!(codes(&persona(100 * 1024)), [Code::ConfigValueInvalid]);
    assert_eq!(codes("chat.places.5 = 1"), [Code::ConfigValueInvalid]);
}

#[test]
fn a_model_needs_an_address_and_a_name() {
    assert_eq!(codes("[model]"), [Code::ConfigValueInvalid, Code::ConfigValueInvalid]);
    assert_eq!(codes("model.base_url = 'http://127.0.0.1'"), [Code::ConfigValueInvalid]);
    assert_eq!(codes("model = { base_url = 'http://127.0.0.1', models = [] }"), [Code::ConfigValueInvalid]);
    let name = |length: usize| format!("[model]\nbase_url = 'http://127.0.0.1'\nmodels = ['{}']", "é".repeat(length));
    assert_eq!(codes(&name(100)), []);
    assert_eq!(codes(&name(101)), [Code::ConfigValueInvalid]);
}

#[test]
fn what_a_server_of_models_may_not_have_is_refused() {
    let written = "is written by the bot";
    let cases = [
        ("[models.cloud]\nbase_url = 'http://127.0.0.1'\nmodels = ['x']", "needs `[model]`"),
        ("[model]\nMODEL\nimages = 'maybe'", "`model.images` takes true, false or \"auto\", but this is text"),
        ("[model]\nMODEL\nheaders = { Authorization = 'x' }", "`Authorization` cannot be set here"),
        ("[model]\nMODEL\nheaders = { 'X Title' = 'x' }", "`X Title` cannot be set here"),
        ("[model]\nMODEL\nheaders = { X-Title = \"a\\nb\" }", "holds more than visible ASCII"),
        ("[model]\nMODEL\nheaders = { X-Title = 5 }", "takes text in quotes"),
        ("[model]\nMODEL\nbody = { messages = [] }", written),
        ("[model]\nMODEL\nbody = { stream = false }", written),
        ("[model]\nMODEL\napi = 'messages'\nbody = { system = 'x' }", written),
        ("[model]\nMODEL\napi = 'responses'\nbody = { store = true }", written),
        ("[model]\nMODEL\napi = 'claude'", "`model.api` must be one of `chat`, `responses`, `messages`"),
        ("[model]\nMODEL\nbody = { at = 2026-01-01 }", "holds what JSON cannot"),
        ("[model]\nMODEL\nkey_header = 'api key'", "is not the name of a header"),
        ("[model]\nMODEL\ntemperature = 2.5", "`model.temperature` cannot be 2.5"),
        ("[model]\nMODEL\ntop_p = -1", "`model.top_p` cannot be -1"),
        ("[model]\nMODEL\n[models.Cloud]\nMODEL", "a server's name has 1 to 32 characters"),
        ("[model]\nMODEL\n[models]\ncloud = 1", "holds a table for each server"),
        ("[model]\nbase_url = 'http://127.0.0.1'\nmodels = ['a/x']\n[models.a]\nMODEL", "choose as `a/x`"),
        ("[model]\nMODEL\n[chat]\nfallbacks = ['y']", "`y` is not one of the models"),
    ];
    for (text, expected) in cases {
        let text = text.replace("MODEL", "base_url = 'http://127.0.0.1'\nmodels = ['x']");
        let found = read(&text).unwrap_err();
        let messages: Vec<_> = found.iter().map(|problem| problem.message.as_str()).collect();
        assert!(messages.iter().any(|message| message.contains(expected)), "{text}: {messages:?}");
    }
}
