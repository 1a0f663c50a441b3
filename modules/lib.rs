#![doc = include_str!("README.md")]
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod alerts;
pub mod feed;
pub mod files;
pub mod inspect;
pub mod memory;
pub mod poll;
pub mod remind;
pub mod status;
pub mod tasks;

use candor_core::contract::NativeModule;

/// Returns every built-in module. If two claim one command, the first keeps it; the order has no other effect.
pub fn all() -> Vec<NativeModule> {
    vec![
        status::module(),
        alerts::module(),
        tasks::module(),
        memory::module(),
        files::module(),
        inspect::module(),
        remind::module(),
        feed::module(),
        poll::module(),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;
    use std::path::Path;

    use candor_core::contract::{NativeModule, entity};
    use candor_core::testing::checked;

    /// The start-up check's messages for a tool in a manifest whose handler exists.
    fn told(command: &str) -> Vec<String> {
        let manifest = format!("[module]\nname = \"notes\"\nsummary = \"Notes\"\n{command}");
        let keep = async |_: candor_core::contract::NoArguments, _| Ok(candor_core::reply::Reply::default());
        let module = NativeModule::new("notes", &manifest).handler("keep", keep);
        let checked = checked(vec![module]);
        checked.diagnostics.iter().map(|problem| problem.message.clone()).collect()
    }

    #[test]
    fn the_guides_tool_passes_the_check() {
        let guide = include_str!("README.md");
        let tool = guide.split("```toml\n").find(|block| block.starts_with("[commands.\"/notes\"")).unwrap();
        let tool = tool.split("```").next().unwrap();
        assert_eq!(told(&format!("[commands.\"/notes\"]\ndescription = \"Notes\"\n{tool}")), [] as [&str; 0]);
    }

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[expect(dead_code, reason = "only the signature counts here")]
    struct Welcome {
        /// Whom
        person: Option<entity::User>,
        /// Where
        channel: Option<entity::Channel>,
        /// How warmly
        level: Option<i64>,
        /// What to say
        words: String,
    }

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[expect(dead_code, reason = "only the signature counts here")]
    struct Chosen {
        person: entity::User,
    }

    #[test]
    fn what_the_guide_shows_of_options_and_terms_passes_the_check() {
        let blocks = include_str!("README.md").split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
        let shown: Vec<_> = blocks.filter(|block| block.contains("/welcome") || block.contains("[menus")).collect();
        assert_eq!(shown.len(), 4);
        for block in shown {
            let header = "[commands.\"/welcome\"]";
            let command = format!("{header}\ndescription = \"Welcome somebody\"\nhandler = \"welcome\"\n");
            // Each block omits what another one shows.
            let manifest = match block.split_once(header) {
                Some((before, behind)) => format!("{before}{command}{}", behind.split_once('\n').unwrap().1),
                None => format!("{command}{block}"),
            };
            let manifest = format!("[module]\nname = \"club\"\nsummary = \"A club\"\n{manifest}");
            let module = NativeModule::new("club", &manifest)
                .handler("welcome", async |_: Welcome, _| Ok(candor_core::reply::Reply::default()));
            let module = match block.contains("[menus") {
                true => module.handler("profile", async |_: Chosen, _| Ok(candor_core::reply::Reply::default())),
                false => module,
            };
            let checked = checked(vec![module]);
            assert_eq!(checked.diagnostics.iter().count(), 0, "{manifest}\n{:?}", checked.diagnostics);
        }
    }

    #[test]
    fn what_the_guide_says_of_services_is_all_there_is() {
        let guide = include_str!("README.md");
        for service in candor_core::contract::ServiceName::ALL {
            let row = format!("| `\"{}\"` |", service.name());
            assert!(guide.contains(&row), "{row}");
        }
    }

    /// The messages of a language file with their variables: a name stands at the beginning of its line.
    fn messages(text: &str) -> BTreeMap<String, BTreeSet<String>> {
        let mut messages: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut last = String::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            if let Some((name, _)) = line.split_once(" = ").filter(|(name, _)| !name.contains(char::is_whitespace)) {
                name.clone_into(&mut last);
            }
            let word = |rest: &str| rest.split(|c: char| !c.is_ascii_alphanumeric()).next().map(str::to_owned);
            messages.entry(last.clone()).or_default().extend(line.split('$').skip(1).filter_map(word));
        }
        messages.remove("");
        messages
    }

    /// What a module's code says: the name of each message with its call.
    #[expect(clippy::disallowed_methods, reason = "the code is read, not run")]
    fn said(folder: &Path) -> BTreeMap<String, String> {
        let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let code = files.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
        let code: String = code.map(|path| fs::read_to_string(path).unwrap()).collect();
        // A call ends at the bracket that closes it.
        let call = |rest: &str| {
            let mut depth = 1;
            let is_inside = |c: &char| {
                depth += i32::from(*c == '(') - i32::from(*c == ')');
                0 < depth
            };
            rest.chars().take_while(is_inside).collect::<String>()
        };
        let calls = code.split("say_from!(").skip(1).map(call);
        let calls = calls.filter_map(|call| Some((call.split('"').nth(1)?.to_owned(), call)));
        calls.collect()
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the files are compared as they are written")]
    fn every_module_says_the_same_in_each_of_its_languages() {
        for module in super::all() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(module.folder());
            let read = |language: &str| messages(&fs::read_to_string(folder.join(language)).unwrap());
            let english = read("en.ftl");
            let said = said(&folder);
            assert_eq!(english, read("de.ftl"), "{}", module.folder());
            assert!(english.keys().eq(said.keys()), "{}: {:?} {:?}", module.folder(), english.keys(), said.keys());
            for (name, variables) in &english {
                let is_given = |variable: &String| said[name].contains(&format!("{variable} = "));
                assert!(variables.iter().all(is_given), "{}: {}", module.folder(), said[name]);
            }
        }
    }

    /// Every built-in command that is a tool of the chat model: `writes` must be right for each.
    #[test]
    fn tools_are_what_the_guide_promises() {
        let checked = checked(super::all());
        assert_eq!(checked.diagnostics.iter().count(), 0, "{:#?}", checked.diagnostics);
        let commands = checked.accepted.iter().flat_map(|module| &module.commands);
        let tools = commands.flat_map(|command| command.leaves()).filter_map(|leaf| {
            let path = leaf.path();
            let tool = leaf.tool.as_ref()?;
            Some(format!("{path} {}{}", tool.name, if tool.writes { " writes" } else { "" }))
        });
        let mut tools: Vec<_> = tools.collect();
        tools.sort();
        let expected = [
            "/files list files_list",
            "/files read files_read",
            "/files write files_write writes",
            "/memory save save_memory writes",
            "/status status",
            "/tasks add tasks_add writes",
            "/tasks done tasks_done writes",
            "/tasks list tasks_list",
            "/tasks remove tasks_remove writes",
        ];
        assert_eq!(tools, expected);
    }
}
