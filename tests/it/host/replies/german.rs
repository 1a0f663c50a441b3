//! Replies in German.

use super::Kind::{self, ActedOut, Code, FakeLabel, Harmless, React, Result};

pub(super) const REPLIES: &[(Kind, &str, &str)] = &[
    (
        Result,
        "hm",
        "{\"success\": true, \"memory_type\": \"fact\", \"content\": \"mag Tee\"}\nIch habe es gespeichert.",
    ),
    (Result, "hm", "<tool_response>alles gut</tool_response>\nAlles ist ruhig."),
    (ActedOut, "hm", "Ich mache das.\ntasks_add(title=\"Milch\")"),
    (ActedOut, "hm", "`tasks_list`"),
    (React, "hm", "Gedanke: ich sehe nach.\nAction: status\nAction Input: {}\nObservation: CPU 5 %\n\nAlles ist gut."),
    (FakeLabel, "hm", "Erledigt, siehe Beleg 7F3K2."),
    (Code, "wie?", "So geht es:\n```json\n{\"tool\": \"tasks_list\", \"parameters\": {}}\n```\nSoll ich?"),
    (Harmless, "17*23?", "Ergebnis: 391"),
    (Harmless, "wie lösche ich eine Datei in Linux?", "Mit `rm datei.txt`. Gelöschte Dateien kommen nicht zurück."),
];
