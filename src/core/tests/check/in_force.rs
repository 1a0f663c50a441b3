//! What an accepted manifest becomes: the commands, options and terms in force.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::{check_manifests, check_one, codes, manifest, with_handler};
use candor_core::contract::{
    Choice, CommandKind, Cooldowns, Install, InteractionContext, Localized, OptionKind, Policy, ToolSpec, WrittenAt,
};
use candor_core::diagnostic::Code;
use candor_core::inbound::{CommandType, Permissions, RoleId};
use candor_core::registry::Registry;

#[test]
fn a_manifest_words_and_narrows_what_the_signature_declares() {
    let checked = check_one(
        "forecast",
        r#"
        [module]
        name = "forecast"
        summary = "The weather to come"
        [commands."/forecast"]
        description = "Show the weather to come"
        handler = "forecast"
        ephemeral = true
        tool = true
        tool_name = "weather-to-come"
        writes = true
        tool_description = " The weather of the next days "
        tool_options = ["days"]
        [commands."/forecast".options.unit]
        choices = [{ name = "Degrees Celsius", value = "celsius" }]
        required = true
        [commands."/forecast".options.days]
        type = "integer"
        description = "Up to a week"
        max = 7
        "#,
    );
    assert_eq!(codes(&checked.diagnostics), []);
    let command = &checked.accepted[1].commands[0];
    assert_eq!((command.name.as_str(), command.ephemeral, command.operators_only), ("forecast", true, false));
    let CommandKind::Leaf(leaf) = &command.kind else { panic!("{command:?}") };
    let list = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    let tool = ToolSpec {
        name: "weather-to-come".to_owned(),
        writes: true,
        description: Some("The weather of the next days".to_owned()),
        options: Some(list(&["days"])),
    };
    assert_eq!(leaf.tool.as_deref(), Some(&tool));
    // The manifest's options in its order, then the rest; the required ones first.
    let options: Vec<_> = leaf
        .options
        .iter()
        .map(|option| (option.name.as_str(), option.required, option.description.as_str()))
        .collect();
    assert_eq!(options, [("unit", true, "In which degrees"), ("city", true, "Where"), ("days", false, "Up to a week")]);
    let days = &leaf.option("days").expect("declared").kind;
    assert_eq!(*days, OptionKind::Integer { min: Some(1), max: Some(7), choices: Vec::new() });
    let OptionKind::String { choices, .. } = &leaf.option("unit").expect("declared").kind else { panic!("{leaf:?}") };
    assert_eq!(choices.iter().map(|choice| choice.name.as_str()).collect::<Vec<_>>(), ["Degrees Celsius"]);
}

#[test]
fn a_manifest_says_everything_that_discord_knows_of_a_command() {
    let checked = check_one(
        "welcome",
        r#"
        [module]
        name = "welcome"
        summary = "Welcomes people"
        [commands."/welcome"]
        description = "Welcome somebody"
        handler = "welcome"
        nsfw = true
        contexts = ["private-channel", "guild"]
        installs = ["user"]
        default_member_permissions = ["manage_messages", "ban_members"]
        localized.de = { name = "willkommen", description = "Jemanden begrüßen" }
        localized.fr = { name = "accueillir" }
        [commands."/welcome".permissions]
        users = []
        roles = ["7", "8"]
        discord = ["send_messages"]
        owners = true
        cooldown_s = { user = 5, global = 86400 }
        [commands."/welcome".options.words]
        form = true
        localized.de = { name = "worte" }
        [commands."/welcome".options.channel]
        channel_types = ["thread", "text", "public-thread"]
        [commands."/welcome".options.level]
        choices = [{ name = "Coolly", value = 1, localized.de = { name = "Kühl" } }, 9]
        [commands."/welcome".options.share]
        choices = [0.5, 1]
        cooldown_s = { user = 9 }
        "#,
    );
    assert_eq!(codes(&checked.diagnostics), []);
    let command = &checked.accepted[1].commands[0];
    let pairs = |pairs: &[(&str, &str)]| pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    let localized = Localized {
        names: pairs(&[("de", "willkommen"), ("fr", "accueillir")]),
        descriptions: pairs(&[("de", "Jemanden begrüßen")]),
    };
    assert_eq!(command.localized, localized);
    assert!(command.nsfw);
    assert_eq!(command.contexts, Some(vec![InteractionContext::Guild, InteractionContext::PrivateChannel]));
    assert_eq!(command.installs, Some(vec![Install::User]));
    assert_eq!(command.default_member_permissions, Some(Permissions(0x2004)));
    let second = |n| Some(Duration::from_secs(n));
    let policy = Policy {
        users: Some(BTreeSet::new()),
        roles: Some(BTreeSet::from([RoleId(7), RoleId(8)])),
        channels: None,
        discord: Permissions(0x800),
        owners: true,
        cooldowns: Cooldowns { user: second(5), global: second(86_400), ..Cooldowns::default() },
    };
    assert_eq!(command.policy, policy);

    let at = |written: &Option<WrittenAt>| written.as_ref().map(ToString::to_string);
    assert_eq!(at(&command.written_at).as_deref(), Some("modules/welcome/module.toml:5"));
    let CommandKind::Leaf(leaf) = &command.kind else { panic!("{command:?}") };
    let shown: Vec<_> = leaf.options.iter().map(|option| (option.name.as_str(), option.is_demanded())).collect();
    // The words are needed, and a form asks for them: Discord must not.
    let names = ["words", "channel", "level", "share", "person", "role", "tell", "picture"];
    assert_eq!(shown, names.map(|name| (name, false)));
    let option = |name: &str| leaf.option(name).expect("declared");
    assert!(option("words").required && option("words").modal);
    assert_eq!(option("words").localized.names, pairs(&[("de", "worte")]));
    assert_eq!(at(&option("words").written_at).as_deref(), Some("modules/welcome/module.toml:20"));
    assert_eq!(option("tell").written_at, None);
    assert_eq!(option("share").cooldowns, Cooldowns { user: second(9), ..Cooldowns::default() });
    assert_eq!(option("words").cooldowns, Cooldowns::default());
    let kinds = [
        ("channel", OptionKind::Channel { types: vec![0, 10, 11, 12] }),
        ("person", OptionKind::User),
        ("role", OptionKind::Role),
        ("tell", OptionKind::Mentionable),
        ("picture", OptionKind::Attachment),
        (
            "level",
            OptionKind::Integer {
                min: Some(1),
                max: Some(10),
                choices: vec![
                    Choice { names: pairs(&[("de", "Kühl")]), ..Choice::new("Coolly", 1) },
                    Choice::new("9", 9),
                ],
            },
        ),
    ];
    for (name, kind) in kinds {
        assert_eq!(option(name).kind, kind, "{name}");
    }
    let OptionKind::Number { choices, .. } = &option("share").kind else { panic!("{leaf:?}") };
    assert_eq!(*choices, [Choice::new("0.5", 0.5), Choice::new("1", 1.0)]);
}

#[test]
fn groups_and_context_menu_commands_reach_their_handlers() {
    let club = r#"
        [module]
        name = "clock"
        summary = "What time it is"
        [commands."/clock"]
        description = "The clock"
        default_member_permissions = "admins"
        contexts = ["guild"]
        [commands."/clock".subcommands.now]
        description = "Show the time"
        handler = "now"
        localized.de = { name = "jetzt" }
        [commands."/clock".groups.world]
        description = "Elsewhere"
        localized.de = { name = "welt", description = "Anderswo" }
        [commands."/clock".groups.world.subcommands.zones]
        description = "Show the time zones"
        handler = "zones"
        tool = true
    "#;
    let members = r#"
        [module]
        name = "members"
        summary = "The members of the club"
        [menus."Show profile"]
        type = "user"
        handler = "profile"
        ephemeral = true
        localized.de = { name = "Profil zeigen" }
        [menus."Report"]
        type = "message"
        handler = "report"
        contexts = ["guild"]
        permissions.cooldown_s = { user = 60 }
    "#;
    let checked = check_manifests(vec![manifest("clock", club), manifest("members", members)]);
    assert_eq!(codes(&checked.diagnostics), []);
    let registry = Arc::new(Registry::build(checked));
    let reach = candor_core::execution::probe(&registry);
    assert_eq!((reach.registered, reach.reachable, reach.unreachable), (5, 5, Vec::new()));

    let clock = registry.command("clock").expect("in force");
    assert_eq!(clock.default_member_permissions, Some(Permissions(0)));
    let described: Vec<_> = clock.described().map(|(leaf, words)| format!("{}: {words}", leaf.path())).collect();
    assert_eq!(described, ["/clock now: Show the time", "/clock world zones: Show the time zones"]);
    let tools: Vec<_> = clock.leaves().filter_map(|leaf| leaf.tool.clone()).collect();
    assert_eq!(tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["clock_world_zones"]);
    let CommandKind::Parent { groups, .. } = &clock.kind else { panic!("{clock:?}") };
    assert_eq!(groups[0].localized.names.get("de").map(String::as_str), Some("welt"));
    assert_eq!(groups[0].written_at.as_ref().map(|at| at.line), Some(13));
    assert_eq!(groups[0].subcommands[0].written_at.as_ref().map(|at| at.line), Some(16));
    let CommandKind::Parent { subcommands, .. } = &clock.kind else { panic!("{clock:?}") };
    assert_eq!(subcommands[0].localized.names.get("de").map(String::as_str), Some("jetzt"));

    let profile = registry.menu(CommandType::UserMenu, "Show profile").expect("in force");
    assert!(profile.ephemeral && profile.description.is_empty());
    assert_eq!(profile.localized.names.get("de").map(String::as_str), Some("Profil zeigen"));
    assert_eq!(profile.written_at.as_ref().map(|at| at.line), Some(5));
    let report = registry.menu(CommandType::MessageMenu, "Report").expect("in force");
    assert_eq!(report.contexts, Some(vec![InteractionContext::Guild]));
    assert_eq!(report.policy.cooldowns.user, Some(Duration::from_secs(60)));
    assert_eq!(registry.menu(CommandType::UserMenu, "Report").map(|entry| &entry.name), None);
}

#[test]
fn a_context_menu_command_takes_exactly_what_it_is_used_on() {
    let entry = |kind: &str, handler: &str| {
        let menus = format!("[menus.\"Show\"]\ntype = \"{kind}\"\nhandler = \"{handler}\"\n");
        let rest = ["profile", "report"].into_iter().filter(|known| *known != handler);
        let rest = rest.map(|other| {
            let kind = if other == "profile" { "user" } else { "message" };
            format!("[menus.\"Other\"]\ntype = \"{kind}\"\nhandler = \"{other}\"\n")
        });
        let header = "[module]\nname = \"members\"\nsummary = \"Members\"\n".to_owned();
        codes(&check_one("members", &(header + &menus + &rest.collect::<String>())).diagnostics)
    };
    assert_eq!(entry("user", "profile"), []);
    assert_eq!(entry("message", "report"), []);
    assert_eq!(entry("user", "report"), [Code::HandlerSignatureMismatch]);
    assert_eq!(entry("message", "profile"), [Code::HandlerSignatureMismatch]);
    let none = "[module]\nname = \"weather\"\nsummary = \"Live\"\n\
                [menus.\"Show\"]\ntype = \"user\"\nhandler = \"status\"\n";
    assert_eq!(codes(&check_one("weather", none).diagnostics), [Code::HandlerSignatureMismatch]);
}

#[test]
fn a_key_that_is_no_longer_used_is_a_warning() {
    let keys = "asks = [\"a\"]\nclaims = [\"b\"]\nabout = [\"c\"]\nfigures = [\"d\"]\nresults = [\"e\"]\n";
    let checked = check_one("weather", &with_handler("weather", "status", keys));
    assert_eq!(codes(&checked.diagnostics), [Code::NoLongerUsed; 5]);
    assert_eq!(checked.diagnostics.count(candor_core::diagnostic::Severity::Error), 0);
    assert_eq!(checked.accepted[1].commands.len(), 1);
}

#[test]
fn what_is_told_to_a_model_are_options_that_there_are() {
    let found = |folder: &str, option: &str, described: &str| {
        let rest = format!("tool = true\ntool_options = [\"{option}\"]\n{described}");
        codes(&check_one(folder, &with_handler(folder, folder, &rest)).diagnostics)
    };
    // The one that its code does not describe.
    let word = "[commands.\"/x\".options.word]\ndescription = \"x\"\n";
    assert_eq!(found("silent", "word", word), []);
    assert_eq!(found("pair", "first", ""), []);
    assert_eq!(found("pair", "third", ""), [Code::ToolOptionUnknown]);
}

#[test]
fn an_option_is_told_where_its_handler_takes_none_and_required_where_it_must_be() {
    let weather = with_handler("weather", "status", "[commands.\"/x\".options.city]\n");
    let checked = check_one("weather", &weather);
    let helps: Vec<_> = checked.diagnostics.iter().map(|found| (found.code, found.help.as_str())).collect();
    let help = "take `[commands.\"/x\".options.city]` out; the handler takes nothing";
    assert_eq!(helps, [(Code::HandlerSignatureMismatch, help)]);

    // `shelf` may be left out by its handler, and `query` may not.
    let cases: [(&str, &str, &[Code]); 4] = [
        ("true", "false", &[]),
        ("true", "true", &[]),
        ("false", "true", &[Code::HandlerSignatureMismatch]),
        ("false", "false", &[Code::HandlerSignatureMismatch]),
    ];
    for (query, shelf, expected) in cases {
        let options = format!(
            "[commands.\"/x\".options.query]\nautocomplete = true\nrequired = {query}\n\
             [commands.\"/x\".options.shelf]\nrequired = {shelf}\n"
        );
        assert_eq!(
            codes(&check_one("search", &with_handler("search", "search", &options)).diagnostics),
            expected,
            "{query} {shelf}"
        );
    }
}

#[test]
fn subcommands_and_suggestions_reach_the_command() {
    let checked = check_one(
        "search",
        r#"
        [module]
        name = "search"
        summary = "Search the archive"
        [commands."/archive"]
        description = "The archive"
        operators_only = true
        [commands."/archive".subcommands.find]
        description = "Find a book"
        handler = "search"
        writes = true
        [commands."/archive".subcommands.find.options.query]
        autocomplete = true
        [commands."/archive".subcommands.dig]
        description = "Find an old book"
        handler = "search"
        tool = true
        [commands."/archive".subcommands.dig.options]
        query = { autocomplete = true, min_length = 3 }
        "#,
    );
    assert_eq!(codes(&checked.diagnostics), []);
    let command = &checked.accepted[1].commands[0];
    assert!(command.operators_only);
    let leaves: Vec<_> = command.leaves().map(|leaf| (leaf.path().to_string(), leaf.tool.as_deref())).collect();
    let tool = ToolSpec::new("archive_dig", false);
    assert_eq!(leaves, [("/archive find".to_owned(), None), ("/archive dig".to_owned(), Some(&tool))]);
    for leaf in command.leaves() {
        assert_eq!(&*leaf.handler.name, "search");
        let suggesting: Vec<_> = leaf.options.iter().filter(|option| option.autocomplete).collect();
        assert_eq!(suggesting.iter().map(|option| option.name.as_str()).collect::<Vec<_>>(), ["query"]);
    }
}
