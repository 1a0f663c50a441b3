//! The module's texts in every language.

use std::sync::LazyLock;

use candor_core::language::Texts;

pub(super) static TEXTS: LazyLock<Texts> =
    LazyLock::new(|| Texts::new(&[("en", include_str!("en.ftl")), ("de", include_str!("de.ftl"))]));
