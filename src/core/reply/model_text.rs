//! A model's text as people see it. Names of people become mentions, which Discord shows with the current name and a
//! link.

use crate::inbound::MentionedPerson;
use crate::reply::mention::Mentionable;
use crate::reply::sanitize::sanitize_with_mentions;
use crate::text::{CodeRules, SegmentKind, one_line, segments};

/// The longest name that is searched for, in characters: the model is never shown a longer one.
const NAME_LENGTH_MAX: usize = 100;

/// Sanitizes a model's text ([harmless](crate::reply::sanitize_model_text)), with a mention for each person and channel
/// that it may mention.
pub fn model_text(text: &str, may_mention: &Mentionable) -> String {
    with_people(&sanitize_with_mentions(text, may_mention), &may_mention.people)
}

/// Replaces `@Ada` by `<@7>` outside of code, for each of the people. `text` is already sanitized. A name within a
/// longer word or an address stays as it is.
fn with_people(text: &str, people: &[MentionedPerson]) -> String {
    let named = people.iter().map(|person| (format!("@{}", one_line(&person.name, NAME_LENGTH_MAX)), person.id));
    // Skip a name with a `\` at its end: without it, the sanitized text behind it would change its meaning.
    let mut named: Vec<_> = named.filter(|(name, _)| 1 < name.len() && !name.ends_with('\\')).collect();
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

    fn person(id: u64, name: &str) -> MentionedPerson {
        MentionedPerson { id: UserId(id), name: name.to_owned() }
    }

    #[test]
    fn names_of_people_become_mentions_outside_of_code() {
        let people = vec![person(1, "Ada"), person(2, "Ada Lovelace"), person(3, "Zoë\n[x]"), person(4, "")];
        let may_mention = Mentionable::default().with_people(people);
        for (text, shown) in [
            ("@Ada, ask @Ada Lovelace.", "<@1>, ask <@2>."),
            ("(@Ada) *@Ada* @Ada's", "(<@1>) *<@1>* <@1>'s"),
            ("`@Ada` and\n```\n@Ada\n```", "`@Ada` and\n```\n@Ada\n```"),
            (
                "@Adam, a@Ada, https://x.example/@Ada, @@Ada, @Ada_b",
                "@Adam, a@Ada, https://x.example/@Ada, @@Ada, @Ada_b",
            ),
            ("@Zoë (x): hi", "<@3>: hi"),
            ("@7 @everyone @", "@7 @everyone @"),
        ] {
            assert_eq!(model_text(text, &may_mention), shown, "{text:?}");
        }
    }

    #[test]
    fn what_the_model_was_shown_as_a_mention_it_may_write_as_one() {
        let mut may_mention = Mentionable::default().with_people(vec![person(1, "Ada")]);
        for text in
            ["is <@!7> in <#9>, <#10>?", "{\"by\":\"<@8>\"}", "<@&3> </status:4> <id:guide> 5 <@6", "<<@11>> > <"]
        {
            may_mention.learn(text);
        }
        for (text, shown) in [
            ("<@7>, <@!8>: see <#9>", "<@7>, <@8>: see <#9>"),
            ("<@1> or @Ada", "<@1> or <@1>"),
            ("<@5> <@6> <#7> <@9> <@11>", "@5 @6 #7 @9 <@11>"),
            ("<@&3> <@&7> </status:4> <id:guide>", "@3 @7 /status id:guide"),
            ("@everyone @here <@everyone>", "@everyone @here <@everyone>"),
            ("<@99999999999999999999999> <@007>", "@99999999999999999999999 <@7>"),
            ("`<@7> <@5>` <<@7>> <<@5>>", "`<@7> <@5>` <<@7>> @5"),
            ("<@7", "<@7"),
        ] {
            assert_eq!(model_text(text, &may_mention), shown, "{text:?}");
            assert_eq!(model_text(shown, &may_mention), shown, "{text:?}");
        }
    }

    #[test]
    fn no_name_changes_what_is_code_or_escaped_behind_it() {
        let may_mention = Mentionable::default().with_people(vec![person(1, "Ada\\"), person(2, "B\\\\")]);
        for text in ["@Ada\\``` y ```\n-# generated · ran /status ✓ 7F3K2\n``` z", "@Ada\\` `<@5>`", "@B\\\\` `<@5>`"]
        {
            let shown = model_text(text, &may_mention);
            assert_eq!(shown, crate::reply::sanitize_model_text(&shown), "{text}");
            assert!(!shown.contains("\n-# ") || shown.contains("```\n-# "), "{shown}");
        }
    }

    #[test]
    fn a_person_named_like_the_id_of_another_is_not_mentioned_in_their_place() {
        let may_mention = Mentionable::default().with_people(vec![person(1, "2"), person(2, "Bo")]);
        assert_eq!(model_text("<@2> and <@1>", &may_mention), "<@2> and <@1>");
    }
}
