//! A server's own emoji, as people write it: `<:name:id>`, or `<a:name:id>` if it moves.

/// The most letters of an emoji's name.
const NAME_MAX: usize = 32;

/// A server's own emoji.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emoji {
    /// Its id.
    pub id: u64,
    /// Its name: ASCII letters, digits and `_`.
    pub name: String,
    /// Whether it moves.
    pub is_animated: bool,
}

impl Emoji {
    /// Returns the first emoji of a text, with the text before it and behind it.
    pub fn find(text: &str) -> Option<(&str, Self, &str)> {
        text.match_indices('<').find_map(|(at, _)| {
            let (before, here) = text.split_at(at);
            let (mark, behind) = here.strip_prefix('<')?.split_once('>')?;
            Some((before, Self::of_mark(mark)?, behind))
        })
    }

    /// Reads `:name:id` or `a:name:id`.
    fn of_mark(mark: &str) -> Option<Self> {
        let (kind, rest) = mark.split_once(':')?;
        let (name, id) = rest.split_once(':')?;
        let is_name =
            (1..=NAME_MAX).contains(&name.len()) && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
        let is_id = id.bytes().all(|digit| digit.is_ascii_digit());
        let id = id.parse().ok().filter(|id| is_id && 0 < *id)?;
        let emoji = Self { id, name: name.to_owned(), is_animated: kind == "a" };
        (is_name && ["", "a"].contains(&kind)).then_some(emoji)
    }
}

#[cfg(test)]
mod tests {
    use super::Emoji;

    #[test]
    fn an_emoji_is_found_where_it_stands() {
        let found = |text: &str| {
            let (before, emoji, behind) = Emoji::find(text)?;
            Some(format!("{before}|{} {} {}|{behind}", emoji.name, emoji.id, emoji.is_animated))
        };
        for (text, expected) in [
            ("<:blob:123456789012345678> yes", Some("|blob 123456789012345678 false| yes")),
            ("no <a:wave_2:5>!", Some("no |wave_2 5 true|!")),
            ("1 < 2 <@7> <:a:1><:b:2>", Some("1 < 2 <@7> |a 1 false|<:b:2>")),
            ("<b:x:1>", None),
            ("<:x y:1>", None),
            ("<::1>", None),
            ("<:x:+1>", None),
            ("<:x:0>", None),
            ("<:x:99999999999999999999>", None),
            ("<:x:1", None),
        ] {
            assert_eq!(found(text).as_deref(), expected, "{text}");
        }
    }
}
