//! Arguments that are private: only their digests are kept.

use std::fmt;

use serde_json::{Map, Value, json};

use crate::record::Digest;

/// Puts digests in the place of private arguments. The receipt's id is part of each digest, so that equal values have
/// different ones; a short value can be guessed from it all the same.
pub(crate) fn without_private(
    mut arguments: Map<String, Value>,
    private: &[String],
    receipt: &dyn fmt::Display,
) -> Map<String, Value> {
    for name in private {
        if let Some(value) = arguments.get_mut(name) {
            let digest = Digest::of(&[receipt.to_string().as_bytes(), name.as_bytes(), value.to_string().as_bytes()]);
            *value = json!({ "sha256": digest.to_string() });
        }
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_digest_of_a_private_argument_is_kept_and_equal_values_have_different_ones() {
        let given = || Map::from_iter([("path".to_owned(), json!("a.txt")), ("content".to_owned(), json!("a secret"))]);
        let kept =
            |receipt: &'static str| without_private(given(), &["content".to_owned(), "other".to_owned()], &receipt);
        let first = kept("7F3K5");
        assert_eq!(first["path"], "a.txt");
        assert_eq!(first["content"]["sha256"].as_str().map(str::len), Some(64));
        assert!(!Value::Object(first.clone()).to_string().contains("secret"));
        assert_eq!(first, kept("7F3K5"));
        assert_ne!(first, kept("7F3K6"));
        assert_eq!(first.len(), 2);
    }
}
