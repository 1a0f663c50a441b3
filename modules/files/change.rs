//! One change within a text.

/// Replaces `find` by `new`, or appends `new` if `find` is empty. The error is the number of occurrences of `find` if
/// it is not 1: the place must be unambiguous.
pub(super) fn changed(text: &str, find: &str, new: &str) -> Result<String, usize> {
    // Discord's modals send only line feeds, while the file may use CRLF.
    let as_there = |words: &str| match text.contains("\r\n") {
        true => words.replace("\r\n", "\n").replace('\n', "\r\n"),
        false => words.to_owned(),
    };
    let (find, new) = (as_there(find), as_there(new));
    if find.is_empty() {
        let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let between = if text.is_empty() || text.ends_with('\n') { "" } else { line_end };
        return Ok([text, between, &new].concat());
    }
    match text.matches(&find).count() {
        1 => Ok(text.replacen(&find, &new, 1)),
        n => Err(n),
    }
}

#[cfg(test)]
mod tests {
    use super::changed;

    #[test]
    fn one_place_is_changed_or_none() {
        for (text, find, new, expected) in [
            ("tea\nmilk\n", "milk", "oat milk", Ok("tea\noat milk\n")),
            ("tea\nmilk\n", "tea\nmilk", "cake", Ok("cake\n")),
            ("tea\nmilk\n", "tea\n", "", Ok("milk\n")),
            ("tea\nmilk\n", "Milk", "x", Err(0)),
            ("aba", "a", "x", Err(2)),
            ("tea", "", "milk", Ok("tea\nmilk")),
            ("tea\n", "", "milk\n", Ok("tea\nmilk\n")),
            ("", "", "milk", Ok("milk")),
            ("tea\r\nmilk\r\n", "tea\nmilk", "a\nb", Ok("a\r\nb\r\n")),
            ("tea\r\nmilk", "", "cake", Ok("tea\r\nmilk\r\ncake")),
        ] {
            assert_eq!(changed(text, find, new).as_deref(), expected.as_ref().map(|text| *text), "{text:?} {find:?}");
        }
    }
}
