//! What a person sees under a reply of a model, by kind and language, with the modules that ship.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use candor_core::agent::prompt::{Opening, Transcript};
use candor_core::agent::tools::{Completion, OfferedSet};
use candor_core::agent::{Effect, Ending, Finished, GuardSettings, Input, ToolMode, Turn, TurnLimits, TurnSetup};
use candor_core::contract::check;
use candor_core::inbound::Place;
use candor_core::language::Language;
use candor_core::registry::{Catalog, Registry};
use candor_core::testing::chat;

fn catalog() -> Catalog {
    let checked = check(candor::host::builtin::module(), candor_modules::all(), Vec::new());
    assert!(checked.rejected.is_empty(), "{:?}", checked.diagnostics);
    Catalog::new(Arc::new(Registry::build(checked)), false)
}

/// A turn in which nothing runs, and the model says this twice if it is asked twice.
fn reply(catalog: &Catalog, asked: &str, said: &str) -> Finished {
    let setup = TurnSetup {
        model: "any".to_owned(),
        mode: ToolMode::Native,
        limits: TurnLimits::default(),
        guard: GuardSettings::default(),
        offered: OfferedSet::of(catalog, Place::Console, &BTreeSet::new()),
        catalog: catalog.clone(),
        opening: Opening { transcript: Transcript::new(String::new(), &[], &chat(asked)), room: 10_000 },
        request: asked.to_owned(),
        ran_before: BTreeSet::new(),
        language: Language::ENGLISH,
    };
    let (mut turn, mut effect) = Turn::start(setup);
    loop {
        effect = match effect {
            Effect::Ask { .. } => {
                let answer = Completion { text: said.to_owned(), calls: Vec::new(), cut: None };
                turn.step(Input::Answered(answer), Duration::from_millis(1))
            }
            Effect::Finish(finished) => return *finished,
            Effect::Run { calls, .. } => panic!("{asked:?}: {calls:?} would run"),
        };
    }
}

/// The reply as a person sees it.
fn seen(catalog: &Catalog, asked: &str, said: &str) -> String {
    let finished = reply(catalog, asked, said);
    let words = match &finished.ending {
        Ending::Prose(text) if text == said => "(as written)".to_owned(),
        Ending::Prose(text) | Ending::Stopped(text) => text.clone(),
        Ending::Failed(failure) => failure.text(Language::ENGLISH),
    };
    let buttons = finished.record.offers.iter().map(|offer| match offer.arguments.is_empty() {
        true => format!("[Run {}]", offer.command),
        false => format!("[Run {} {}]", offer.command, serde_json::Value::Object(offer.arguments.clone())),
    });
    let lines: Vec<_> = [words].into_iter().chain(finished.notes.iter().cloned()).chain(buttons).collect();
    format!("> {asked}\n| {}\n{}\n", said.replace('\n', "\n| "), lines.join("\n"))
}

fn table(cases: &[(&str, &str)]) -> String {
    let catalog = catalog();
    cases.iter().map(|(asked, said)| seen(&catalog, asked, said)).collect::<Vec<_>>().join("\n")
}

#[test]
fn what_was_asked_for_and_did_not_happen_is_said() {
    insta::assert_snapshot!(table(&[
        ("remember that I like tea", "Noted!"),
        ("please add milk to my list", "Done! ✅ Milk is now on your task list."),
        ("add milk to the list", "All set — milk's on the list!"),
        ("mark task 1 as done", "Task 1 is now marked as complete."),
        ("delete all tasks", "All tasks are gone."),
        ("remind me at 9", "I've set a reminder for tomorrow"),
        ("save my notes", "I have saved your notes."),
        ("what's our status?", "All systems are fine."),
        ("which tasks are open?", "You have 5 open tasks, among them buy milk."),
        ("merk dir, dass ich Tee mag", "Alles klar, ich merke mir das."),
        ("füge Milch zur Liste hinzu", "Erledigt! Milch steht auf der Liste."),
        ("wie geht es dem Server?", "Dem Server geht es gut."),
        ("souviens-toi que j'aime le thé", "C'est noté !"),
        ("ajoute du lait à la liste", "Ajouté à la liste."),
        ("comment va le serveur ?", "Tout va bien."),
        ("recuerda que me gusta el té", "¡Anotado!"),
        ("añade leche a la lista", "Listo, la leche está en la lista."),
    ]));
}

#[test]
fn what_a_reply_claims_without_being_asked_is_said() {
    insta::assert_snapshot!(table(&[
        ("thanks", "**Milk** added to your tasks."),
        ("and?", "✅ Task added: Milk"),
        ("ok", "The `write_file` tool has been used to create a new file named `requirements.txt`."),
        ("I like tea", "Saved memory 1 (fact): likes tea"),
        (
            "how are things?",
            "CPU 45 %, Revenue today $12,400, Top user alice_92. Use /status history or /status alerts"
        ),
        ("und?", "Ich habe die Aufgabe gelöscht."),
        ("et alors ?", "J'ai supprimé la tâche."),
        ("¿y?", "He eliminado la tarea."),
    ]));
}

#[test]
fn calls_and_results_of_this_bots_tools_are_offered_for_real() {
    insta::assert_snapshot!(table(&[
        ("hm", "Sure.\n{\"tool\": \"save_memory\", \"parameters\": {\"content\": \"likes tea\"}}"),
        ("hm", "Let me do that.\ntasks_add(title=\"milk\")"),
        ("hm", "Thought: I should look.\nAction: tasks_list\nAction Input: {}\nObservation: 1. eggs\n\nYou have eggs."),
        ("hm", "{\"success\": true, \"memory_type\": \"journal\", \"content\": \"likes tea\"}\nI saved it."),
        ("hm", "[2026-02-01 09:30] {\"success\": true, \"content\": \"likes tea\"}\nI saved it."),
        ("hm", "Tool Result: CPU 3 %\n\nAll is calm."),
        ("hm", "tasks_add"),
        ("hm", "Here is how I would do it:\n```json\n{\"tool\": \"tasks_list\", \"parameters\": {}}\n```\nShall I?"),
    ]));
}

#[test]
fn harmless_replies_stay_as_they_are_without_a_line() {
    let catalog = catalog();
    let cases = [
        ("what is 17*23?", "Result: 391"),
        ("only json please", "{\"name\": \"Anna\", \"age\": 30}"),
        ("roll a die", "🎲 Result: 17"),
        ("how can I shrug?", "Type `/shrug`. There are also /tableflip, /me and /nick."),
        ("a poem", "I have sent the files to Anna,\nI sent you the file."),
        ("review my code", "I also added a media query and removed the float."),
        ("teach me", "Approximately 4 billion books have been published."),
        ("examples?", "I've added a few examples below."),
        ("a story", "The kitchen has been updated, and songs have been recorded throughout history."),
        ("how do I list files on Windows?", "Use `chkdsk /f /r` and `dir`."),
        (
            "write a linked list",
            "```python\ndef add(self, node):\n    self.list.append(node)\n    status()\n```\nDone is better than perfect.",
        ),
        ("what's a task queue?", "A task queue holds tasks that are executed later. Tasks can be added at any time."),
        ("status codes?", "HTTP status 404 means that nothing was found; 200 is fine."),
        ("what is a fresh start?", "Nothing is saved or added unless you say so."),
        ("schreib ein Gedicht", "Der Mond ist aufgegangen, die goldnen Sternlein prangen."),
        (
            "a haiku",
            "Done! Here is your haiku:\nAn old silent pond,\na frog jumps into the pond,\nsplash, silence again.",
        ),
        ("wer war Goethe?", "Goethe hat viele Werke geschrieben und den Faust vollendet."),
        ("qui était Hugo ?", "Victor Hugo a écrit Les Misérables."),
        ("¿quién fue Cervantes?", "Cervantes escribió Don Quijote."),
        (
            "explain OpenAI functions",
            "```json\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Rome\"}}\n```\nAdapt the values.",
        ),
    ];
    for (asked, said) in cases {
        let finished = reply(&catalog, asked, said);
        assert_eq!(finished.ending, Ending::Prose(said.to_owned()), "{asked}");
        assert_eq!(finished.notes, Vec::<String>::new(), "{asked}: {said}");
    }
}
