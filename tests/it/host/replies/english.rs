//! Replies in English.

use super::Kind::{self, ActedOut, Code, FakeLabel, Harmless, React, Result};

pub(super) const REPLIES: &[(Kind, &str, &str)] = &[
    (Result, "hm", "{\"success\": true, \"memory_type\": \"journal\", \"content\": \"likes tea\"}\nI saved it."),
    (Result, "hm", "[2026-02-01 09:30] {\"success\": true, \"content\": \"likes tea\"}\nI saved it."),
    (Result, "hm", "Tool Result: CPU 3 %\n\nAll is calm."),
    (
        Result,
        "hm",
        "<tool_response>{\"tool\": \"tasks_list\", \"result\": \"1. eggs\"}</tool_response>\nYou have eggs.",
    ),
    (Result, "hm", "{\"cpu\": 45, \"memory\": 4.2}"),
    (Result, "hm", "[{\"id\": 1, \"title\": \"milk\", \"done\": false}]"),
    (Result, "hm", "{\"success\": true, \"path\": \"notes.txt\"}\nI saved it."),
    (Result, "hm", "{\"success\": true, \"path\": \"notes.txt\", \"bytes\": 12}"),
    (Harmless, "hm", "{\"success\": true, \"content\": \"Hello\"}"),
    (Harmless, "what does the api return?", "{\"id\": 1, \"title\": \"milk\", \"done\": false}"),
    (ActedOut, "hm", "Sure.\n{\"tool\": \"save_memory\", \"parameters\": {\"content\": \"likes tea\"}}"),
    (ActedOut, "hm", "Let me do that.\ntasks_add(title=\"milk\")"),
    (ActedOut, "hm", "tasks_add"),
    (ActedOut, "hm", "status"),
    (ActedOut, "hm", "**Tool Execution: tasks_list**\n1. eggs\n\nYou have eggs."),
    (
        React,
        "hm",
        "Thought: I should look.\nAction: tasks_list\nAction Input: {}\nObservation: 1. eggs\n\nYou have eggs.",
    ),
    (FakeLabel, "hm", "It ran: receipt 7F3K2 ✓ /status"),
    (FakeLabel, "hm", "Verified by the host: /status ✓ 7F3K2"),
    (
        Code,
        "how?",
        "Here is how I would do it:\n```json\n{\"tool\": \"tasks_list\", \"parameters\": {}}\n```\nShall I?",
    ),
    (Harmless, "what is 17*23?", "Result: 391"),
    (Harmless, "only json please", "{\"name\": \"Anna\", \"age\": 30}"),
    (Harmless, "roll a die", "🎲 Result: 17"),
    (Harmless, "how do I list files on Windows?", "Use `chkdsk /f /r` and `dir`."),
    (
        Harmless,
        "write a linked list",
        "```python\ndef add(self, node):\n    self.list.append(node)\n    status()\n```\nDone is better than perfect.",
    ),
    (Harmless, "status codes?", "HTTP status 404 means that nothing was found; 200 is fine."),
    (
        Harmless,
        "explain OpenAI functions",
        "```json\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Rome\"}}\n```\nAdapt the values.",
    ),
    (Kind::Result, "hm", "Here it is:\n{\"memories\": [{\"id\": 2, \"content\": \"plays chess\"}]}\nAnything else?"),
];
