//! Which tools the shipped modules offer, read from their manifests by this test itself.

use std::collections::BTreeSet;
use std::path::Path;

use toml::{Table, Value};

/// The tools of the shipped modules.
pub(super) struct Tools(Vec<Tool>);

struct Tool {
    command: String,
    name: String,
    writes: bool,
}

impl Tools {
    pub(super) fn of_shipped_modules() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let manifests = std::fs::read_dir(root.join("modules")).unwrap();
        let manifests = manifests.map(|found| found.unwrap().path().join("module.toml"));
        let manifests = manifests.chain([root.join("src/engine/builtin/module.toml")]);
        let mut tools = Vec::new();
        for manifest in manifests.filter(|path| path.exists()) {
            let manifest: Table = std::fs::read_to_string(manifest).unwrap().parse().unwrap();
            for (name, command) in manifest["commands"].as_table().unwrap() {
                tools.extend(tool(name, command));
                for (subcommand, value) in command.get("subcommands").and_then(Value::as_table).into_iter().flatten() {
                    tools.extend(tool(&format!("{name} {subcommand}"), value));
                }
            }
        }
        Self(tools)
    }

    /// The commands that change something. All of them are allowed, and each waits for a person who is not there.
    pub(super) fn allowed_writes(&self) -> Vec<&str> {
        self.0.iter().filter(|tool| tool.writes).map(|tool| tool.command.as_str()).collect()
    }

    /// The names that every request must offer.
    pub(super) fn offered(&self) -> BTreeSet<&str> {
        self.0.iter().map(|tool| tool.name.as_str()).collect()
    }

    /// Whether this command was offered and needs nobody's Confirm.
    pub(super) fn may_run(&self, command: &str) -> bool {
        self.0.iter().any(|tool| tool.command == command && !tool.writes)
    }
}

fn tool(command: &str, value: &Value) -> Option<Tool> {
    let is = |key: &str| value.get(key).and_then(Value::as_bool) == Some(true);
    let name = value.get("tool_name").and_then(Value::as_str).map(str::to_owned);
    is("tool").then(|| Tool {
        command: command.to_owned(),
        name: name.unwrap_or_else(|| command.trim_start_matches('/').replace(' ', "_")),
        writes: is("writes"),
    })
}
