//! Which modules are accepted and which are rejected, and which of their manifests counts.

use std::sync::Arc;

use super::natives::{builtin, nothing};
use super::{check_manifests, check_one, codes, manifest};
use candor_core::contract::{CommandKind, Manifest, NativeModule, NoArguments, Owner, check, declared_commands};
use candor_core::diagnostic::SourceFile;
use candor_core::inbound::{CommandPath, CommandType};
use candor_core::registry::Registry;

#[test]
fn context_menu_commands_of_rejected_modules_are_remembered_by_menu() {
    let bad = "[module]\nname = \"members\"\n[menus.\"Show\"]\ntype = \"user\"\nhandler = \"profile\"\n";
    let registry = Registry::build(check_one("members", bad));
    let entries: Vec<_> = registry.quarantined_menus().iter().collect();
    assert_eq!(entries, [(&(CommandType::UserMenu, "Show".to_owned()), &"members".to_owned())]);
}

#[test]
fn one_bad_module_takes_nothing_from_the_others() {
    let good = "[module]\nname = \"weather\"\nsummary = \"Live\"\n\
                [commands.\"/status\"]\ndescription = \"Show\"\nhandler = \"status\"\n";
    let bad = "[module]\nname = \"forecast\"\n[commands]\nsoon = 5\n\"/later\" = \"forecast\"\n\"/status\" = {}\n";
    let checked = check_manifests(vec![manifest("forecast", bad), manifest("weather", good)]);
    let owners: Vec<_> = checked.accepted.iter().map(|module| module.owner.clone()).collect();
    assert_eq!(owners, [Owner::Builtin, Owner::Module("weather".to_owned())]);
    assert_eq!(checked.rejected[0].name, "forecast");
    assert_eq!(checked.rejected[0].commands, ["soon", "later", "status"]);
}

#[test]
fn a_faulty_subcommand_is_withdrawn_alone_unless_more_is_wrong() {
    let club = |more: &str| {
        format!(
            "[module]\nname = \"club\"\nsummary = \"A club\"\nkind = \"text\"\n\
             [commands.\"/club\"]\ndescription = \"The club\"\n\
             [commands.\"/club\".subcommands.join]\ndescription = \"Join\"\nreply = \"Welcome.\"\n{more}"
        )
    };
    let leave = "[commands.\"/club\".subcommands.leave]\nreply = \"Bye.\"\n";
    let group = "[commands.\"/club\".groups.member]\ndescription = \"Members\"\n\
                 [commands.\"/club\".groups.member.subcommands.drop]\nreply = \"Dropped.\"\n";
    let alone = "[commands.\"/clubs\"]\nreply = \"None.\"\n";
    let all = "[commands.\"/rules\"]\ndescription = \"Rules\"\n\
               [commands.\"/rules\".subcommands.show]\nreply = \"None.\"\n";
    // What cannot be read within one concerns it alone too.
    let misspelt =
        "[commands.\"/club\".subcommands.leave]\ndescripton = \"Leave\"\ndescription = \"Leave\"\nreply = \"Bye.\"\n";
    let mistyped = "[commands.\"/club\".subcommands.leave]\ndescription = 5\nreply = \"Bye.\"\n\
                    [commands.\"/club\".subcommands.leave.options.why]\nrequird = true\n";
    let beside = "[commands.\"/club\".groups.member]\ndescription = 5\n";
    for (more, withdrawn, rejected) in [
        ("", &[][..], &[][..]),
        (leave, &["club leave"], &[]),
        (group, &["club member drop"], &[]),
        (misspelt, &["club leave"], &[]),
        (mistyped, &["club leave"], &[]),
        (beside, &[], &["club"]),
        // A whole command, or all that can be called of one, takes its module with it.
        (&format!("{leave}{alone}"), &[], &["club", "clubs"]),
        (all, &[], &["club", "rules"]),
    ] {
        let checked = check_one("club", &club(more));
        assert_eq!(checked.diagnostics.has_errors(), !more.is_empty(), "{more}");
        let registry = Registry::build(checked);
        let names: Vec<_> = registry.quarantined().keys().map(String::as_str).collect();
        assert_eq!(names, [withdrawn, rejected].concat(), "{more}");
        assert_eq!(registry.command("club").is_some(), rejected.is_empty(), "{more}");
        let joins = registry.find(&CommandPath::new("club", Some("join")));
        assert_eq!(joins.is_some(), rejected.is_empty(), "{more}");
        for name in withdrawn {
            assert_eq!(registry.quarantined_command(name), Some("club"));
        }
        // A group of which nothing is left is none: Discord would refuse it.
        if let Some(club) = registry.command("club") {
            assert!(matches!(&club.kind, CommandKind::Parent { groups, .. } if groups.is_empty()), "{more}");
        }
    }
}

#[test]
fn of_two_bad_modules_the_first_has_a_name() {
    let bad = "[module]\n[commands.\"/status\"]\n";
    let first = manifest("weather", bad);
    let registry = Registry::build(check_manifests(vec![manifest("alone", bad), first]));
    assert_eq!(registry.quarantined().get("status").map(String::as_str), Some("weather"));
}

#[test]
fn a_manifest_that_cannot_be_read_rejects_its_module() {
    let built_in = "[module]\nname = \"weather\"\nsummary = \"Built in\"\n\
                    [commands.\"/status\"]\ndescription = \"Show\"\nhandler = \"status\"\n";
    let native = NativeModule::new("weather", built_in).handler("status", |_: NoArguments, _| nothing());
    let unreadable = |folder: &str| Manifest::new(folder, None);
    let checked = check(builtin(), vec![native], vec![unreadable("alone"), unreadable("weather")]);
    let rejected: Vec<_> = checked.rejected.iter().map(|module| (module.name.as_str(), &module.commands[..])).collect();
    assert_eq!(rejected, [("weather", &["status".to_owned()][..]), ("alone", &[])]);
    assert_eq!(checked.accepted.len(), 1);
}

#[test]
fn a_rejected_module_answers_for_each_name_once() {
    let built_in = "[module]\nname = \"weather\"\nsummary = \"Built in\"\n\
                    [commands.\"/status\"]\ndescription = \"Show\"\nhandler = \"status\"\n";
    let native = NativeModule::new("weather", built_in).handler("status", |_: NoArguments, _| nothing());
    let on_disk = manifest("weather", "[commands]\n\"/\" = 5\n\"/status\" = 5\n\"/soon\" = 5\n");
    let checked = check(builtin(), vec![native], vec![on_disk]);
    assert_eq!(checked.rejected[0].commands, ["status", "soon"]);
}

#[test]
fn the_names_that_a_manifest_declares_are_known_before_it_is_checked() {
    let declared = |text: &str| {
        let file = SourceFile { path: "modules/club/module.toml".to_owned(), text: text.to_owned() };
        declared_commands(&Arc::new(file))
    };
    let club = "[commands.\"/club\"]\n[commands.\"/club\".subcommands.join]\n[menus.\"Invite\"]\ntype = \"user\"\n";
    let names = ["/club", "/club join", "Invite"].map(str::to_owned).to_vec();
    assert_eq!(declared(club), Some(names));
    assert_eq!(declared(&format!("{club}[commands.\"/club\"]\n")), None, "declared twice");
}

#[test]
fn only_a_module_with_a_program_says_what_it_starts() {
    let module = |rest: &str| format!("[module]\nname = \"greeter\"\nsummary = \"Greets\"\n{rest}");
    let program = module(
        "kind = \"exec\"\n[run]\nprogram = \"greet\"\n[commands.\"/greet\"]\ndescription = \"Greet\"\nprobe = {}\n",
    );
    let text = module("kind = \"text\"\n[commands.\"/greet\"]\ndescription = \"Greet\"\nreply = \"Hello\"\n");
    for (manifest, starts) in [(program, true), (text, false)] {
        let checked = check_one("greeter", &manifest);
        assert_eq!(codes(&checked.diagnostics), [], "{manifest}");
        assert_eq!(checked.accepted[1].run.is_some(), starts, "{manifest}");
    }
}

#[test]
fn the_built_in_manifest_counts_unless_there_is_one_on_disk() {
    let native = || {
        let built_in = "[module]\nname = \"weather\"\nsummary = \"Built in\"\n\
                        [commands.\"/status\"]\ndescription = \"Show\"\nhandler = \"status\"\n";
        vec![NativeModule::new("weather", built_in).handler("status", |_: NoArguments, _| nothing())]
    };
    let on_disk = "[module]\nname = \"weather\"\nsummary = \"On disk\"\n\
                   [commands.\"/weather\"]\ndescription = \"Show\"\nhandler = \"status\"\n";
    for (manifests, summary, command) in
        [(Vec::new(), "Built in", "status"), (vec![manifest("weather", on_disk)], "On disk", "weather")]
    {
        let checked = check(builtin(), native(), manifests);
        assert_eq!(codes(&checked.diagnostics), []);
        let module = &checked.accepted[1];
        assert_eq!((module.summary.as_str(), module.commands[0].name.as_str()), (summary, command));
    }
}
