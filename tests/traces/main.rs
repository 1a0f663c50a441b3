//! The traces of the real program, as a collector gets them: `cargo test --features otlp --test traces`.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up should stop there")]

mod collector;
mod protobuf;

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::json;

use collector::{Collector, Span, calls, says};

/// What people and the model say here. Nothing of it may leave in a trace.
const SECRETS: [&str; 5] = ["hedgehog", "walnut", "sandwich", "carousel", "sk-secret"];

/// Every attribute of a span. Another one is a decision about what leaves the process.
const ATTRIBUTES: [&str; 16] = [
    "candor.command.name",
    "candor.outcome",
    "candor.receipt.id",
    "candor.route",
    "candor.surface",
    "candor.turn.ending",
    "error.type",
    "gen_ai.agent.name",
    "gen_ai.operation.name",
    "gen_ai.provider.name",
    "gen_ai.request.model",
    "gen_ai.response.finish_reasons",
    "gen_ai.tool.name",
    "gen_ai.tool.type",
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.output_tokens",
];

/// A console in a folder of its own that answers these lines and exports to `collector`.
fn console(folder: &Path, collector: &str, more: &[(&str, &str)], lines: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_candor"));
    command.arg("console").args(lines.iter().flat_map(|line| ["-c", line])).current_dir(folder);
    let unset = std::env::vars_os().map(|(name, _)| name).filter(|name| {
        let name = name.to_string_lossy();
        name.starts_with("OTEL_") || name == "RUST_LOG"
    });
    for name in unset {
        command.env_remove(name);
    }
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", collector).envs(more.iter().copied()).output().unwrap()
}

#[test]
fn a_command_and_a_chat_turn_give_their_spans_and_no_content() {
    let collector = Collector::start(vec![calls("tasks_list", json!({})), says("Eat your sandwich on the carousel.")]);
    let folder = tempfile::tempdir().unwrap();
    let settings = format!(
        "[model]\nbase_url = \"{}/v1\"\nmodels = [\"llama\"]\ntools = \"native\"\nkey_file = \"model.key\"\n",
        collector.url()
    );
    std::fs::write(folder.path().join("config.toml"), settings).unwrap();
    std::fs::write(folder.path().join("model.key"), "sk-secret\n").unwrap();
    let lines = ["/tasks add title: hedgehog", "walnut? what is on my list?"];
    let output = console(folder.path(), &collector.url(), &[("OTEL_SERVICE_NAME", "the-bot")], &lines);
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("hedgehog") && said.contains("sandwich"), "{said}");

    let exported = collector.exported();
    assert_eq!(exported.service, "the-bot");
    let spans = exported.spans;
    let shape: Vec<_> = spans.iter().map(|span| (span.path(&spans), span.kind)).collect();
    let turn = "inbound chat > invoke_agent candor";
    for (path, kind) in [
        ("inbound command".to_owned(), Span::SERVER),
        ("inbound command > command /tasks add".to_owned(), Span::INTERNAL),
        ("inbound chat".to_owned(), Span::SERVER),
        (turn.to_owned(), Span::INTERNAL),
        (format!("{turn} > chat llama"), Span::CLIENT),
        (format!("{turn} > execute_tool tasks_list"), Span::INTERNAL),
        (format!("{turn} > execute_tool tasks_list > command /tasks list"), Span::INTERNAL),
    ] {
        assert!(shape.contains(&(path.clone(), kind)), "{path} is not in {shape:#?}");
    }
    assert_eq!(spans.len(), 8, "one more request to the model: {shape:#?}");

    let named = |name: &str| spans.iter().filter(|span| span.name == name).collect::<Vec<_>>();
    let command = named("command /tasks add")[0];
    assert_eq!(command.attribute("candor.command.name"), "/tasks add");
    assert_eq!(command.attribute("candor.outcome"), "done");
    assert!(said.contains(command.attribute("candor.receipt.id")), "{said}");
    let inbound = named("inbound chat")[0];
    assert_eq!((inbound.attribute("candor.route"), inbound.attribute("candor.surface")), ("chat", "console"));
    assert_eq!(named("invoke_agent candor")[0].attribute("candor.turn.ending"), "prose");
    assert_eq!(named("execute_tool tasks_list")[0].attribute("gen_ai.tool.name"), "tasks_list");
    let requests = named("chat llama");
    for (request, [reason, input, output]) in
        requests.iter().zip([["[tool_calls]", "100", "7"], ["[stop]", "120", "9"]])
    {
        for (name, value) in [
            ("gen_ai.operation.name", "chat"),
            ("gen_ai.provider.name", "openai"),
            ("gen_ai.request.model", "llama"),
            ("gen_ai.response.finish_reasons", reason),
            ("gen_ai.usage.input_tokens", input),
            ("gen_ai.usage.output_tokens", output),
        ] {
            assert_eq!(request.attribute(name), value, "{name} of {request:?}");
        }
    }

    for span in &spans {
        assert!(span.attributes.keys().all(|name| ATTRIBUTES.contains(&name.as_str())), "{span:?}");
        assert!(!span.has_more, "an event, a link or a description: {span:?}");
    }
    let bytes = String::from_utf8_lossy(&exported.bytes).into_owned();
    for secret in SECRETS {
        assert!(!bytes.contains(secret), "{secret} left the process");
    }
}

#[test]
fn what_failed_is_marked_as_an_error_by_its_kind() {
    let collector = Collector::start(Vec::new());
    let folder = tempfile::tempdir().unwrap();
    let settings =
        format!("[model]\nbase_url = \"{}/none\"\nmodels = [\"llama\"]\ntools = \"native\"\n", collector.url());
    std::fs::write(folder.path().join("config.toml"), settings).unwrap();
    let output = console(folder.path(), &collector.url(), &[], &["walnut?"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let spans = collector.exported().spans;
    let failed: BTreeSet<_> = spans.iter().filter(|span| span.is_error).map(|span| span.name.as_str()).collect();
    assert_eq!(failed, BTreeSet::from(["chat llama"]), "{spans:#?}");
    let request = spans.iter().find(|span| span.is_error).unwrap();
    assert!(
        !request.attribute("error.type").is_empty() && !request.attributes.contains_key("gen_ai.usage.input_tokens")
    );
}

#[test]
fn a_dead_collector_keeps_nobody_waiting() {
    // It takes connections and never answers.
    let dead = TcpListener::bind("127.0.0.1:0").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let began = Instant::now();
    let output = console(folder.path(), &format!("http://{}", dead.local_addr().unwrap()), &[], &["/status"]);
    assert!(output.status.success(), "{output:?}");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert!(String::from_utf8_lossy(&output.stderr).contains("the last traces were not exported"), "{output:?}");
}

#[test]
fn an_address_that_may_not_get_traces_is_told_and_the_bot_answers_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = "http://collector.example:4318";
    for (address, more, told) in [
        (elsewhere, &[][..], Some("OTEL_EXPORTER_OTLP_ENDPOINT is `http://` to another machine")),
        (
            "https://collector.example",
            &[("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", elsewhere)],
            Some("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is `http://` to another machine"),
        ),
        ("collector:4318", &[], Some("OTEL_EXPORTER_OTLP_ENDPOINT is not a web address")),
        ("https://me:SECRET@collector", &[], Some("OTEL_EXPORTER_OTLP_ENDPOINT holds a user name or a password")),
        (elsewhere, &[("OTEL_SDK_DISABLED", "true")], None),
        (elsewhere, &[("OTEL_TRACES_EXPORTER", "none")], None),
        ("", &[], None),
    ] {
        let output = console(folder.path(), address, more, &["/status"]);
        assert!(output.status.success(), "{output:?}");
        let log = String::from_utf8_lossy(&output.stderr);
        assert_eq!(log.contains("traces are not exported"), told.is_some(), "{address}: {log}");
        assert!(log.contains(told.unwrap_or_default()) && !log.contains("SECRET"), "{address}: {log}");
    }
}
