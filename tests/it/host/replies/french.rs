//! Replies in French.

use super::Kind::{self, ActedOut, Code, Harmless, React, Result};

pub(super) const REPLIES: &[(Kind, &str, &str)] = &[
    (Result, "hm", "{\"success\": true, \"memory_type\": \"fact\", \"content\": \"aime le thé\"}\nC'est enregistré."),
    (ActedOut, "hm", "Je m'en occupe.\ntasks_add(title=\"lait\")"),
    (ActedOut, "hm", "tasks_list."),
    (React, "hm", "Réflexion : je regarde.\nAction: status\nAction Input: {}\nObservation: CPU 5 %\n\nTout va bien."),
    (Code, "comment ?", "Voici comment :\n```json\n{\"tool\": \"tasks_list\", \"parameters\": {}}\n```\nOn y va ?"),
    (Harmless, "17*23 ?", "Résultat : 391"),
];
