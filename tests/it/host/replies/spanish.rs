//! Replies in Spanish.

use super::Kind::{self, ActedOut, Code, FakeLabel, Harmless, React, Result};

pub(super) const REPLIES: &[(Kind, &str, &str)] = &[
    (Result, "hm", "{\"success\": true, \"memory_type\": \"fact\", \"content\": \"le gusta el té\"}\nGuardado."),
    (ActedOut, "hm", "Lo hago.\ntasks_add(title=\"leche\")"),
    (ActedOut, "hm", "/tasks_list"),
    (React, "hm", "Pienso: voy a mirar.\nAction: status\nAction Input: {}\nObservation: CPU 5 %\n\nTodo va bien."),
    (FakeLabel, "hm", "Escribe `/status historial` para ver más."),
    (FakeLabel, "hm", "Escribe /status historial. Con /tasks archivo hay más."),
    (Code, "¿cómo?", "Así se hace:\n```json\n{\"tool\": \"tasks_list\", \"parameters\": {}}\n```\n¿Lo hago?"),
    (Harmless, "¿quién fue Cervantes?", "Cervantes escribió Don Quijote."),
    (Harmless, "¿17*23?", "Resultado: 391"),
    (Harmless, "¿ejemplos?", "He añadido algunos ejemplos más abajo."),
    (Harmless, "¿una receta?", "Corta la cebolla, añade la leche y cocina 20 minutos."),
    (Harmless, "¿qué es una cola?", "Una cola guarda tareas que se pueden ejecutar más tarde."),
    (Harmless, "¿cómo borro un archivo en Linux?", "Con `rm archivo.txt`. Un archivo borrado no vuelve."),
    (Kind::Harmless, "escribe una introducción para el informe del proyecto", "Este informe presenta los resultados."),
    (Kind::Harmless, "¿puedes guardar recuerdos?", "Sí, si me lo pides."),
];
