//! A message's text with the marks that Discord shows: code, bold words, small lines, escaped signs and times.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::twin::page::html::Html;

/// Shows a text, line by line.
pub(super) fn show(html: &mut Html, text: &str) {
    let mut is_code = false;
    for (n, line) in text.split('\n').enumerate() {
        if line.starts_with("```") {
            is_code = !is_code;
            html.raw(if is_code { "<pre>" } else { "</pre>" });
            continue;
        }
        html.raw_if(0 < n, "\n");
        match line.strip_prefix("-# ") {
            _ if is_code => {
                html.text(line);
            }
            Some(small) => {
                html.raw("<small>");
                inline(html, small);
                html.raw("</small>");
            }
            None => inline(html, line),
        }
    }
    html.raw_if(is_code, "</pre>");
}

/// The marks within a line.
fn inline(html: &mut Html, line: &str) {
    let (mut rest, mut is_bold) = (line, false);
    while let Some(sign) = rest.chars().next() {
        let behind = rest.get(sign.len_utf8()..).unwrap_or_default();
        let escaped = behind.chars().next().filter(|next| sign == '\\' && next.is_ascii_punctuation());
        if let Some(escaped) = escaped {
            html.text(escaped);
            rest = behind.get(1..).unwrap_or_default();
        } else if let Some((code, behind)) = rest.strip_prefix('`').and_then(|behind| behind.split_once('`')) {
            html.raw("<code>").text(code).raw("</code>");
            rest = behind;
        } else if let Some(behind) = rest.strip_prefix("**") {
            is_bold = !is_bold;
            html.raw(if is_bold { "<b>" } else { "</b>" });
            rest = behind;
        } else if let Some((at, behind)) = rest.strip_prefix("<t:").and_then(|behind| behind.split_once('>')) {
            html.raw("<time>").text(moment(at)).raw("</time>");
            rest = behind;
        } else {
            html.text(sign);
            rest = behind;
        }
    }
    html.raw_if(is_bold, "</b>");
}

/// `1795849496:R` in words.
fn moment(written: &str) -> String {
    let (seconds, style) = written.split_once(':').unwrap_or((written, ""));
    let Ok(at) = seconds.parse::<u64>() else { return written.to_owned() };
    if style != "R" {
        return format!("{:02}:{:02} UTC", at / 3_600 % 24, at / 60 % 60);
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let span = match at.abs_diff(now) {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..3_600 => format!("{} min", seconds / 60),
        seconds @ 3_600..86_400 => format!("{} h", seconds / 3_600),
        seconds => format!("{} days", seconds / 86_400),
    };
    if at < now { format!("{span} ago") } else { format!("in {span}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_shown_and_text_stays_text() {
        for (text, expected) in [
            ("a **b** \\*c\\* `d**`", "a <b>b</b> *c* <code>d**</code>"),
            ("one\n-# two\n```rs\n**x** <i>\n```", "one\n<small>two</small><pre>\n**x** &lt;i&gt;</pre>"),
            ("<@5> ** <t:x>", "&lt;@5&gt; <b> <time>x</time></b>"),
            ("<t:60:t> <t:0:R", "<time>00:01 UTC</time> &lt;t:0:R"),
        ] {
            let mut html = Html::default();
            show(&mut html, text);
            assert_eq!(html.into_text(), expected);
        }
        assert!(moment("0:R").ends_with(" days ago") && moment("99999999999:R").starts_with("in "));
    }
}
