//! What modules may read over the web: what their manifests name, as far as the operator leaves it.

use std::path::Path;

use candor::app::{App, Sources, examine};
use serde_json::json;

use candor_core::agent::tools::Unattended;
use candor_core::contract::outside::Starting;
use candor_core::contract::{Call, CommandError, NativeModule, ServiceName};
use candor_core::diagnostic::Code;
use candor_core::guild::Rules;
use candor_core::inbound::{CallMethod, Caller, CommandType, EventId, Inbound, Interaction, Place, UserId};
use candor_core::registry::registration_table;
use candor_core::reply::Reply;

const NEWS: &str = r#"
[module]
name = "news"
summary = "Reads news"
services = ["http"]
http_hosts = ["*"]

[commands."/news"]
description = "Read news"
handler = "news"
"#;

const WEATHER: &str = r#"
[module]
name = "weather"
summary = "Reads the weather"
services = ["http"]
http_hosts = ["api.example.org", "api.example.net"]

[commands."/weather"]
description = "Read the weather"
handler = "weather"
"#;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Address {
    /// What to read
    address: String,
}

async fn read(Address { address }: Address, call: Call) -> Result<Reply, CommandError> {
    match call.services.http()?.get(&address).await {
        Ok(page) => Ok(Reply::text(page.status.to_string())),
        Err(problem) => Err(CommandError::tell(problem.told(call.caller.language))),
    }
}

fn modules() -> Vec<NativeModule> {
    let weather = NativeModule::new("weather", WEATHER).handler("weather", read).needs(ServiceName::Http);
    let news = NativeModule::new("news", NEWS).handler("news", read).needs(ServiceName::Http);
    candor_modules::all().into_iter().chain([weather, news]).collect()
}

fn config(folder: &Path, hosts: &str) -> std::path::PathBuf {
    let (config, store) = (folder.join("config.toml"), folder.join("candor.db"));
    std::fs::write(&config, format!("{hosts}\n[store]\npath = '{}'\n", store.display())).unwrap();
    config
}

#[tokio::test]
async fn the_operator_leaves_some_hosts_and_names_those_of_a_reader_of_feeds() {
    let named = "weather from api.example.net, api.example.org";
    for (hosts, weather, news) in [
        ("", named, "news from no host until [modules.http_hosts] names some"),
        ("news = [\"*\"]", named, "news from all public hosts"),
        ("news = [\"News.Example\"]\nweather = []", "weather from no host", "news from news.example"),
        ("weather = [\"api.example.org\"]", "weather from api.example.org", "news from no host until"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let config = config(folder.path(), &format!("[modules.http_hosts]\n{hosts}"));
        let sources = Sources { natives: modules, config: Some(&config), running: None };
        let examined = examine(sources, Starting::Serve).await;
        assert_eq!(examined.diagnostics.iter().count(), 0, "{hosts}: {:#?}", examined.diagnostics);
        let table = registration_table(&examined.registry.unwrap(), &examined.reach);
        let lines: Vec<_> = table.lines().filter_map(|line| line.strip_prefix("  reads over the web: ")).collect();
        assert!(lines.len() == 3 && lines[1].starts_with(news) && lines[2].starts_with(weather), "{hosts}: {table}");
    }
}

#[tokio::test]
async fn hosts_that_no_module_asks_for_are_found_by_the_check() {
    for (hosts, expected) in [
        ("wether = []", "`modules.http_hosts.wether` is for no module"),
        ("tasks = []", "the module `tasks` does not read over the web"),
        ("weather = [\"evil.example\"]", "the manifest of `weather` does not name the host `evil.example`"),
        ("weather = [\"*\"]", "the manifest of `weather` does not name the host `*`"),
        ("news = [\"10.0.0.1\"]", "`modules.http_hosts.news` takes hosts: it is an IP address"),
        ("news = [\"https://news.example/feed\"]", "`modules.http_hosts.news` takes hosts: a host's name alone"),
        ("news = \"*\"", "`modules.http_hosts.news`"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let config = config(folder.path(), &format!("[modules.http_hosts]\n{hosts}"));
        let sources = Sources { natives: modules, config: Some(&config), running: None };
        let examined = examine(sources, Starting::Serve).await;
        let found: Vec<_> = examined.diagnostics.iter().collect();
        let [problem] = found.as_slice() else { panic!("{hosts}: {found:#?}") };
        assert!(matches!(problem.code, Code::ConfigValueInvalid | Code::ConfigWrongType), "{hosts}: {problem:?}");
        assert!(problem.message.contains(expected) && !problem.help.is_empty(), "{hosts}: {problem:?}");
        assert!(examined.registry.is_none(), "{hosts}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_reads_from_no_host_beyond_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let config = config(folder.path(), "[modules.http_hosts]\nnews = [\"*\"]\nweather = [\"api.example.org\"]");
    let sources = Sources { natives: modules, config: Some(&config), running: None };
    let app = App::start(examine(sources, Starting::Serve).await, None).await.unwrap();
    let not_allowed = "The operator of this bot has not allowed it to read from that host.";
    let not_public = "That host is not on the public internet, so it is not read.";
    let not_an_address = "Only an `https` address of a host can be read, such as `https://example.org/feed.xml`.";
    for (n, (command, address, expected)) in (1..).zip([
        ("weather", "https://api.example.net/", not_allowed),
        ("weather", "https://localhost/", not_allowed),
        ("weather", "http://api.example.org/", not_an_address),
        ("news", "https://localhost/", not_public),
        ("news", "https://127.0.0.1/", not_an_address),
        ("news", "https://169.254.169.254/latest/meta-data/", not_an_address),
    ]) {
        let inbound = Inbound::Interaction(Interaction {
            id: EventId(n),
            caller: Caller::new(UserId(7), "ann"),
            place: Place::Console,
            method: CallMethod::Picked,
            command_type: CommandType::Slash,
            path: vec![command.to_owned()],
            arguments: json!({ "address": address }).as_object().cloned().unwrap(),
            target: None,
            sent: std::time::SystemTime::now(),
        });
        let answer = app.dispatcher.answer(&inbound, &Rules::default(), &Unattended).await;
        assert_eq!(answer.unwrap().reply.plain(), expected, "{command} {address}");
    }
    app.close().await;
}
