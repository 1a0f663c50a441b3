use unicode_normalization::UnicodeNormalization as _;

/// Returns the words of a text, without marks, in lower case.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> {
    let is_part = |sign: char| sign.is_alphanumeric() || matches!(sign, '\'' | '’' | '-' | '_');
    let words = text.split(move |sign| !is_part(sign)).map(|word| word.trim_matches(['\'', '’', '-', '_']));
    words
        .filter(|word| !word.is_empty())
        .map(|word| word.replace('’', "'").nfkc().flat_map(char::to_lowercase).collect())
}
