//! Sentences, and which of them claim what nothing backs.

use serde_json::json;

use super::unbacked_claims;
use crate::agent::tools::OfferedTool;
use crate::inbound::CommandPath;

fn tool(name: &str, writes: bool, claims: &[&str]) -> OfferedTool {
    OfferedTool {
        name: name.to_owned(),
        path: CommandPath::new(name, None),
        description: "A tool".to_owned(),
        schema: json!({ "type": "object" }),
        writes,
        claims: claims.iter().map(|&claim| claim.to_owned()).collect(),
    }
}

fn offered() -> Vec<OfferedTool> {
    vec![
        tool("status", false, &["checked the status"]),
        tool("memory_save", true, &["saved", "noted"]),
        tool("files_write", true, &["wrote the file", "written to"]),
    ]
}

/// What is a claim if nothing ran.
const CLAIMS: &[&str] = &[
    "I've saved that to memory.",
    "I have saved that for you!",
    "I saved it.",
    "I just saved your note.",
    "I've just **saved** your note",
    "I’ve saved it.",
    "I have now successfully stored your preference.",
    "I've gone ahead and deleted the old file.",
    "I've also added milk to your list.",
    "I added milk to your shopping list.",
    "I've created a file named notes.txt.",
    "I've created the file with the summary.",
    "I have scheduled a reminder for tomorrow.",
    "I removed the task from your list.",
    "I sent the message to Ada.",
    "I've cancelled the booking.",
    "I executed the command.",
    "I ran `/status` for you.",
    "I've looked up the weather.",
    "I checked the server.",
    "I wrote notes to the file.",
    "I've noted that you like tea.",
    "Your note has been saved.",
    "The files have been deleted.",
    "It's been updated.",
    "The reminder has now been set successfully.",
    "The file was successfully created.",
    "Successfully connected to the database.",
    "File successfully written to disk.",
    "✅ Reminder successfully scheduled!",
    "Your message was sent successfully.",
    "Command executed successfully.",
    "Saved!",
    "No problem, I've saved it.",
    "Don't worry, I've deleted everything.",
    "I couldn't find the file, but I've created a new file.",
    "I can confirm that I've saved your note.",
    "I've saved it, so you can look at it when you want.",
    "I've saved \"milk\" and \"eggs\".",
    "I've created the file, saved it, and sent it to Ada.",
    "The file has been removed by calling files_remove.",
    "If you need it: I've saved the file.",
    "I've saved your file, as I said earlier.",
    "I've saved your file earlier today, just now.",
    "I've now saved what we had yesterday.",
    "As previously requested, I've deleted the file.",
    "I've saved the file you sent yesterday.",
    "I've deleted your tasks from last week.",
    "I saved it a moment ago.",
    "I've `saved` your file.",
    "I have `deleted` all of it.",
    "Your note has been `saved`.",
    "I've\nsaved your file.",
    "I've just **\nSaved** your file.",
    "All is well, and I've gone ahead and\n`deleted` the old\nfile.",
    "I've deleted the `table` for you.",
];

/// What claims nothing.
const OTHERS: &[&str] = &[
    "Hello! How can I help you today?",
    "Hi there, nice to see you again.",
    "Good morning! I hope you are well.",
    "You're welcome!",
    "I'm doing great, thanks for asking.",
    "Nice to meet you, Ada. What shall we talk about?",
    "Sure, happy to help.",
    "I have not saved anything.",
    "I haven't saved it.",
    "I couldn't save it, and nothing has been saved.",
    "I was unable to confirm that it has been saved.",
    "No file has been deleted.",
    "I've saved nothing.",
    "I don't think I've saved that.",
    "Have I saved that?",
    "Should I say that I've saved it?",
    "If I've saved it, it is in the list.",
    "Once I've saved the file, you can open it.",
    "I'll tell you when I have saved it.",
    "It will be successfully saved.",
    "It can be successfully deleted with /files.",
    "It should have been saved.",
    "I will save it, and I can delete it.",
    "I would have saved it.",
    "I'm going to save it.",
    "He said: \"I've saved it.\"",
    "Write “I have deleted the file” in the log.",
    "Use `I've saved it` as the text.",
    "```\nI've saved it.\n```",
    "> I've saved it.",
    "The file was created on 2024-05-01.",
    "It was saved by the system.",
    "You've saved three notes.",
    "You have successfully added a task.",
    "I saved it earlier.",
    "I've previously stored that for you.",
    "Last time I deleted the file.",
    "I sent that two days ago.",
    "NASA successfully launched the rocket.",
    "Apollo 11 was successfully landed on the moon in 1969.",
    "The law has been changed since 2010.",
    "That feature has been removed by Discord.",
    "I have been updated with new knowledge.",
    "I ran into a problem.",
    "I've run out of ideas.",
    "I've added a comma to the second sentence.",
    "I've updated the code below.",
    "I've created a short poem for you.",
    "I've checked the grammar of your text.",
    "I called it a day.",
    "I looked at it closely.",
    "I run every command you ask for.",
    "The saved notes are in the list.",
    "To delete a task, use /tasks remove.",
    "A deleted file cannot be restored.",
    "Added value is a nice thing to have.",
    "I wrote a poem about the sea.",
    "Yesterday I deleted the file.",
    "I earlier saved it, as you asked.",
    "Once I've\nsaved the file, you can open it.",
    "If I have\nsaved it, it is in\nthe list.",
    "The columns are `created` and `deleted`.",
    "It has the states `saved` and `sent`.",
    "Ich habe das gespeichert.",
];

#[test]
fn every_plain_claim_is_caught() {
    let missed: Vec<_> = CLAIMS.iter().filter(|claim| unbacked_claims(claim, &offered(), &[]) != [**claim]).collect();
    assert_eq!(missed, Vec::<&&str>::new());
}

#[test]
fn greetings_and_what_claims_nothing_are_left_alone() {
    let flagged: Vec<_> = OTHERS.iter().flat_map(|other| unbacked_claims(other, &offered(), &[])).collect();
    assert_eq!(flagged, Vec::<String>::new());
}

#[test]
fn a_claim_is_backed_by_a_tool_that_does_such_things() {
    let status = || vec![tool("status", false, &["checked the status"])];
    let save = || vec![tool("memory_save", true, &["saved", "noted"])];
    let quiet = || vec![tool("tasks_list", false, &[])];
    let tasks = || vec![tool("tasks_remove", true, &["deleted", "put on the list"])];
    let write = || vec![tool("files_write", true, &["wrote the file", "created the file", "saved to"])];
    let cases = [
        ("I've saved it.", save(), true),
        ("I've stored it.", save(), true),
        ("I've noted it.", save(), true),
        ("I wrote notes to the file.", save(), false),
        ("I checked the status.", save(), true),
        ("I ran the command.", quiet(), true),
        ("Successfully loaded the list.", quiet(), true),
        ("I checked the status.", status(), true),
        // A tool that reads backs no claim of change.
        ("I've saved it.", status(), false),
        ("The note has been deleted.", quiet(), false),
        ("I checked the status and deleted the file.", status(), false),
        ("Successfully configured.", status(), false),
        ("Saved!", save(), true),
        // A tool that writes backs its own verbs of change, and what is as good as them.
        ("I've deleted all your tasks and sent the email.", save(), false),
        ("I've saved it and sent the email.", save(), false),
        ("I've saved it, recorded it, and remembered it.", save(), true),
        ("Your note has been deleted.", save(), false),
        ("I've updated your profile.", save(), false),
        ("Deleted!", save(), false),
        ("I've wiped it. It was successfully erased.", tasks(), true),
        ("I removed the task.", tasks(), true),
        ("Successfully put the task away.", tasks(), false),
        ("I've put it on the list.", tasks(), true),
        ("I've created the file notes.txt.", write(), true),
        ("Successfully written notes.txt.", write(), true),
        ("I've saved your notes.", write(), true),
        ("I've deleted notes.txt.", write(), false),
        ("I've deleted notes.txt and saved the rest.", [write(), tasks()].concat(), true),
        // Of one that declares no claims nobody knows what it does.
        ("I've deleted all your tasks and sent the email.", vec![tool("purge", true, &[])], true),
    ];
    for (claim, done, is_backed) in cases {
        let found = unbacked_claims(claim, &offered(), &done);
        assert_eq!(found.is_empty(), is_backed, "{claim}");
    }
}

#[test]
fn what_discord_shows_as_text_is_read_as_text() {
    assert_eq!(unbacked_claims("~~~\nI've saved it.\n~~~", &[], &[]), ["I've saved it."]);
    assert_eq!(unbacked_claims("~~~text\n```\nI've saved it.\n~~~\n```", &[], &[]), Vec::<String>::new());
    assert_eq!(unbacked_claims("I've\n```\nx\n```\nsaved it.", &[], &[]), Vec::<String>::new());
    let names = "I've added the fields `created`, `updated` and `deleted` to the database.";
    assert_eq!(unbacked_claims(names, &[], &[tool("add", true, &["added"])]), Vec::<String>::new());
}

#[test]
fn claims_are_returned_as_written_each_once_and_at_most_five() {
    let reply = "Sure! I've **saved** `a. b`. Anything else?\n- I've **saved** it. I've **saved** `a. b`.";
    assert_eq!(unbacked_claims(reply, &[], &[]), ["I've **saved** `a. b`.", "- I've **saved** it."]);

    let many: String = (0..9).map(|n| format!("I deleted file {n}. ")).collect();
    let first_five: Vec<_> = (0..5).map(|n| format!("I deleted file {n}.")).collect();
    assert_eq!(unbacked_claims(&many, &[], &[]), first_five);
}
