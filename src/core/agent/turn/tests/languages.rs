//! Replies in 14 languages that no part of the bot was tuned to: the host states what ran, and says nothing else.

use serde_json::json;

use super::fixture::{calls, follow, native, obliging, prose, says, setup};
use crate::agent::ToolMode;
use crate::language::Language;
use crate::reply::Mark;

/// What a model writes in one language.
struct Replies {
    /// It says that it did something, and nothing ran.
    pretended: &'static str,
    /// It says nothing about commands.
    harmless: &'static str,
    /// It tells of `/status`, which ran.
    honest: &'static str,
}

const fn replies(pretended: &'static str, harmless: &'static str, honest: &'static str) -> Replies {
    Replies { pretended, harmless, honest }
}

/// English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian, Ukrainian, Turkish, Japanese, Chinese
/// and Arabic.
const LANGUAGES: [Replies; 14] = [
    replies(
        "All set! I've jotted that down in your task list and pinged the team.",
        "To remove a stain, write down what caused it first, then save the delicate parts for last.",
        "The processor is at 12.5 %, as shown above. Nothing else was changed.",
    ),
    replies(
        "Gerne, ich habe die Notiz für Sie angelegt und die alte Datei gelöscht.",
        "Man schreibt „gespeichert“ mit ch. Im Präteritum heißt es: Ich speicherte die Datei.",
        "Der Prozessor ist zu 12,5 % ausgelastet. Sonst habe ich nichts verändert.",
    ),
    replies(
        "C'est fait : la tâche est ajoutée et le rappel part demain à neuf heures.",
        "« Supprimer » vient du latin. On dit : j'ai supprimé la ligne.",
        "Le processeur est à 12,5 %. Je n'ai rien modifié d'autre.",
    ),
    replies(
        "Listo, ya borré el archivo y guardé tu preferencia.",
        "Para recordar una lista, escríbela tres veces y guárdala en un cajón.",
        "El procesador está al 12,5 %. No se ha cambiado nada más.",
    ),
    replies(
        "Perfetto, ho salvato il file e ho segnato l'attività come completata.",
        "La parola «memoria» viene dal latino; si scrive con una emme.",
        "Il processore è al 12,5 %. Non ho cambiato altro.",
    ),
    replies(
        "Pronto, acrescentei a tarefa e apaguei o lembrete antigo.",
        "Quem guarda as notas num caderno esquece menos.",
        "O processador está a 12,5 %. Nada mais foi alterado.",
    ),
    replies(
        "Geregeld: ik heb je notitie opgeslagen en de taak afgevinkt.",
        "Een takenlijst werkt het best als je haar kort houdt.",
        "De processor staat op 12,5 %. Verder is er niets veranderd.",
    ),
    replies(
        "Gotowe, dodałem zadanie i usunąłem stary plik.",
        "Słowo „status” jest rodzaju męskiego i odmienia się regularnie.",
        "Procesor jest obciążony w 12,5 %. Nic więcej nie zmieniłem.",
    ),
    replies(
        "Готово: я сохранил заметку и удалил старую задачу.",
        "Слово «память» женского рода, третье склонение.",
        "Процессор загружен на 12,5 %. Больше ничего не изменилось.",
    ),
    replies(
        "Зроблено, я додав завдання і надіслав нагадування.",
        "Список справ зручно вести в зошиті.",
        "Процесор завантажено на 12,5 %. Більше нічого не змінено.",
    ),
    replies(
        "Tamam, görevi ekledim ve dosyayı sildim.",
        "Hafızayı güçlendirmek için her gün birkaç sayfa okuyun.",
        "İşlemci %12,5 dolu. Başka bir şey değişmedi.",
    ),
    replies(
        "はい、タスクを追加して、古いファイルを削除しました。",
        "「保存」は、そのままの状態に保つという意味です。",
        "CPUの使用率は12.5%です。ほかには何も変わっていません。",
    ),
    replies(
        "好的，我已经添加了任务，并删除了旧文件。",
        "“记忆”这个词由两个动词组成。",
        "处理器使用率为12.5%。没有更改其他内容。",
    ),
    replies(
        "تم، أضفت المهمة وحذفت الملف القديم.",
        "كلمة «ذاكرة» مؤنثة وجمعها ذاكرات.",
        "المعالج عند 12.5 ٪. لم يتغير شيء آخر.",
    ),
];

#[test]
fn in_every_language_the_mark_states_what_ran_and_nothing_is_added_or_taken_out() {
    for Replies { pretended, harmless, honest } in LANGUAGES {
        let status = calls(&[("status", json!({}))]);
        let cases = [
            (vec![says(pretended)], pretended, "no command ran"),
            (vec![says(harmless)], harmless, "no command ran"),
            (vec![status.clone(), says(honest)], honest, "ran /status"),
            // A false claim after a real run: the mark names only the command that ran.
            (vec![status, says(pretended)], pretended, "ran /status"),
        ];
        for mode in [ToolMode::Native, ToolMode::None] {
            for (answers, reply, fact) in &cases {
                if mode == ToolMode::None && 1 < answers.len() {
                    continue;
                }
                let told = match mode {
                    ToolMode::Native => native(answers.clone()),
                    ToolMode::Text | ToolMode::None => follow(setup(mode), answers.clone(), obliging),
                };
                assert_eq!(prose(&told), *reply);
                let mark = Mark::of(told.finished.ran.iter().map(AsRef::as_ref));
                assert_eq!(mark.fact(Language::ENGLISH), *fact, "{reply}");
                assert!(told.finished.notes.is_empty(), "{reply}: {:?}", told.finished.notes);
                assert!(told.finished.record.offers.is_empty() && told.finished.findings.is_empty(), "{reply}");
            }
        }
    }
}
