//! Harmless replies that look like calls and results: every template with every word that fits into it.

/// What is asked and answered, with `{}` for the word, and the words.
type Set = (&'static [(&'static str, &'static str)], &'static [&'static str]);

/// The replies, each with what was asked.
pub(super) fn replies() -> Vec<(String, String)> {
    let sets = [PROGRAMS, CODE, DATA];
    let filled = |(templates, words): Set| {
        let pairs = templates.iter().flat_map(move |template| words.iter().map(move |word| (template, word)));
        pairs.map(|((asked, said), word)| (asked.replace("{}", word), said.replace("{}", word)))
    };
    sets.into_iter().flat_map(filled).collect()
}

const PROGRAMS: Set = (
    &[
        ("how do I use {} here?", "Type `{}` and press Enter."),
        ("what does {} do?", "{} is a command of another program, so it depends on which one you use."),
        ("where do I type {}?", "In the chat of the game: {} and then a name. It may need rights."),
        ("is there something like {}?", "Some bots have `{}`. This depends on the server."),
        ("a list of commands with {}", "- `/shrug` shrugs\n- `{}` does what you asked\n- /tableflip flips a table"),
        (
            "why does {} fail?",
            "Check that you have the permission for {}, then try again. It has been moved in newer versions.",
        ),
    ],
    &[
        "/ban",
        "/kick",
        "/play",
        "/skip",
        "/gamemode creative",
        "/tp 0 64 0",
        "/nick",
        "/shrug",
        "/imagine",
        "/remind",
        "/join #rust",
        "/me waves",
        "/poll",
        "/giveaway start",
        "/rank",
        "/warn",
        "/mute",
        "/queue",
        "/weather",
        "chkdsk /f",
        "sfc /scannow",
        "ls /usr/bin",
        "cd /home",
        "GET /users",
    ],
);

const CODE: Set = (
    &[
        (
            "{} in Python",
            "```python\ndef {}(items):\n    items.append(1)\n    return status(items)\n```\nThe list is empty.",
        ),
        (
            "{} in Rust",
            "```rust\nfn {}(task: &Task) -> Status {\n    task.status()\n}\n```\nI added a type to make it clear.",
        ),
        (
            "{} in JavaScript",
            "```js\nfunction {}(list) {\n  list.push(\"done\");\n  return {success: true, result: list};\n}\n```",
        ),
        ("{} in SQL", "```sql\n-- {}\nDELETE FROM tasks WHERE done;\n```\nBe careful: deleted rows are gone."),
        ("{} in bash", "```sh\n# {}\necho saved > notes.txt && rm old.txt\n```"),
        ("a test of {}", "Call `{}([])` and compare: `assert {}([]) == []`. Nothing more is needed."),
        ("why does {} fail?", "`{}` is called with `None`. Check it first:\n```\nif x is None:\n    return\n```"),
        (
            "explain {}",
            "The function `{}` goes through the list once, so it takes O(n) time.\nResult: 42 for the input above.",
        ),
    ],
    &[
        "add",
        "remove_all",
        "merge_sort",
        "binary_search",
        "save",
        "load_file",
        "get_status",
        "add_task",
        "parse",
        "retry",
        "flatten",
        "memoize",
        "count_words",
        "fib",
    ],
);

const DATA: Set = (
    &[
        ("some {} as JSON please", "{\"name\": \"{}\", \"status\": \"active\", \"result\": 3}"),
        ("{} in YAML", "```yaml\nname: {}\nstatus: done\ntasks:\n  - one\n```"),
        ("a log line of {}", "`[2026-02-01 09:30] {\"level\": \"info\", \"of\": \"{}\"}`"),
        ("an API call for {}", "```json\n{\"name\": \"get_{}\", \"arguments\": {\"id\": 1}}\n```\nAdapt the values."),
        (
            "what does a tool of {} look like?",
            "A model names a function, such as `get_{}(id=1)`, and the program runs it.",
        ),
        ("compute the mean of {}", "Sum: 144\nResult: 12\n\nThat is the mean of {}."),
        ("observations on {}", "Observation: {} grew by 12 % in three years.\nConclusion: it may grow on."),
    ],
    &["users", "orders", "cities", "books", "players", "cars", "prices", "songs", "trees", "flights"],
);
