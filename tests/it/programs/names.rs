//! Commands that the operator calls otherwise, or switches off: what is in force, and what modules then say.

use std::fs;

use discord_twin::{Interaction, Twin};

use crate::discord::connected::connect_in;
use crate::programs::modules::{folder, stdout};
use crate::support::bot::{Folder, PATIENCE};

const CLUB: &str = r#"
[module]
name = "club"
summary = "A club"
kind = "exec"

[run]
program = "club.sh"

[commands."/club"]
description = "The club"

[commands."/club".subcommands.join]
description = "Join; `/club leave` takes it back"
localized.de = { name = "beitreten", description = "Beitreten" }
probe = {}

[commands."/club".subcommands.leave]
description = "Leave"
probe = {}
"#;

/// Answers with the name that its manifest gives, and names the other command.
const PROGRAM: &str = r#"#!/bin/sh
read -r line
command=${line#*\"command\":\"}
printf 'Called as %s; see `/club leave` and /club leave.' "${command%%\"*}"
"#;

/// A command without code that names itself, in two languages.
const MOTTO: &str = r#"
[module]
name = "motto"
summary = "A motto"
kind = "text"

[commands."/motto"]
description = "The motto"
reply = { text = "Say `/motto` again.", localized.de = "Sag noch einmal `/motto`." }
"#;

fn club(config: &str) -> Folder {
    let folder = folder(&[("club/module.toml", CLUB), ("club/club.sh", PROGRAM)]);
    fs::write(folder.path().join("config.toml"), config).unwrap();
    folder
}

#[test]
fn a_command_is_called_as_the_settings_say_and_its_module_says_so_too() {
    let folder = club(
        "[modules.commands.club]\n\"/club\" = \"/society\"\n\"/club leave\" = \"quit\"\n\
         [modules.commands.tasks]\n\"/tasks\" = \"/todo\"\n\"/tasks remove\" = false\n",
    );
    let checked = stdout(&folder.run(&["check"]));
    for wanted in ["\n  /society ", " join | quit\n", "\n  /todo ", " add | list | done\n"] {
        assert!(checked.contains(wanted), "{wanted}: {checked}");
    }
    assert!(checked.contains("\n  switched off: in the settings (/tasks remove)\n"), "{checked}");

    let said = stdout(&folder.console("/society join\n/todo list\n/todo remove id: 1\n/tasks list\n/help todo list\n"));
    // The program is asked by the name that it knows; plain words of it are not touched.
    for wanted in [
        "Called as /club join; see `/society quit` and /club leave.",
        "✓ /society join · ",
        "`/todo add` adds a task.",
        "`/todo remove` does not exist",
        "Unknown command `/tasks`",
        "/todo list [page: ",
    ] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
}

#[test]
fn a_command_without_code_names_itself_as_it_is_called_now_in_every_language() {
    let folder = folder(&[("motto/module.toml", MOTTO)]);
    fs::write(folder.path().join("config.toml"), "[modules.commands.motto]\n\"/motto\" = \"/creed\"\n").unwrap();
    for (tag, words) in [("en", "Say `/creed` again."), ("de", "Sag noch einmal `/creed`.")] {
        let said = folder.candor(&["console", "-c", "/creed"]).env("LANG", tag).output().unwrap();
        assert!(stdout(&said).contains(words), "{tag}: {}", stdout(&said));
    }
}

#[test]
fn a_name_that_is_taken_or_cannot_be_is_found_at_start() {
    let cases = [
        ("[modules.commands.clup]\n", "`modules.commands.clup` is for no module", "did you mean `club`?"),
        (
            "[modules.commands.club]\n\"/club jion\" = false\n",
            "the module `club` declares no command `/club jion`",
            "did you mean `/club join`?",
        ),
        (
            "[modules.commands.club]\nclub = false\n",
            "the module `club` declares no command `club`",
            "write `\"/club\"`",
        ),
        (
            "[modules.commands.club]\n\"/club\" = \"society\"\n",
            "`modules.commands.club.\"/club\"` takes the new name with its slash",
            "correct it, or take it out",
        ),
        (
            "[modules.commands.club]\n\"/club\" = \"/tasks\"\n",
            "error[command-duplicate]: command `/tasks` is already taken",
            "give it another name under `[modules.commands.club]` in the settings",
        ),
        (
            "[modules.commands.club]\n\"/club\" = \"/help\"\n",
            "error[command-reserved]: command `/help` belongs to the bot itself",
            "give it another name",
        ),
        (
            "[modules.commands.club]\n\"/club leave\" = \"join\"\n",
            "error[subcommand-duplicate]: `/club` has two subcommands `join`",
            "give one of the two another name",
        ),
    ];
    for (config, problem, help) in cases {
        let checked = club(config).run(&["check"]);
        let said = stdout(&checked);
        assert_eq!(checked.status.code(), Some(78), "{config}: {said}");
        assert!(said.contains(problem) && said.contains(help), "{config}: {said}");
    }
}

#[test]
fn a_module_whose_commands_are_all_switched_off_is_no_fault() {
    for off in ["\"/club\" = false\n", "\"/club join\" = false\n\"/club leave\" = false\n"] {
        let folder = club(&format!("[modules.commands.club]\n{off}"));
        let checked = folder.run(&["check"]);
        assert!(checked.status.success(), "{}", stdout(&checked));
        assert!(stdout(&folder.console("/club join\n")).contains("Unknown command `/club`"));
    }
}

#[test]
fn what_is_broken_can_be_switched_off_and_a_name_harms_no_other_module() {
    let quarantine = "[modules]\non_violation = \"quarantine\"\n";
    let names = |lines: &str| format!("[modules.commands.club]\n{lines}");
    let fails = PROGRAM.replace("read -r line\n", "read -r line\ncase $line in *leave*) exit 3;; esac\n");
    let broken = CLUB.replace("summary = ", "summery = ");
    let cases = [
        // Its probe fails, and is not made.
        (CLUB, fails.as_str(), names("\"/club leave\" = false\n"), "/club join", "Called as /club join"),
        // What its manifest declares is known once it can be read.
        (
            &broken,
            PROGRAM,
            format!("{quarantine}{}", names("\"/club\" = \"/society\"\n")),
            "/tasks list",
            "✓ /tasks list",
        ),
        (CLUB, PROGRAM, format!("{quarantine}{}", names("\"/club\" = \"/tasks\"\n")), "/tasks list", "✓ /tasks list"),
        // The name of a tool is made of other letters.
        (
            CLUB,
            PROGRAM,
            "[modules.commands.status]\n\"/status\" = \"/übersicht\"\n".to_owned(),
            "/übersicht",
            "✓ /übersicht",
        ),
    ];
    for (manifest, program, config, command, wanted) in cases {
        let folder = folder(&[("club/module.toml", manifest), ("club/club.sh", program)]);
        fs::write(folder.path().join("config.toml"), &config).unwrap();
        let said = stdout(&folder.console(&format!("{command}\n")));
        assert!(said.contains(wanted), "{config}: {said}");
    }
}

#[test]
fn nothing_that_is_switched_off_is_offered_and_what_people_wrote_stays() {
    let echo = "[module]\nname = \"echo\"\nsummary = \"Echo\"\nkind = \"text\"\n\
                [commands.\"/echo\"]\ndescription = \"Echo\"\nreply = \"`/echo` says `{what}`.\"\n\
                [commands.\"/echo\".options.what]\ndescription = \"What\"\nrequired = true\n";
    let folder = folder(&[("echo/module.toml", echo)]);
    fs::write(folder.path().join("config.toml"), "[modules.commands.echo]\n\"/echo\" = \"/say\"\n").unwrap();
    let said = stdout(&folder.console("/say what: /echo x\n"));
    assert!(said.contains("`/say` says `/echo x`."), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_name_comes_into_force_while_the_bot_runs_and_discord_follows() {
    let folder = Folder::with("");
    let config = folder.path().join("config.toml");
    let before = fs::read_to_string(&config).unwrap();
    let connected = connect_in(folder, Twin::start().await.unwrap()).await;
    connected.bot.hears(&["commands at Discord"]);
    fs::write(&config, format!("{before}\n[modules.commands.tasks]\n\"/tasks\" = \"/todo\"\n")).unwrap();
    connected.bot.hears(&["reloaded", "/todo", "added"]);
    let answer = connected.answer(Interaction::slash("todo").subcommand("list")).await;
    assert!(answer.text().contains("`/todo add`"), "{}", answer.text());
    let names = || connected.twin.commands().iter().map(|it| it["name"].clone()).collect::<Vec<_>>();
    let is_so = || (names().contains(&"todo".into()) && !names().contains(&"tasks".into())).then_some(());
    assert!(connected.twin.wait_until(PATIENCE, is_so).await.is_some(), "{:?}", names());
}
