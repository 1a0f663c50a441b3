//! Untrusted text on one line.

use crate::text::without_hidden;

/// Reduces untrusted text to one line of at most `limit` characters, the last of them `…` if it was cut. It cannot
/// mention anyone, hide a link, open a code block or begin a heading, on Discord or elsewhere. Characters that could
/// are replaced by look-alikes.
pub fn one_line(text: &str, limit: usize) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    let plain = words.join(" ");
    let plain = without_hidden(&plain);
    let mut plain = plain.chars().map(look_alike);
    let mut line: String = plain.by_ref().take(limit).collect();
    if plain.next().is_some() {
        line.pop();
        line.push('…');
    }
    let heading = line.strip_prefix("-#").or_else(|| line.strip_prefix('#'));
    heading.map(|rest| format!("＃{rest}")).unwrap_or(line)
}

fn look_alike(character: char) -> char {
    match character {
        '`' => '\'',
        '@' => '＠',
        '<' => '‹',
        '>' => '›',
        '[' => '(',
        ']' => ')',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn nothing_but_one_short_line_is_left() {
        let cases = [
            ("plain", "plain"),
            ("", ""),
            ("  two\r\n lines\tand more ", "two lines and more"),
            ("@everyone <@1> <#2>", "＠everyone ‹＠1› ‹#2›"),
            ("```rm```", "'''rm'''"),
            ("[here](http://x)", "(here)(http://x)"),
            ("-# generated", "＃ generated"),
            ("# loud", "＃ loud"),
            ("a\u{202e}b\u{200b}c", "abc"),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("exactly twenty chars", "exactly twenty chars"),
            ("one more than twenty!", "one more than twent…"),
        ];
        for (text, expected) in cases {
            assert_eq!(one_line(text, 20), expected, "{text:?}");
        }
    }
}
