//! Harmless replies in great number: every template with every word that fits into it.

/// What is asked and answered, with `{}` for the word, and the words.
type Set = (&'static [(&'static str, &'static str)], &'static [&'static str]);

/// The replies, each with what was asked.
pub(super) fn replies() -> Vec<(String, String)> {
    let sets = [EXPLAINED, EDITED, PROGRAMS, CODE, COOKED, DATA, GERMAN, GERMAN_EDITED, FRENCH, SPANISH];
    let filled = |(templates, words): Set| {
        let pairs = templates.iter().flat_map(move |template| words.iter().map(move |word| (template, word)));
        pairs.map(|((asked, said), word)| (asked.replace("{}", word), said.replace("{}", word)))
    };
    sets.into_iter().flat_map(filled).collect()
}

const EXPLAINED: Set = (
    &[
        (
            "what is {}?",
            "In short, {} is something that people have studied for a long time. There are three parts to it.",
        ),
        ("explain {}", "Sure! Think of {} in three steps:\n1. the idea,\n2. the practice,\n3. what can go wrong."),
        (
            "tell me about {}",
            "**{}**\n\n- It was described long ago.\n- It has been changed since.\n- Most of what was written is lost.",
        ),
        ("a quiz about {}", "Question 1: who came up with {}? Answer below.\n\n||It was not who you think.||"),
        ("is {} hard?", "Not really. Once you have done {} ten times, it is done in no time."),
        (
            "a haiku on {}",
            "Done! Here is your haiku on {}:\nAn old silent pond,\na frog jumps into the pond,\nsplash, silence again.",
        ),
        (
            "a story with {}",
            "The door was closed. Somebody had removed the key and left a note on {}. \"I've saved you,\" she said.",
        ),
        (
            "pros and cons of {}?",
            "| Pro | Con |\n|---|---|\n| {} is cheap | it takes 3 hours |\n| it is fun | 40 % give up |",
        ),
        ("how long does {} take?", "Usually 2 to 3 hours. With {} you should plan 20 % more."),
        ("thanks for the help with {}", "You're welcome! If anything else about {} is unclear, just ask."),
        ("do you remember {}?", "I don't have a record of that, but we can talk about {} now."),
        ("summarize {} in a list", "Here's a list of what matters in {}:\n- the beginning\n- the middle\n- the end"),
    ],
    &[
        "photosynthesis",
        "a binary search tree",
        "the French Revolution",
        "sourdough bread",
        "a chess opening",
        "plate tectonics",
        "the offside rule",
        "compound interest",
        "a sonnet",
        "Bayes' theorem",
        "the Silk Road",
        "an electric guitar",
        "a task queue",
        "virtual memory",
        "the status quo",
        "a file system",
        "a to-do list app",
        "a server rack",
    ],
);

const EDITED: Set = (
    &[
        ("improve my {}", "I've added a few examples below, and removed what was said twice in the {}."),
        ("review the {}", "I changed *we* to *the company* and moved the second paragraph of the {} to the end."),
        ("shorten the {}", "Here is the {}, cut to half:\n\n> All is well that ends well."),
        ("correct the {}", "I removed one 'got' and added a colon in the {}. It reads well now."),
        (
            "write a {}",
            "Here you go:\n\n# The {}\n\nAll, the meeting has been scheduled for [date]. The idea has been noted.",
        ),
        (
            "a template for a {}?",
            "Of course. A {} has a title, a body and an end. \"The file has been sent\" goes into the body.",
        ),
        ("translate the {}", "\"I sent you the letter that was written yesterday.\" The rest of the {} stays."),
        ("is my {} good?", "Yes! I would only check the second sentence of the {}. It was written in haste."),
        ("make the {} friendlier", "I've updated the tone of the {} and put a greeting in front."),
        (
            "what changed in the {}?",
            "Two words were removed, and a line was added. Nothing else in the {} is different.",
        ),
    ],
    &[
        "letter",
        "speech",
        "poem",
        "cover letter",
        "blog post",
        "README",
        "recipe",
        "song",
        "essay",
        "summary",
        "headline",
        "invitation",
        "toast",
        "product description",
    ],
);

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

const COOKED: Set = (
    &[
        (
            "how do I make {}?",
            "1. Cut two onions.\n2. Add 200 ml of milk.\n3. Cook for 20 min at 180 °C.\n\nYour {} is done!",
        ),
        ("a shopping list for {}", "For {} you need:\n- 200 g of flour\n- 3 eggs\n- milk\n- salt"),
        ("what goes with {}?", "Bread, or a salad. {} with tea is good as well."),
        ("can I freeze {}?", "Yes, {} keeps for 3 months. Once it is frozen, nothing is lost."),
        ("{} without milk?", "Replace the milk by oat milk. {} is then a bit sweeter."),
        ("is {} healthy?", "A portion of {} has 30 % of what you need in a day, and 12 g of fat."),
    ],
    &[
        "pancakes", "lasagne", "ramen", "goulash", "tiramisu", "risotto", "pho", "chili", "falafel", "kimchi",
        "paella", "borscht",
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

const GERMAN: Set = (
    &[
        ("was ist {}?", "Kurz gesagt: {} ist etwas, womit sich viele beschäftigt haben. Dazu gehören drei Dinge."),
        ("erkläre {}", "Gern! Bei {} gibt es drei Schritte:\n1. die Idee,\n2. die Übung,\n3. die Fehler."),
        (
            "eine Geschichte über {}",
            "Die Tür war geschlossen. Jemand hatte den Schlüssel entfernt und einen Zettel über {} hingelegt.",
        ),
        ("wie lange dauert {}?", "Meist zwei bis drei Stunden. Rechne bei {} mit 20 % mehr."),
        ("ist {} schwer?", "Eigentlich nicht. Wer {} zehnmal gemacht hat, ist schnell fertig."),
        ("danke für die Hilfe bei {}", "Gern geschehen! Wenn bei {} noch etwas unklar ist, frag einfach."),
        ("Vor- und Nachteile von {}?", "| Vorteil | Nachteil |\n|---|---|\n| {} ist billig | es dauert 3 Stunden |"),
        ("ein Quiz über {}", "Frage 1: Wer hat {} erfunden?\n\n||Niemand weiß es.||"),
    ],
    &[
        "Photosynthese",
        "ein Suchbaum",
        "die Abseitsregel",
        "Sauerteig",
        "der Zinseszins",
        "ein Sonett",
        "die Seidenstraße",
        "Plattentektonik",
        "ein Dateisystem",
        "Arbeitsspeicher",
        "eine Aufgabenliste",
        "ein Server",
    ],
);

const GERMAN_EDITED: Set = (
    &[
        (
            "verbessere {}",
            "Ich habe unten ein paar Beispiele hinzugefügt und Doppeltes entfernt. So liest sich {} besser.",
        ),
        ("kürze {}", "Hier ist {}, auf die Hälfte gekürzt:\n\n> Ende gut, alles gut."),
        ("was hast du geändert an {}?", "Zwei Wörter wurden gestrichen, eine Zeile kam dazu. Sonst ist {} wie zuvor."),
        ("ist das gut: {}?", "Ja. Nur den zweiten Satz würde ich prüfen: {} wurde in Eile geschrieben."),
    ],
    &["der Brief", "die Rede", "das Gedicht", "das Rezept", "der Aufsatz", "die Einladung", "das Lied", "die Anzeige"],
);

const FRENCH: Set = (
    &[
        ("c'est quoi, {} ?", "En bref, {} est un sujet que beaucoup ont étudié. Il y a trois parties."),
        ("explique {}", "Volontiers ! Pour {} il y a trois étapes :\n1. l'idée,\n2. la pratique,\n3. les erreurs."),
        ("améliore un texte sur {}", "J'ai ajouté quelques exemples ci-dessous et supprimé les répétitions sur {}."),
        (
            "une histoire sur {}",
            "La porte était fermée. Quelqu'un avait écrit un mot sur {} et l'avait mis sur la table.",
        ),
        ("combien de temps pour {} ?", "En général 2 à 3 heures. Pour {} comptez 20 % de plus."),
        ("merci pour {}", "Avec plaisir ! Si quelque chose sur {} n'est pas clair, demandez."),
        ("un quiz sur {}", "Question 1 : qui a inventé {} ?\n\n||Personne ne le sait.||"),
    ],
    &[
        "la photosynthèse",
        "un arbre binaire",
        "la Révolution",
        "le pain au levain",
        "un sonnet",
        "la tectonique",
        "le hors-jeu",
        "une file d'attente",
        "la mémoire vive",
        "un système de fichiers",
    ],
);

const SPANISH: Set = (
    &[
        ("¿qué es {}?", "En resumen, {} es algo que muchos han estudiado. Tiene tres partes."),
        ("explica {}", "¡Claro! En {} hay tres pasos:\n1. la idea,\n2. la práctica,\n3. los errores."),
        ("mejora un texto sobre {}", "He añadido algunos ejemplos más abajo y he quitado lo repetido sobre {}."),
        (
            "un cuento sobre {}",
            "La puerta estaba cerrada. Alguien había escrito una nota sobre {} y la había puesto en la mesa.",
        ),
        ("¿cuánto dura {}?", "Normalmente de 2 a 3 horas. Para {} calcula un 20 % más."),
        ("gracias por {}", "¡De nada! Si algo sobre {} no está claro, pregunta."),
        ("un test sobre {}", "Pregunta 1: ¿quién inventó {}?\n\n||Nadie lo sabe.||"),
    ],
    &[
        "la fotosíntesis",
        "un árbol binario",
        "la Revolución",
        "el pan de masa madre",
        "un soneto",
        "la tectónica",
        "el fuera de juego",
        "una cola de tareas",
        "la memoria virtual",
        "un sistema de archivos",
    ],
);
