//! HTML as text. What is not markup of the source itself is escaped on its way in.

use std::fmt::Display;

/// A piece of a page.
#[derive(Default)]
pub(super) struct Html(String);

impl Html {
    /// Adds markup. It can only come from the source.
    pub(super) fn raw(&mut self, markup: &'static str) -> &mut Html {
        self.0.push_str(markup);
        self
    }

    /// Adds anything else, as text or as the value of a quoted attribute.
    pub(super) fn text(&mut self, text: impl Display) -> &mut Html {
        self.0.push_str(&escape(&text.to_string()));
        self
    }

    /// Adds a field of a form that is not shown.
    pub(super) fn hidden(&mut self, name: &'static str, value: impl Display) -> &mut Html {
        self.raw("<input type=\"hidden\" name=\"").raw(name).raw("\" value=\"").text(value).raw("\">")
    }

    /// Adds markup where it applies.
    pub(super) fn raw_if(&mut self, applies: bool, markup: &'static str) -> &mut Html {
        if applies { self.raw(markup) } else { self }
    }

    pub(super) fn into_text(self) -> String {
        self.0
    }
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_ends_no_tag_and_no_attribute() {
        let mut html = Html::default();
        html.raw("<b title=\"").text("\"'><i>").raw("\">").text("&amp;<script>").raw("</b>");
        let expected = "<b title=\"&quot;&#39;&gt;&lt;i&gt;\">&amp;amp;&lt;script&gt;</b>";
        assert_eq!(html.into_text(), expected);
    }
}
