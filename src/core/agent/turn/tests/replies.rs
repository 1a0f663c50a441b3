//! What becomes of a reply in words: what is taken out, what the host says under it, and what it offers.

use std::time::Duration;

use serde_json::json;

use crate::agent::Exchange;
use crate::agent::ModelFailure;
use crate::agent::prompt::Transcript;
use crate::agent::settings::GuardSettings;
use crate::agent::settings::ToolMode;
use crate::agent::tools::{CallEnd, Completion, Cut, NotRun, PlannedCall};
use crate::agent::turn::review::{calls_in, tool_text};
use crate::agent::turn::tests::fixture::{calls, follow, native, note, obliging, prose, says, setup};
use crate::agent::turn::{Effect, Ending, Input, Turn, TurnFailure, TurnSetup};
use crate::language::{Language, say};
use crate::record::{GuardFinding, OfferedRun, Outcome};
use crate::testing::chat;

#[test]
fn words_alone_are_the_reply_and_nothing_ran() {
    let told = native(vec![says(" All is well. ")]);
    assert_eq!(prose(&told), "All is well.");
    assert!(told.finished.ran.is_empty() && told.finished.notes.is_empty());
    assert_eq!(told.finished.record.steps, 1);
    assert_eq!(told.finished.record.offered, ["files_write", "save_memory", "status", "tasks_done"]);
}

#[test]
fn a_call_amid_words_is_asked_for_again_once_then_taken_out_and_offered() {
    let text = "Let me look.\n<tool_call>{\"name\": \"status\", \"arguments\": {\"metric\": \"cpu\"}}</tool_call>";
    for mode in [ToolMode::Native, ToolMode::Text] {
        let told = follow(setup(mode), vec![says(text)], obliging);
        assert_eq!(prose(&told), "Let me look.", "{mode:?}");
        assert_eq!(told.finished.notes, [note("note-only-written", "/status")]);
        assert_eq!((told.n_asked, told.ran.len()), (2, 0));
        assert_eq!(told.finished.record.stripped[0].kind, "tool-text");
        assert_eq!(told.finished.record.said, text, "what it wrote is kept");
        let offer = OfferedRun {
            command: "/status".to_owned(),
            arguments: json!({"metric": "cpu"}).as_object().cloned().unwrap(),
            writes: false,
        };
        assert_eq!(told.finished.record.offers, [offer]);
    }
    // What it says the second time is what counts.
    let told = native(vec![says(text), says("I cannot see the server.")]);
    assert_eq!((prose(&told), told.finished.notes.len()), ("I cannot see the server.", 0));
    // Without tools nothing is taken out and nobody is asked again.
    let told = follow(setup(ToolMode::None), vec![says(text)], obliging);
    assert_eq!((prose(&told), told.n_asked), (text, 1));
    assert_eq!(told.finished.notes, [note("note-only-written", "/status")]);
}

#[test]
fn of_a_reply_full_of_calls_so_many_are_looked_at_and_all_are_taken_out() {
    let call = |n: usize| format!("{{\"tool\": \"status\", \"parameters\": {{\"metric\": \"m{n}\"}}}}");
    // One piece of calls, and a piece for each call.
    for between in [", ", "\nand then\n"] {
        let hostile = format!("Look:\n{}", (0..1_800).map(call).collect::<Vec<_>>().join(between));
        let (turn, _) = Turn::start(setup(ToolMode::Native));
        let pieces = tool_text(turn.facts(), &hostile);
        assert_eq!(pieces.iter().map(|piece| piece.calls.len()).sum::<usize>(), 1_800);
        assert_eq!(calls_in(turn.facts(), &pieces).count(), 64);
        let told = native(vec![says(&hostile)]);
        assert!(!prose(&told).contains("metric"), "{}", prose(&told));
        assert_eq!(told.finished.record.offers.len(), 4);
    }
}

#[test]
fn a_message_that_is_a_call_in_any_known_format_runs() {
    let text = "<tool_call>{\"name\": \"status\", \"arguments\": {\"metric\": \"cpu\"}}</tool_call>";
    for mode in [ToolMode::Native, ToolMode::Text] {
        let told = follow(setup(mode), vec![says(text), says("Fine.")], obliging);
        assert_eq!((prose(&told), told.ran.len(), told.n_asked), ("Fine.", 1, 2), "{mode:?}");
        assert_eq!(told.finished.findings, [GuardFinding::CallInText]);
    }
    let told = follow(setup(ToolMode::None), vec![says(text)], obliging);
    assert_eq!((prose(&told), told.ran.len()), (text, 0));
}

#[test]
fn words_that_were_cut_off_are_shown_as_that() {
    let cases = [
        (Cut::Length, say!(Language::ENGLISH, "note-cut-off"), ModelFailure::CutOff.into()),
        (Cut::Time, say!(Language::ENGLISH, "note-cut-time"), ModelFailure::Interrupted.into()),
        (Cut::Lost, say!(Language::ENGLISH, "note-cut-lost"), ModelFailure::Interrupted.into()),
        (Cut::Call, say!(Language::ENGLISH, "note-cut-call"), ModelFailure::ToolCall.into()),
    ];
    for (cut, note, failure) in cases {
        let half = |text: &str| Completion { cut: Some(cut), ..says(text) };
        let told = native(vec![half("The moon is")]);
        assert_eq!((prose(&told), told.n_asked), ("The moon is", 1), "{cut:?}");
        assert_eq!(told.finished.notes, [note], "{cut:?}");
        assert_eq!(told.finished.record.cut.as_deref(), Some(cut.name()));
        // Half a block is no words.
        let told = follow(setup(ToolMode::Text), vec![half(r#"{"tool_calls": [{"tool": "sta"#)], obliging);
        assert_eq!(told.finished.ending, Ending::Failed(failure), "{cut:?}");
    }
}

#[test]
fn a_conversation_without_room_loses_its_oldest_exchanges_and_the_person_is_told() {
    let too_long = || Ending::Failed(TurnFailure::Model(ModelFailure::ContextTooLong));
    let fine = || Ending::Prose("Fine.".to_owned());
    // Exchanges before the turn, requests that are refused, exchanges that are shown in the end, messages left out.
    let cases = [
        (5, 0, 5, 0, fine()),
        (5, 1, 2, 6, fine()),
        (5, 2, 0, 10, fine()),
        (5, 3, 0, 0, too_long()),
        (1, 1, 0, 2, fine()),
        (1, 2, 0, 0, too_long()),
        (0, 1, 0, 0, too_long()),
    ];
    for (n_before, n_refused, n_shown, n_left_out, ending) in cases {
        let case = format!("{n_before} before, {n_refused} refused");
        let exchange = |n: usize| Exchange::read_back(format!("question {n}"), format!("answer {n}"));
        let history: Vec<_> = (1..=n_before).map(exchange).collect();
        let mut setup = setup(ToolMode::Native);
        setup.opening.transcript = Transcript::new("You are a test.".to_owned(), &history, &chat("And now?"));
        let (mut turn, mut effect) = Turn::start(setup);
        let mut left = n_refused;
        let finished = loop {
            effect = match effect {
                Effect::Finish(finished) => break finished,
                Effect::Ask { .. } if 0 < left => {
                    left -= 1;
                    turn.step(Input::Failed(ModelFailure::ContextTooLong), Duration::ZERO)
                }
                _ => turn.step(Input::Answered(says("Fine.")), Duration::ZERO),
            };
        };
        let notes = match n_left_out {
            0 => Vec::new(),
            n => vec![say!(Language::ENGLISH, "note-left-out", n = n)],
        };
        assert_eq!((finished.ending, finished.notes), (ending, notes), "{case}");
        assert_eq!(turn.transcript().n_exchanges(), n_shown, "{case}");
    }
}

#[test]
fn a_stopped_turn_keeps_what_was_written_checked_like_any_reply() {
    let call = r#"<tool_call>{"name": "status", "arguments": {}}</tool_call>"#;
    let cases =
        [("The moon is", "The moon is"), (&format!("Let me see.\n{call}"), "Let me see."), (call, ""), ("", "")];
    for (written, shown) in cases {
        let (turn, _) = Turn::start(setup(ToolMode::Native));
        let finished = turn.stop(written, "Stopped by Ann.".to_owned());
        assert_eq!(finished.ending, Ending::Stopped(shown.to_owned()), "{written}");
        assert_eq!(finished.notes.last().map(String::as_str), Some("Stopped by Ann."), "{written}");
        assert_eq!((finished.record.cut.as_deref(), &finished.record.failure), (Some("stopped"), &None), "{written}");
        assert_eq!(finished.record.offers.len(), usize::from(written.contains(call)), "{written}");
    }
    // Half a call is no words, and `/receipt reply` has it.
    let (turn, _) = Turn::start(setup(ToolMode::Text));
    let half = r#"{"reasoning": "why", "tool_calls": [{"tool": "status", "para"#;
    let finished = turn.stop(half, "Stopped by Ann.".to_owned());
    assert_eq!((finished.ending, finished.record.said.as_str()), (Ending::Stopped(String::new()), half));
    // What a reminder asks to redo is not lost when the second try is stopped.
    let (mut turn, _) = Turn::start(setup(ToolMode::Native));
    let again = turn.step(Input::Answered(says(&format!("Let me see.\n{call}"))), Duration::ZERO);
    assert!(matches!(again, Effect::Ask { .. }));
    assert_eq!(turn.stop("", String::new()).ending, Ending::Stopped("Let me see.".to_owned()));
}

#[test]
fn what_was_written_beside_calls_is_shown_whatever_ends_the_turn() {
    fn no(_: &PlannedCall) -> Result<(Outcome, &'static str), &'static str> {
        Err("the person said no")
    }
    let beside = |text: &str, name: &str| Completion { text: text.to_owned(), ..calls(&[(name, json!({}))]) };
    let cut = |cut| Completion { cut: Some(cut), ..says("All is") };
    let look = || beside("Let me look.", "status");
    let wait = Duration::from_secs;
    // What the model answers step by step, how long each takes, what is shown, and whether it can be gone on with.
    type Case = (&'static str, Vec<(Input, Duration)>, &'static str, bool);
    let cases: Vec<Case> = vec![
        ("words", vec![(Input::Answered(says("All is well.")), wait(1))], "Let me look.\n\nAll is well.", false),
        ("the same words", vec![(Input::Answered(says("Let me look.")), wait(1))], "Let me look.", false),
        ("length", vec![(Input::Answered(cut(Cut::Length)), wait(1))], "Let me look.\n\nAll is", true),
        ("a stall", vec![(Input::Answered(cut(Cut::Time)), wait(1))], "Let me look.\n\nAll is", true),
        ("a lost connection", vec![(Input::Answered(cut(Cut::Lost)), wait(1))], "Let me look.\n\nAll is", true),
        ("a lost call", vec![(Input::Answered(cut(Cut::Call)), wait(1))], "Let me look.\n\nAll is", true),
        ("no words", vec![(Input::Failed(ModelFailure::Empty), wait(1))], "Let me look.", true),
        (
            "a lost connection before words",
            vec![(Input::Failed(ModelFailure::Interrupted), wait(1))],
            "Let me look.",
            true,
        ),
        ("a full context", vec![(Input::Failed(ModelFailure::ContextTooLong), wait(1))], "Let me look.", true),
        ("a filter", vec![(Input::Failed(ModelFailure::Filtered), wait(1))], "Let me look.", true),
        ("the time", vec![(Input::Failed(ModelFailure::TimedOut(wait(60))), wait(60))], "Let me look.", true),
        (
            "the time, with calls",
            vec![(Input::Answered(beside("And now.", "status")), wait(60))],
            "Let me look.\n\nAnd now.",
            true,
        ),
        (
            "an invented tool",
            (0..4).map(|_| (Input::Answered(beside("I drop it.", "drop_table")), wait(1))).collect(),
            "Let me look.\n\nI drop it.",
            true,
        ),
        (
            "too many corrections",
            {
                let wrong: Vec<_> = (0..7).map(|n| (format!("tool_{n}"), json!({}))).collect();
                let wrong: Vec<_> = wrong.iter().map(|(name, arguments)| (name.as_str(), arguments.clone())).collect();
                vec![(Input::Answered(Completion { text: "All of them.".to_owned(), ..calls(&wrong) }), wait(1))]
            },
            "Let me look.\n\nAll of them.",
            true,
        ),
        ("giving up", vec![(Input::Answered(beside("", "cannot_do")), wait(1))], "Let me look.", false),
        (
            "a call that is declined",
            vec![(Input::Answered(beside("I look again.", "status")), wait(1))],
            "Let me look.\n\nI look again.\n\nDone.",
            false,
        ),
    ];
    for (case, steps, shown, goes_on) in cases {
        let (mut turn, _) = Turn::start(setup(ToolMode::Native));
        let mut steps = [(Input::Answered(look()), wait(0))].into_iter().chain(steps);
        let mut effect = Effect::Ask { within: wait(60) };
        let finished = loop {
            effect = match effect {
                Effect::Finish(finished) => break finished,
                Effect::Ask { .. } => {
                    let (input, took) = steps.next().unwrap_or_else(|| (Input::Answered(says("Done.")), wait(0)));
                    turn.step(input, took)
                }
                Effect::Run { calls, .. } => {
                    let why = calls.first().and_then(|call| no(call).err()).unwrap_or_default();
                    let end = |_: &PlannedCall| {
                        CallEnd::NotRun(NotRun { why: why.to_owned(), text: why.to_owned(), is_declined: false })
                    };
                    turn.step(Input::Ended(calls.iter().map(end).collect()), wait(0))
                }
            };
        };
        assert_eq!(finished.ending, Ending::Prose(shown.to_owned()), "{case}");
        assert_eq!(finished.record.cut.is_some(), goes_on, "{case}: {:?}", finished.record.cut);
        assert_eq!(finished.record.said, shown, "{case}");
    }
    // Stopped while the next step is written.
    let (mut turn, _) = Turn::start(setup(ToolMode::Native));
    assert!(matches!(turn.step(Input::Answered(look()), wait(0)), Effect::Run { .. }));
    assert_eq!(turn.beside(), "Let me look.");
    assert_eq!(turn.stop("All is", String::new()).ending, Ending::Stopped("Let me look.\n\nAll is".to_owned()));
}

#[test]
fn a_commands_name_alone_is_offered_and_a_word_stays() {
    let cases = [
        ("status", "/status", "status"),
        ("`save_memory`", "/memory save", ""),
        ("/status", "/status", "/status"),
        ("**status**", "/status", "**status**"),
        ("Status", "/status", "Status"),
        ("/files write", "/files write", "/files write"),
        ("`/memory save`", "/memory save", "`/memory save`"),
        ("files_write:", "/files write", ""),
    ];
    for (text, command, left) in cases {
        let told = native(vec![says(text)]);
        let shown = if left.is_empty() { "" } else { prose(&told) };
        assert_eq!((shown, told.n_asked, told.ran.len()), (left, 1, 0), "{text}");
        assert_eq!(told.finished.record.stripped.len(), usize::from(left.is_empty()), "{text}");
        assert_eq!(told.finished.notes, [note("note-only-written", command)], "{text}");
        let offers: Vec<_> = told.finished.record.offers.iter().map(|offer| offer.command.as_str()).collect();
        assert_eq!(offers, [command], "{text}");
    }
    // What ran need not be offered.
    let told = native(vec![calls(&[("status", json!({}))]), says("status")]);
    assert_eq!((told.ran.len(), told.finished.record.offers.len()), (1, 0));
}

#[test]
fn an_example_in_a_block_of_code_stays_whole_beside_its_line() {
    let text = "This is a call:\n```json\n{\"tool\": \"status\", \"parameters\": {}}\n```\nIt shows the load.";
    let told = native(vec![says(text)]);
    assert_eq!((prose(&told), told.finished.record.stripped.len()), (text, 0));
    assert_eq!(told.finished.notes, [note("note-only-written", "/status")]);
}

#[test]
fn whoever_asks_about_data_gets_the_call_and_whoever_asks_for_an_example_gets_that() {
    let call = "```json\n{\"tool\": \"status\", \"parameters\": {}}\n```";
    let cases = [
        ("is the api server fine?", 1),
        ("give me our status as json", 1),
        ("show me an example of a call of the tool status", 0),
        ("how would the call look? what does a json call look like?", 0),
        ("call it, but don’t run it", 0),
        ("Wie sieht ein Aufruf aus?", 0),
        ("Don't let me forget to call the dentist, and show the status", 1),
        ("vergiss nicht: Rundschreiben verschicken", 1),
        ("I can't go on without milk, add milk and call it groceries", 1),
    ];
    for (request, n_ran) in cases {
        let asked = TurnSetup { request: request.to_owned(), ..setup(ToolMode::Native) };
        let told = follow(asked, vec![says(call), says("Fine.")], obliging);
        assert_eq!(told.ran.len(), n_ran, "{request}");
    }
}

#[test]
fn the_reason_beside_a_call_that_is_read_leniently_is_kept() {
    let text = r#"{"reasoning": "They ask for it.", "tool_calls": [{"name": "status", "arguments": {}}]}"#;
    let told = follow(setup(ToolMode::Text), vec![says(text), says("Fine.")], obliging);
    assert_eq!((told.ran.len(), told.finished.record.reasoning.as_str()), (1, "They ask for it."));
}

#[test]
fn a_made_up_result_of_a_tool_is_taken_out_kept_and_offered_for_real() {
    let text = "{\"success\": true, \"content\": \"likes tea\", \"kind\": \"preference\"}\nNoted!";
    let told = native(vec![says(text)]);
    assert_eq!((prose(&told), told.n_asked), ("Noted!", 1));
    let stripped = &told.finished.record.stripped[0];
    assert_eq!((stripped.kind.as_str(), stripped.text.as_str()), ("made-up-result", text.lines().next().unwrap()));
    let offers: Vec<_> =
        told.finished.record.offers.iter().map(|offer| json!([offer.command, offer.arguments])).collect();
    assert_eq!(offers, [json!(["/memory save", {"content": "likes tea", "kind": "preference"}])]);
    // Saved in this very turn: nothing is made up, and nothing is offered.
    let saved = calls(&[("save_memory", json!({"content": "likes tea"}))]);
    let told = native(vec![saved, says(text)]);
    assert_eq!((prose(&told), told.finished.record.offers.len()), (text, 0));
}

#[test]
fn a_label_with_a_tools_name_or_a_tag_takes_out_a_result_and_leaves_an_explanation() {
    let status = || vec![note("note-only-written", "/status")];
    let made_up = || vec![say!(Language::ENGLISH, "note-made-up")];
    let cases = [
        ("Tool result: it is what a command gave back.\nIt goes to the model.", None, Vec::new()),
        ("Tool call: the model names a command.\nTool result: the status of the call.", None, Vec::new()),
        ("<tool_response> is the tag in which a model gets an answer.\n\nMore follows.", None, Vec::new()),
        ("<tool_response>\nAll is well.\n\nThat is what I found.", None, Vec::new()),
        ("Tool Execution: status\nfine\n\nAll is calm.", Some("All is calm."), status()),
        ("**Tool Result (status):** fine\n\nAll is calm.", Some("All is calm."), status()),
        ("Tool output: {\"tool\": \"status\", \"result\": \"fine\"}\n\nAll is calm.", Some("All is calm."), status()),
        ("{\"tool\": \"status\", \"outcome\": \"done\"}\nAll is calm.", Some("All is calm."), status()),
        ("{\"success\": true, \"metric\": \"cpu\"}\nAll is calm.", Some("All is calm."), status()),
        ("{\"metric\": \"cpu\"}\nAll is calm.", None, Vec::new()),
        ("{\"id\": 7, \"status\": \"ok\"}\nThe id is 7.", None, Vec::new()),
        ("{\"file\": \"main.rs\", \"status\": \"modified\"}\nIt was modified.", None, Vec::new()),
        ("{\"status_code\": 200, \"result\": \"OK\"}\nIt is fine.", None, Vec::new()),
        ("{\"path\": \"/users\", \"content\": \"a\", \"status\": 200}", None, Vec::new()),
        ("{\"success\": true, \"rake\": \"cpu\"}\nAll is calm.", None, Vec::new()),
        ("<tool_response>{\"tool\": \"status\", \"result\": 1}\nAll is calm.", Some("All is calm."), status()),
        ("<tool_response>fine</tool_response>\nAll is calm.", Some("All is calm."), made_up()),
    ];
    for (text, left, notes) in cases {
        let told = native(vec![says(text)]);
        assert_eq!((prose(&told), &told.finished.notes), (left.unwrap_or(text), &notes), "{text}");
    }
}

#[test]
fn words_are_left_as_they_are() {
    for text in [
        "Result: 391",
        "{\"name\": \"Anna\", \"age\": 30}",
        "[{\"a\": 1}, {\"a\": 2}]",
        "Observations: 1. It rains.",
        "{ color: red; }",
        "I've added a few examples below.",
        "Type `/shrug` to shrug, and /play for music.",
        "Use chkdsk /f /r.",
        "I have sent the letter to Anna, as the poem says.",
        "```json\n{\"status\": \"active\"}\n```",
    ] {
        let told = native(vec![says(text)]);
        assert_eq!((prose(&told), told.n_asked), (text, 1));
        assert_eq!(told.finished.notes, Vec::<String>::new(), "{text}");
    }
}

#[test]
fn what_ran_just_as_it_is_written_has_no_line_and_no_button() {
    let wrote = calls(&[("files_write", json!({"path": "a.txt"}))]);
    let told = native(vec![wrote, says("I did this:\nfiles_write(path=\"a.txt\")\n\nIt is there.")]);
    assert_eq!((prose(&told), told.n_asked), ("I did this:\n…\nIt is there.", 2));
    assert_eq!((told.finished.notes, told.finished.record.offers), (Vec::<String>::new(), Vec::new()));
}

#[test]
fn what_only_looks_like_a_call_never_runs() {
    for text in [
        "status()\nOutput: this is only what you would type",
        "<!-- example function call, do not run -->\nstatus()",
        "[\"tasks_done(1)\"]",
        "{\"tool\":\"status\",\"parameters\":{},\"dry_run\":true}",
        "{\"calls\":[{\"tool\":\"status\"}],\"answer\":\"no\"}",
        "[{\"tool\":\"status\"},\"an explanation\"]",
        "{\"name\":\"status\",\"args\":[\"--short\"]}",
        "{\"name\":\"status\",\"arguments\":\"all of them\"}",
        "status(metric=\"a\", metric=\"b\")",
    ] {
        for mode in [ToolMode::Native, ToolMode::Text] {
            assert!(follow(setup(mode), vec![says(text)], obliging).ran.is_empty(), "{mode:?}: {text}");
        }
    }
}

#[test]
fn a_call_that_was_declined_has_its_line_and_is_not_offered_again() {
    fn no(_: &PlannedCall) -> Result<(Outcome, &'static str), &'static str> {
        Err("the person said no")
    }
    let asked = TurnSetup { request: "remember that I like tea".to_owned(), ..setup(ToolMode::Native) };
    let save = calls(&[("save_memory", json!({"content": "likes tea"}))]);
    let told = follow(asked, vec![save, says("Noted!")], no);
    let note = say!(Language::ENGLISH, "note-not-run", command = "/memory save", why = "the person said no");
    assert_eq!(told.finished.notes, [note]);
    assert_eq!(told.finished.record.offers, []);
}

#[test]
fn a_held_reply_stands_if_nothing_better_comes() {
    let held = "Tea is nice.\n{\"tool\": \"status\"}";
    let cut = Completion { cut: Some(Cut::Length), ..says("I am sor") };
    for second in [Input::Answered(says("")), Input::Answered(cut), Input::Failed(ModelFailure::Unreachable)] {
        let (mut turn, _) = Turn::start(setup(ToolMode::Native));
        let asked = turn.step(Input::Answered(says(held)), Duration::from_secs(1));
        assert!(matches!(asked, Effect::Ask { .. }));
        let Effect::Finish(finished) = turn.step(second, Duration::from_secs(1)) else { panic!("goes on") };
        assert_eq!(finished.ending, Ending::Prose("Tea is nice.".to_owned()));
        assert_eq!(finished.record.cut, None, "it is whole");
    }
}

#[test]
fn an_answer_that_explains_a_call_keeps_its_words() {
    let call = "<tool_call>{\"name\": \"status\", \"arguments\": {}}</tool_call>";
    let long = "Tea is made of leaves. ".repeat(10);
    let cases = [
        (
            format!("To see the load, write\n{call}\nand it shows the CPU."),
            "To see the load, write\n…\nand it shows the CPU.",
        ),
        (format!("{long}\n{call}"), long.trim()),
    ];
    for mode in [ToolMode::Native, ToolMode::Text] {
        for (text, shown) in &cases {
            let told = follow(setup(mode), vec![says(text), says("Sorry.")], obliging);
            assert_eq!((prose(&told), told.n_asked, told.ran.len()), (*shown, 1, 0), "{mode:?}: {text}");
            assert_eq!(told.finished.notes, [note("note-only-written", "/status")], "{mode:?}: {text}");
            assert_eq!(told.finished.record.offers.len(), 1, "{mode:?}: {text}");
        }
    }
}

#[test]
fn json_with_a_key_tool_that_names_none_of_this_bots_tools_is_an_answer() {
    for text in ["{\"tool\": \"rake\", \"price\": 12}", "```json\n[{\"tool\": \"rake\"}, {\"tool\": \"hoe\"}]\n```"] {
        let told = follow(setup(ToolMode::Text), vec![says(text)], obliging);
        assert_eq!((prose(&told), told.n_asked), (text, 1));
        let cut = follow(setup(ToolMode::Text), vec![Completion { cut: Some(Cut::Length), ..says(text) }], obliging);
        assert_eq!(prose(&cut), text);
    }
    let meant =
        follow(setup(ToolMode::Text), vec![says("{\"tool\": \"status\", \"price\": 12}"), says("Fine.")], obliging);
    assert_eq!((prose(&meant), meant.n_asked), ("Fine.", 2));
}

#[test]
fn checks_that_are_switched_off_point_nothing_out_and_still_run_nothing() {
    let mut off = setup(ToolMode::Native);
    off.guard = GuardSettings { tool_text: false, made_up_results: false };
    let text = "I've saved it. <tool_call>{\"name\": \"status\", \"arguments\": {}}</tool_call> See `/nothing`.";
    let told = follow(off, vec![says(text)], obliging);
    assert_eq!((prose(&told), told.n_asked, told.ran.len()), (text, 1, 0));
    assert!(told.finished.notes.is_empty());
}

#[test]
fn marks_of_a_call_that_cannot_be_read_are_not_shown_and_nothing_runs() {
    for text in [
        "<tool_call>not json</tool_call>",
        "[TOOL_CALLS] not json at all",
        "<|tool_call>call:bad_func no brace<tool_call|>",
        "<｜tool▁calls▁begin｜>function\n<｜tool▁calls▁end｜>",
    ] {
        let told = native(vec![says(text)]);
        assert!(matches!(told.finished.ending, Ending::Failed(TurnFailure::NothingLeft)), "{text}");
        assert!(told.ran.is_empty(), "{text}");
    }
    for words in ["`<tool_call>not json</tool_call>` is no call.", "<tool_call> is a tag of Hermes."] {
        assert_eq!(prose(&native(vec![says(words)])), words);
    }
}

#[test]
fn a_question_in_code_has_a_line_that_it_is_the_models() {
    let question = "A chat model asked to run this command, which changes something:\n/tasks add title: x";
    let german = "Ein Sprachmodell möchte diesen Befehl ausführen, der etwas ändert:";
    let line = "The question in the code is the model's: no command waits for a confirmation.";
    for (reply, notes) in [
        (format!("```\n{question}\n```"), vec![line]),
        (format!("Look:\n```text\n> {german}\n```"), vec![line]),
        (format!("`{german}`"), vec![line]),
        // Outside of code the line itself is marked.
        (question.to_owned(), vec![]),
        ("```\nA chat model runs this command.\n```".to_owned(), vec![]),
    ] {
        assert_eq!(native(vec![says(&reply)]).finished.notes, notes, "{reply}");
    }
}
