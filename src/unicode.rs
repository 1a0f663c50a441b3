//! Characters a person cannot see.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

/// Whether a character shows nothing and takes no part in layout that people notice: controls (but tab),
/// format characters such as zero-width ones and direction marks, private and unassigned tags, fillers and
/// variation selectors. The list beyond the general categories is Unicode's Default_Ignorable_Code_Point.
pub fn is_invisible(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control() && character != '\t';
    }
    let ignorable = matches!(character,
        '\u{034f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{2800}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}');
    ignorable || matches!(character.general_category(), GeneralCategory::Control | GeneralCategory::Format)
}
