//! Turns the names of people in a model's text into mentions, which Discord shows with the name in force and which
//! lead to the person.

use crate::inbound::MentionedPerson;
use crate::text::{CodeRules, SegmentKind, one_line, segments};

/// The longest name that is looked for, in characters: the model is shown no longer one.
const NAME_LENGTH_MAX: usize = 100;

/// The text with `<@7>` for `@Ada` outside of code, for each of the people. `text` is harmless already: a mention in it
/// is broken. A name within a longer word or an address stays as it is. Whoever sends the text allows it to ping
/// nobody.
pub fn with_mentions(text: &str, people: &[MentionedPerson]) -> String {
    let named = people.iter().map(|person| (format!("@{}", one_line(&person.name, NAME_LENGTH_MAX)), person.id));
    let mut named: Vec<_> = named.filter(|(name, _)| 1 < name.len()).collect();
    // `@Ada Lovelace` is not `@Ada`.
    named.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    let mut shown = String::with_capacity(text.len());
    for segment in segments(text, CodeRules::Discord) {
        let part = text.get(segment.range).unwrap_or_default();
        if segment.kind != SegmentKind::Text {
            shown.push_str(part);
            continue;
        }
        let mut rest = part;
        while let Some(at) = rest.find('@') {
            let (before, from) = rest.split_at(at);
            shown.push_str(before);
            let begins = !shown.ends_with(|sign: char| sign.is_alphanumeric() || "/._-@<\\".contains(sign));
            let found = named.iter().find(|(name, _)| {
                let behind = from.strip_prefix(name.as_str());
                begins
                    && behind
                        .is_some_and(|behind| !behind.starts_with(|sign: char| sign == '_' || sign.is_alphanumeric()))
            });
            let taken = match found {
                Some((name, id)) => {
                    shown.push_str(&format!("<@{id}>"));
                    name.len()
                }
                None => {
                    shown.push('@');
                    1
                }
            };
            rest = from.get(taken..).unwrap_or_default();
        }
        shown.push_str(rest);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inbound::UserId;

    #[test]
    fn names_of_people_become_mentions_outside_of_code() {
        let person = |id, name: &str| MentionedPerson { id: UserId(id), name: name.to_owned() };
        let people = [person(1, "Ada"), person(2, "Ada Lovelace"), person(3, "Zoë\n[x]"), person(4, "")];
        for (text, shown) in [
            ("@Ada, ask @Ada Lovelace.", "<@1>, ask <@2>."),
            ("(@Ada) *@Ada* @Ada's", "(<@1>) *<@1>* <@1>'s"),
            ("`@Ada` and\n```\n@Ada\n```", "`@Ada` and\n```\n@Ada\n```"),
            (
                "@Adam, a@Ada, https://x.example/@Ada, @@Ada, @Ada_b",
                "@Adam, a@Ada, https://x.example/@Ada, @@Ada, @Ada_b",
            ),
            ("@Zoë (x): hi", "<@3>: hi"),
            ("‹@7> @everyone @", "‹@7> @everyone @"),
        ] {
            assert_eq!(with_mentions(text, &people), shown, "{text:?}");
        }
    }
}
