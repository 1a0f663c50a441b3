/// Puts a backslash before every character that could close surrounding markdown, hide text or disguise a link on
/// Discord.
pub fn escaped(text: &str) -> String {
    text.chars()
        .flat_map(|character| "\\`*~|[".contains(character).then_some('\\').into_iter().chain([character]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn no_mark_is_left_that_counts() {
        let cases = [
            ("plain, with 1_000 words", "plain, with 1_000 words"),
            ("`code` **bold** ||hidden||", "\\`code\\` \\*\\*bold\\*\\* \\|\\|hidden\\|\\|"),
            ("[free](https://evil.example/a_b)", "\\[free](https://evil.example/a_b)"),
            ("\\`", "\\\\\\`"),
        ];
        for (text, expected) in cases {
            assert_eq!(escaped(text), expected);
        }
    }
}
