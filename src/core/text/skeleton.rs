//! The skeleton of a text: its appearance, independent of the script it is written in.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;
use unicode_security::skeleton as prototypes;

/// Returns the skeleton of a text, only for comparison with other skeletons. Letters of other scripts become the Latin
/// ones they look like (Unicode Technical Standard 39). So do wide, circled, mathematical and small capital letters.
/// Case and accents are dropped. Other ASCII stays, so that real words remain distinct.
pub(crate) fn skeleton(text: &str) -> String {
    let plain: String = text.chars().map(letter_in_a_shape).nfkc().collect();
    let mut latin = String::with_capacity(plain.len());
    let mut buffer = [0; 4];
    for character in plain.chars() {
        match character {
            ascii if ascii.is_ascii() => latin.push(ascii),
            other => latin.extend(prototypes(other.encode_utf8(&mut buffer))),
        }
    }
    let small = latin.chars().flat_map(char::to_lowercase).map(small_capital);
    small.nfd().filter(|character| !is_combining_mark(*character)).collect()
}

/// Maps a letter in a circle, a square or a flag, which Unicode does not count as a letter.
fn letter_in_a_shape(character: char) -> char {
    let letter = |first: char| char::from_u32(u32::from(character) - u32::from(first) + u32::from('a'));
    let letter = match character {
        '\u{1f150}'..='\u{1f169}' => letter('\u{1f150}'),
        '\u{1f170}'..='\u{1f189}' => letter('\u{1f170}'),
        '\u{1f1e6}'..='\u{1f1ff}' => letter('\u{1f1e6}'),
        _ => None,
    };
    letter.unwrap_or(character)
}

/// Maps a small capital: the standard compares those only with each other.
fn small_capital(character: char) -> char {
    const SMALL_CAPITALS: &str = "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡxʏᴢ";
    let letters = SMALL_CAPITALS.chars().zip('a'..='z');
    let found = letters.filter(|_| !character.is_ascii()).find(|(capital, _)| *capital == character);
    found.map_or(character, |(_, letter)| letter)
}

#[cfg(test)]
mod tests {
    use super::skeleton;

    #[test]
    fn a_text_in_other_characters_looks_the_same() {
        let spellings = [
            "generated",
            "GENERATED",
            "gеnеrаtеd",
            "ｇｅｎｅｒａｔｅｄ",
            "ɢᴇɴᴇʀᴀᴛᴇᴅ",
            "𝗴𝗲𝗻𝗲𝗿𝗮𝘁𝗲𝗱",
            "𝔤𝔢𝔫𝔢𝔯𝔞𝔱𝔢𝔡",
            "ⓖⓔⓝⓔⓡⓐⓣⓔⓓ",
            "🅖🅔🅝🅔🅡🅐🅣🅔🅓",
            "🅶🅴🅽🅴🆁🅰🆃🅴🅳",
            "gėnérâtëd",
            "GЕNЕRАТЕD",
            "generaтed",
        ];
        for spelling in spellings {
            assert_eq!(skeleton(spelling), "generated", "{spelling}");
        }
        for dot in ["·", "•", "‧", "∙", "⋅", "・", "･"] {
            assert_eq!(skeleton(dot), "·", "{dot}");
        }
        for slash in ["/", "⁄", "∕", "⧸", "／", "╱"] {
            assert_eq!(skeleton(slash), "/", "{slash}");
        }
        // Digits and letters of ASCII are not confused with each other.
        assert_eq!(skeleton("I am 10 ms | l O"), "i am 10 ms | l o");
        assert_eq!(skeleton("ausgeführt"), "ausgefuhrt");
    }
}
