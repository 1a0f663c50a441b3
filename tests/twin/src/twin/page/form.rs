//! The fields of a submitted form.

use crate::rest::{Part, boundary, parts};

/// What a form says, in either encoding that browsers have for forms.
#[derive(Default)]
pub(super) struct Form {
    fields: Vec<(String, String)>,
    /// Files with their names. A file field that was left empty is not one.
    pub(super) files: Vec<(String, Vec<u8>)>,
}

impl Form {
    pub(super) fn read(content_type: &str, bytes: &[u8]) -> Form {
        let mut form = Form::default();
        let Some(boundary) = boundary(content_type) else {
            let pairs = String::from_utf8_lossy(bytes);
            let pairs = pairs.split('&').filter_map(|pair| pair.split_once('='));
            form.fields = pairs.map(|(name, value)| (decoded(name), one_line_end(&decoded(value)))).collect();
            return form;
        };
        for Part { name, filename, content } in parts(boundary, bytes) {
            match (name, filename) {
                (_, Some(filename)) if filename.is_empty() => {}
                (_, Some(filename)) => form.files.push((filename, content.to_vec())),
                (Some(name), None) => form.fields.push((name, one_line_end(&String::from_utf8_lossy(content)))),
                (None, None) => {}
            }
        }
        form
    }

    /// The value of a field, empty if there is none.
    pub(super) fn get(&self, name: &str) -> &str {
        self.all(name).first().copied().unwrap_or_default()
    }

    /// All values of a field, such as those that were chosen in a menu.
    pub(super) fn all(&self, name: &str) -> Vec<&str> {
        self.fields.iter().filter(|(key, _)| key == name).map(|(_, value)| value.as_str()).collect()
    }

    /// The fields whose names begin with this, without it.
    pub(super) fn below(&self, prefix: &str) -> Vec<(&str, &str)> {
        let fields = self.fields.iter();
        fields.filter_map(|(name, value)| Some((name.strip_prefix(prefix)?, value.as_str()))).collect()
    }

    pub(super) fn id(&self, name: &str) -> Result<u64, String> {
        let text = self.get(name).trim_matches(['<', '@', '!', '#', '&', '>', ' ']);
        text.parse().map_err(|_| format!("`{text}` is not an id"))
    }
}

/// Browsers send the ends of lines as CR LF, Discord as LF.
fn one_line_end(text: &str) -> String {
    text.replace("\r\n", "\n")
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let code = match (first, behind) {
            (b'%', [high, low, ..]) => hex(*high).zip(hex(*low)).map(|(high, low)| high * 16 + low),
            _ => None,
        };
        bytes.push(code.unwrap_or(if *first == b'+' { b' ' } else { *first }));
        rest = if code.is_some() { behind.get(2..).unwrap_or_default() } else { behind };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_encodings_are_read() {
        let form = Form::read("application/x-www-form-urlencoded", b"a=x+%26%C3%A4%0D%0Ay&a=2%zz&b.c=&d");
        assert_eq!(form.all("a"), ["x &\u{e4}\ny", "2%zz"]);
        assert_eq!((form.get("b.c"), form.below("b."), form.get("d")), ("", vec![("c", "")], ""));
        let body = b"--x\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\none\r\ntwo\r\n--x\r\n\
                     Content-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n\xff\r\n--x\r\n\
                     Content-Disposition: form-data; name=\"file\"; filename=\"\"\r\n\r\n\r\n--x--";
        let form = Form::read("multipart/form-data; boundary=x", body);
        assert_eq!((form.get("text"), &form.files), ("one\ntwo", &vec![("a.txt".to_owned(), vec![0xff])]));
    }

    #[test]
    fn an_id_may_be_a_mention() {
        let form = Form::read("", b"user=%3C%40%2170%3E&other=x");
        assert_eq!(form.id("user"), Ok(70));
        assert!(form.id("other").is_err() && form.id("none").is_err());
    }
}
