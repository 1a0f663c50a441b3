//! Which modules are accepted and which are rejected, and which of their manifests counts.

use std::sync::Arc;

use serde_json::json;

use super::natives::{builtin, nothing};
use super::{check_manifests, check_one, codes, manifest, module, with_handler};
use candor_core::contract::{
    CommandKind, Given, Manifest, NativeModule, NoArguments, Owner, SendPolicy, ServiceName, check, declared_commands,
};
use candor_core::diagnostic::{Code, SourceFile};
use candor_core::inbound::{ChannelId, CommandPath, CommandType};
use candor_core::registry::Registry;

#[test]
fn context_menu_commands_of_rejected_modules_are_remembered_by_menu() {
    let bad = "[module]\nname = \"members\"\n[menus.\"Show\"]\ntype = \"user\"\nhandler = \"profile\"\n";
    let registry = Registry::build(check_one("members", bad));
    let menu = registry.quarantined_menu(CommandType::UserMenu, "Show");
    assert_eq!(menu.map(|menu| menu.module.as_str()), Some("members"));
    assert!(registry.quarantined_menu(CommandType::MessageMenu, "Show").is_none());
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
        let names: Vec<_> = registry.quarantined().into_keys().collect();
        assert_eq!(names, [withdrawn, rejected].concat(), "{more}");
        assert_eq!(registry.command("club").is_some(), rejected.is_empty(), "{more}");
        let joins = registry.find(&CommandPath::new("club", Some("join")));
        assert_eq!(joins.is_some(), rejected.is_empty(), "{more}");
        for name in withdrawn {
            assert_eq!(registry.quarantined_command(name).map(|command| command.module.as_str()), Some("club"));
        }
        // A group of which nothing is left is none: Discord would refuse it.
        if let Some(club) = registry.command("club") {
            assert!(matches!(&club.kind, CommandKind::Parent { groups, .. } if groups.is_empty()), "{more}");
        }
    }
}

#[test]
fn a_module_that_a_reload_breaks_keeps_its_version_from_before() {
    let text = |commands: &str| format!("[module]\nname = \"club\"\nsummary = \"A club\"\nkind = \"text\"\n{commands}");
    let command = |name: &str, reply: &str| format!("[commands.\"{name}\"]\ndescription = \"x\"\n{reply}\n");
    let good = |name: &str| command(name, "reply = \"Yes.\"");
    let parts = |leave: &str| {
        let part = |name: &str, reply: &str| {
            format!("[commands.\"/club\".subcommands.{name}]\ndescription = \"x\"\n{reply}\n")
        };
        format!(
            "[commands.\"/club\"]\ndescription = \"x\"\n{}{}",
            part("join", "reply = \"In.\""),
            part("leave", leave)
        )
    };
    let reply = "reply = \"Out.\"";
    for (before, after, in_force, failures) in [
        // One command broken, another added: the module stays as it was.
        (
            good("/a"),
            good("a") + &good("/b"),
            &["a"][..],
            Some("not in force: /b, the new version of club (command-missing-slash, modules/club/module.toml:5)"),
        ),
        (
            good("/a") + &good("/b"),
            good("a"),
            &["a", "b"],
            Some("not in force: the new version of club (command-missing-slash, modules/club/module.toml:5)"),
        ),
        // A subcommand that worked fails.
        (
            parts(reply),
            parts(""),
            &["club"],
            Some("not in force: the new version of club (reply-missing, modules/club/module.toml:5)"),
        ),
        // It never worked.
        (
            parts(""),
            parts(""),
            &["club"],
            Some("not in force: /club leave (reply-missing, modules/club/module.toml:5)"),
        ),
        (good("a"), good("a"), &[], Some("not in force: /a (command-missing-slash, modules/club/module.toml:5)")),
        (good("a"), good("/a"), &["a"], None),
        (good("/a"), good("/b"), &["b"], None),
    ] {
        let before = Registry::build(check_one("club", &text(&before)));
        let registry = Registry::after(&before, check_one("club", &text(&after)));
        let names: Vec<_> =
            registry.commands().map(|command| command.name.as_str()).filter(|name| *name != "help").collect();
        assert_eq!(names, in_force, "{after}");
        assert_eq!(registry.summary_of_failures().as_deref(), failures, "{after}");
        let is_kept = failures.is_some_and(|failures| failures.contains("new version"));
        assert_eq!(registry.kept().len(), usize::from(is_kept), "{after}");
        if is_kept {
            assert_eq!(before.changes_to(&registry), [], "{after}");
            assert!(registry.modules().contains_key(&Owner::Module("club".to_owned())), "{after}");
        }
        // Once it is mended, the new version is in force.
        let mended = Registry::after(&registry, check_one("club", &text(&good("/c"))));
        assert!(mended.command("c").is_some() && mended.summary_of_failures().is_none(), "{after}");
    }
}

#[test]
fn a_kept_command_gives_way_to_the_tools_and_the_number_of_other_modules() {
    let text = |module: &str, commands: &str| {
        manifest(module, &format!("[module]\nname = \"{module}\"\nsummary = \"x\"\nkind = \"text\"\n{commands}"))
    };
    let command =
        |name: &str, more: &str| format!("[commands.\"/{name}\"]\ndescription = \"x\"\nreply = \"Yes.\"\n{more}\n");
    let tool = "tool = true\ntool_name = \"look\"";
    let before = Registry::build(check_manifests(vec![text("club", &(command("a", tool) + &command("b", "")))]));
    let many: String = (0..98).map(|n| command(&format!("c{n}"), "")).collect();
    for (others, in_force) in [(command("c", ""), "a b c"), (command("c", tool), "b c"), (many, "a")] {
        let broken = manifest("club", "[module]\nname = \"club\"\nkind = 7\n");
        let registry = Registry::after(&before, check_manifests(vec![broken, text("others", &others)]));
        let names: Vec<_> = registry.commands().map(|command| command.name.as_str()).collect();
        let names = names.into_iter().filter(|name| *name != "help" && name.len() == 1).collect::<Vec<_>>();
        assert_eq!(names.join(" "), in_force);
        let not_in_force: Vec<_> = registry.not_in_force().map(|(path, _)| path.to_string()).collect();
        assert_eq!(not_in_force.len(), 2 - in_force.replace('c', "").trim().split(' ').count(), "{not_in_force:?}");
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

#[test]
fn what_a_module_has_run_by_itself_it_may_send() {
    let hail = "[commands.\"/hail\"]\ndescription = \"x\"\nreply = \"x\"\n\
                [commands.\"/hail\".options.why]\ndescription = \"x\"\n";
    let of_event = "[events.member_joined]\nrun = \"/hail\"\n";
    let of_time = "[schedules.daily]\ncron = \"0 9 * * *\"\nrun = \"/hail\"\n";
    for (more, sends) in [("", 0), (of_event, 1), (of_time, 1), (&format!("{of_event}{of_time}"), 1)] {
        let send_to = SendPolicy { channels: [ChannelId(7)].into(), servers_add: false };
        let given = Given { send_to, ..Given::default() };
        let checked = check_manifests(vec![Manifest {
            given,
            ..manifest("hail", &module("hail", "text", &format!("{hail}{more}")))
        }]);
        assert_eq!(codes(&checked.diagnostics), [], "{more}");
        let services = &checked.accepted[1].services;
        assert_eq!(services.iter().filter(|&&service| service == ServiceName::Send).count(), sends, "{more}");
    }
}

#[test]
fn a_module_that_no_channel_is_named_for_is_warned_of_unless_servers_may_name_some() {
    let text = "[commands.\"/hail\"]\ndescription = \"x\"\nreply = \"x\"\n[events.member_joined]\nrun = \"/hail\"\n";
    for (servers_add, expected) in [(false, vec![Code::SendNowhere]), (true, vec![])] {
        let send_to = SendPolicy { servers_add, ..SendPolicy::default() };
        let given = Given { send_to, ..Given::default() };
        let checked = check_manifests(vec![Manifest { given, ..manifest("hail", &module("hail", "text", text)) }]);
        assert_eq!(codes(&checked.diagnostics), expected);
    }
}

#[test]
fn an_event_runs_a_command_that_there_is_and_a_faulty_one_is_told_as_such() {
    let hail = |command: &str| {
        let rest = format!("[commands.\"/hail\"]\n{command}[events.member_joined]\nrun = \"/hail\"\n");
        module("hail", "text", &rest)
    };
    // Where the command has a fault, that is told, and not that there is none to run.
    let checked = check_one("hail", &hail("reply = \"x\"\n"));
    assert_eq!(codes(&checked.diagnostics), [Code::DescriptionMissing, Code::SendNowhere]);
    let weather = with_handler("weather", "no_such", "[events.member_joined]\nrun = \"/x\"\n");
    let found = codes(&check_one("weather", &weather).diagnostics);
    assert!(found.contains(&Code::HandlerNotFound) && !found.contains(&Code::EventCommand), "{found:?}");
    let other = hail("description = \"x\"\nreply = \"x\"\n").replace("run = \"/hail\"", "run = \"/hale\"");
    assert!(codes(&check_one("hail", &other).diagnostics).contains(&Code::EventCommand));
}

#[test]
fn services_are_asked_for_once_and_those_that_the_code_needs_are_among_them() {
    let board = |services: &str| {
        let rest = "[commands.\"/board\"]\ndescription = \"x\"\nhandler = \"board\"\n";
        module("board", "native", &format!("services = [{services}]\n{rest}"))
    };
    let checked = check_one("board", &board("\"records\", \"records\""));
    assert_eq!(codes(&checked.diagnostics), []);
    assert_eq!(checked.accepted[1].services, [ServiceName::Records]);
    assert_eq!(codes(&check_one("board", &board("\"time\"")).diagnostics), [Code::ServiceMissing]);

    let program = "services = [\"records\", \"workspace\"]\n[run]\nprogram = \"x.sh\"\n\
                   [commands.\"/x\"]\ndescription = \"x\"\nprobe = {}\n";
    let checked = check_one("tools", &module("tools", "exec", program));
    let found: Vec<_> = checked.diagnostics.iter().map(|found| (found.code, found.help.as_str())).collect();
    assert_eq!(
        found,
        [(
            Code::KeyOfOtherKind,
            "take it out; of the services, a program reaches `records`, `time`, `send`, `http`, `attachment`"
        )]
    );
}

#[test]
fn suggestions_for_an_option_that_no_handler_takes_are_told() {
    let native = NativeModule::new("clock", "").handler("now", |_: NoArguments, _| nothing()).complete(
        "now",
        "zone",
        async |_, _| Vec::new(),
    );
    let checked = check(builtin(), vec![native], vec![manifest("clock", &with_handler("clock", "now", ""))]);
    assert_eq!(codes(&checked.diagnostics), [Code::AutocompleteMismatch]);
}

#[test]
fn code_without_handlers_is_told_to_add_one() {
    let checked =
        check(builtin(), vec![NativeModule::new("bare", "")], vec![manifest("bare", &with_handler("bare", "now", ""))]);
    let helps: Vec<_> = checked.diagnostics.iter().map(|found| found.help.as_str()).collect();
    assert_eq!(helps, ["add `.handler(\"now\", …)` to the module's code"]);
}

#[test]
fn a_name_that_an_operator_gives_takes_none_from_a_module_that_declares_it() {
    let text = |name: &str, command: &str| {
        module(name, "text", &format!("[commands.\"{command}\"]\ndescription = \"x\"\nreply = \"x\"\n"))
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
    let weather = with_handler("weather", "status", "").replace("\"/x\"", "\"/first\"");
    let registry = Registry::build(check_manifests(vec![Manifest { given, ..manifest("weather", &weather) }]));
    assert!(registry.command("second").is_some() && registry.command("first").is_none());
}
