//! The README's tables of routes and rules, and its scenario, agree with the code.

use std::collections::BTreeSet;
use std::path::Path;

use discord_twin::{APPLICATION_ID, CHANNEL_ID, GUILD_ID, Scenario, Twin};
use reqwest::Method;
use serde_json::Value;

use crate::{Tested, verdict};

const README: &str = include_str!("../../README.md");

/// The rows of all tables in a section, as cells without backticks.
fn rows(section: &str) -> Vec<Vec<String>> {
    let (_, after) = README.split_once(&format!("\n## {section}\n")).unwrap_or_default();
    let (section, _) = after.split_once("\n## ").unwrap_or((after, ""));
    let rows = section.lines().filter_map(|line| line.strip_prefix('|')?.strip_suffix('|'));
    rows.map(|row| row.split('|').map(|cell| cell.trim().replace('`', "")).collect()).collect()
}

/// The source code of these files of `src`, and of all files in these folders and below, without their tests.
fn source(paths: &[&str]) -> std::io::Result<String> {
    let mut text = String::new();
    let mut waiting: Vec<_> =
        paths.iter().map(|path| Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(path)).collect();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            for entry in std::fs::read_dir(&path)? {
                waiting.push(entry?.path());
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            let code = std::fs::read_to_string(path)?;
            text.push_str(code.split("#[cfg(test)]").next().unwrap_or_default());
        }
    }
    Ok(text)
}

#[tokio::test]
async fn every_listed_route_is_served() -> Tested {
    let twin = Twin::start().await?;
    let routes = rows("Routes");
    assert!(routes.len() > 25, "{routes:?}");
    for row in routes.iter().filter(|row| row[1].starts_with('/')) {
        let path = row[1].replace("{application}", &APPLICATION_ID.to_string());
        let path = path.replace("{guild}", &GUILD_ID.to_string()).replace("{channel}", &CHANNEL_ID.to_string());
        let path = path.replace(['{', '}'], "");
        let answer = verdict(&twin, Method::from_bytes(row[0].as_bytes())?, &path, &Value::Null).await?;
        // An unknown route is a 404 without a code of its own.
        assert_ne!(answer, (404, Some(0)), "{row:?}");
    }
    Ok(())
}

#[test]
fn every_error_code_is_listed() -> Tested {
    let code = source(&["limits", "rest"])?;
    let refusals = code.split("Refusal::new(").skip(1).filter_map(|call| {
        let mut arguments = call.split(", ");
        Some((arguments.next()?.parse().ok()?, arguments.next()?.parse().ok()?))
    });
    let used: BTreeSet<(u16, u32)> = refusals.filter(|(_, code)| *code != 0).collect();
    let listed = rows("Rules").into_iter().filter_map(|row| Some((row[0].parse().ok()?, row[1].parse().ok()?)));
    assert_eq!(listed.collect::<BTreeSet<_>>(), used);
    Ok(())
}

#[test]
fn every_inner_code_is_listed() -> Tested {
    let code = source(&["limits", "rest"])?;
    let is_inner_code = |text: &&str| {
        text.contains('_') && text.chars().all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || it == '_')
    };
    let used: BTreeSet<&str> = code.split('"').filter(is_inner_code).collect();
    let rules = rows("Rules");
    let words = rules.iter().flat_map(|row| row[1].split(", "));
    assert_eq!(words.filter(is_inner_code).collect::<BTreeSet<_>>(), used);
    Ok(())
}

#[test]
fn every_close_code_is_listed() -> Tested {
    let code = source(&["gateway"])?;
    let numbers = code.split(|it: char| !it.is_ascii_alphanumeric()).filter_map(|word| word.parse().ok());
    let used: BTreeSet<u16> = numbers.filter(|number| (4000..4020).contains(number)).collect();
    let listed = rows("Rules").into_iter().filter_map(|row| row[0].parse().ok()).filter(|code| *code >= 4000);
    assert_eq!(listed.collect::<BTreeSet<u16>>(), used);
    Ok(())
}

#[test]
fn the_scenario_can_be_read() -> Tested {
    let (_, after) = README.split_once("```jsonl\n").ok_or("no scenario")?;
    let (scenario, _) = after.split_once("```").ok_or("no end")?;
    Scenario::read(scenario)?;
    Ok(())
}
