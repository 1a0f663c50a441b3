use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

/// Returns whether a character is invisible and does not affect layout noticeably. Such characters are controls (except
/// tab), format characters such as zero-width ones and direction marks, tags, fillers, variation selectors and blank
/// signs. White space is treated separately: see [`char::is_whitespace`].
///
/// Beyond the general categories, the list is Unicode's Default_Ignorable_Code_Point plus signs with an empty glyph.
/// Visible format characters, such as the Arabic number signs, are Unicode's Prepended_Concatenation_Mark.
pub fn is_invisible(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control() && character != '\t';
    }
    let ignorable = matches!(character,
        '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{2065}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{e0000}'..='\u{e0fff}');
    let blank = matches!(character, '\u{2800}' | '\u{13441}' | '\u{13442}' | '\u{1d159}');
    let shows = matches!(
        character,
        '\u{600}'..='\u{605}' | '\u{6dd}' | '\u{70f}' | '\u{890}' | '\u{891}' | '\u{8e2}' | '\u{110bd}' | '\u{110cd}'
    );
    let unseen = matches!(character.general_category(), GeneralCategory::Control | GeneralCategory::Format);
    ignorable || blank || (unseen && !shows)
}

#[cfg(test)]
mod tests {
    use super::is_invisible;

    #[test]
    fn what_shows_nothing_is_invisible() {
        for character in "\0\u{1b}\n\u{7f}\u{85}\u{ad}\u{200b}\u{200d}\u{202e}\u{2060}\u{2065}\u{2800}\u{3164}".chars()
        {
            assert!(is_invisible(character), "{character:?}");
        }
        for character in "\u{fe0f}\u{feff}\u{ffa0}\u{fff0}\u{1d159}\u{e0001}\u{e0041}\u{e0100}".chars() {
            assert!(is_invisible(character), "{character:?}");
        }
        for character in "\t a/é١\u{600}\u{6dd}\u{301}\u{fffd}😀\u{e000}".chars() {
            assert!(!is_invisible(character), "{character:?}");
        }
    }
}
