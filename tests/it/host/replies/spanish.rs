//! Replies in Spanish.

use super::Kind::{self, ActedOut, Code, Harmless, React, Result};

pub(super) const REPLIES: &[(Kind, &str, &str)] = &[
    (Result, "hm", "{\"success\": true, \"memory_type\": \"fact\", \"content\": \"le gusta el té\"}\nGuardado."),
    (ActedOut, "hm", "Lo hago.\ntasks_add(title=\"leche\")"),
    (ActedOut, "hm", "/tasks_list"),
    (React, "hm", "Pienso: voy a mirar.\nAction: status\nAction Input: {}\nObservation: CPU 5 %\n\nTodo va bien."),
    (Code, "¿cómo?", "Así se hace:\n```json\n{\"tool\": \"tasks_list\", \"parameters\": {}}\n```\n¿Lo hago?"),
    (Harmless, "¿17*23?", "Resultado: 391"),
    (Harmless, "¿cómo borro un archivo en Linux?", "Con `rm archivo.txt`. Un archivo borrado no vuelve."),
];
