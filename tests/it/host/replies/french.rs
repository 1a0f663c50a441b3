//! Replies in French.

use super::Kind::{self, ActedOut, Code, FakeLabel, Harmless, React, Result};

pub(super) const REPLIES: &[(Kind, &str, &str)] = &[
    (Result, "hm", "{\"success\": true, \"memory_type\": \"fact\", \"content\": \"aime le thé\"}\nC'est enregistré."),
    (ActedOut, "hm", "Je m'en occupe.\ntasks_add(title=\"lait\")"),
    (ActedOut, "hm", "tasks_list."),
    (React, "hm", "Réflexion : je regarde.\nAction: status\nAction Input: {}\nObservation: CPU 5 %\n\nTout va bien."),
    (FakeLabel, "hm", "Tapez `/status historique` pour en voir plus."),
    (FakeLabel, "hm", "Tapez /status historique ou /tasks archives."),
    (Code, "comment ?", "Voici comment :\n```json\n{\"tool\": \"tasks_list\", \"parameters\": {}}\n```\nOn y va ?"),
    (Harmless, "qui était Hugo ?", "Victor Hugo a écrit Les Misérables."),
    (Harmless, "17*23 ?", "Résultat : 391"),
    (Harmless, "des exemples ?", "J'ai ajouté quelques exemples ci-dessous."),
    (Harmless, "une recette ?", "Coupez les oignons, ajoutez le lait et laissez cuire 20 minutes."),
    (
        Harmless,
        "c'est quoi une file d'attente ?",
        "Une file d'attente garde des tâches qui peuvent être exécutées plus tard.",
    ),
    (Harmless, "comment écrire un poème ?", "Lisez-en beaucoup, puis écrivez ce que vous avez noté en chemin."),
    (
        Kind::Harmless,
        "écris une introduction pour le rapport du stage",
        "Ce rapport présente les résultats de l'étude.",
    ),
    (Kind::Harmless, "peux-tu écrire des fichiers ?", "Oui, donnez-moi un nom et le contenu."),
];
