//! Answers as a terminal shows them.

use crate::reply::{Answer, Provenance, Reply, generated_label, receipt_footer};

/// How wide the heading line is, in characters.
const WIDTH: usize = 72;

/// The answer, indented under the prompt, with the host's own line below it.
pub fn render(answer: &Answer) -> String {
    let mut lines = heading(&answer.reply);
    // A bar before every line that a model wrote: without it, one could look like the host's own below.
    let bar = if answer.provenance == Provenance::Model { "│ " } else { "" };
    lines.extend(answer.reply.text.lines().map(|line| format!("{bar}{}", printable(line))));
    lines.extend(fields(&answer.reply));
    match &answer.provenance {
        Provenance::Command(receipt) => lines.push(printable(&receipt_footer(receipt))),
        Provenance::Model => lines.push(generated_label().to_owned()),
        Provenance::Host => {}
    }
    lines.iter().map(|line| format!("  {line}").trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

/// The title, and the state at the end of the line.
fn heading(reply: &Reply) -> Vec<String> {
    match (&reply.title, &reply.state) {
        (Some(title), Some(state)) => {
            let gap = WIDTH.saturating_sub(title.chars().count() + state.chars().count()).max(2);
            vec![printable(&format!("{title}{}{state}", " ".repeat(gap)))]
        }
        (Some(one), None) | (None, Some(one)) => vec![printable(one)],
        (None, None) => Vec::new(),
    }
}

/// One line a field; a field of several lines has its name on a line of its own.
fn fields(reply: &Reply) -> Vec<String> {
    let widest = reply.fields.iter().map(|field| field.name.chars().count()).max().unwrap_or_default();
    let mut lines = Vec::new();
    for field in &reply.fields {
        if field.value.contains('\n') || WIDTH < widest {
            lines.push(printable(&field.name));
            lines.extend(field.value.lines().map(|line| format!("  {}", printable(line))));
        } else {
            let gap = " ".repeat(widest - field.name.chars().count());
            lines.push(format!("{}{gap}  {}", printable(&field.name), printable(&field.value)));
        }
    }
    lines
}

/// Text that cannot drive the terminal: no escape sequences, no other control characters.
fn printable(line: &str) -> String {
    line.chars().filter(|character| !character.is_control() || *character == '\t').collect()
}

#[cfg(test)]
mod tests {
    use super::render;
    use crate::reply::{Answer, Audience, Field, Provenance, Reply};

    #[test]
    fn a_models_answer_is_labelled_and_cannot_drive_the_terminal() {
        let reply = Reply::text("CPU is fine.\u{1b}[2J\nReally.");
        let answer = Answer { reply, provenance: Provenance::Model, audience: Audience::Place };
        assert_eq!(render(&answer), "  │ CPU is fine.[2J\n  │ Really.\n  generated · no command ran");
    }

    #[test]
    fn fields_stand_under_each_other() {
        let field = |name: &str, value: &str| Field { name: name.to_owned(), value: value.to_owned() };
        let reply = Reply {
            title: Some("Status".to_owned()),
            fields: vec![field("CPU", "12.5 %"), field("Memory", "3.1 GiB")],
            ..Reply::default()
        };
        let answer = Answer { reply, provenance: Provenance::Host, audience: Audience::Asker };
        assert_eq!(render(&answer), "  Status\n  CPU     12.5 %\n  Memory  3.1 GiB");
    }
}
