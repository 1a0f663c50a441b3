//! Tests of the rules themselves: small source trees that each rule refuses or accepts.

use super::rules;
use super::source::Source;
use super::tree::Tree;

fn sources(files: &[(&str, &str)]) -> Vec<Source> {
    files.iter().map(|(file, text)| Source::new(file, text)).collect()
}

/// The problems, shortened to one text.
fn told(broken: Vec<String>) -> String {
    broken.join("; ")
}

const TEXT: (&str, &str) = ("src/core/text/mod.rs", "mod cut;\npub use cut::cut;");
const CUT: (&str, &str) = ("src/core/text/cut.rs", "pub fn cut() {}");

fn leads(files: &[(&str, &str)], from: &str, to: &str) -> bool {
    Tree::read(&sources(files)).arrows().contains(&(from.to_owned(), to.to_owned()))
}

#[test]
fn a_path_counts_wherever_it_is_named_and_leads_to_where_the_name_is_defined() {
    let uses = [
        "use crate::text::cut;",
        "fn f() { crate::text::cut(); }",
        "fn f() { assert!(crate::text::cut() == ()); }",
        "use crate::{text::cut, inbound};",
        "fn f(x: crate::text::cut) {}",
        "#[derive(crate::text::cut)] struct S;",
    ];
    for text in uses {
        let files = [TEXT, CUT, ("src/core/reply/mod.rs", text)];
        assert!(leads(&files, "core::reply", "core::text::cut"), "{text}");
    }
    let unused =
        ["#[cfg(test)] mod tests { use crate::text::cut; }", "/// crate::text::cut\nconst A: &str = \"crate::text\";"];
    for text in unused {
        let files = [TEXT, CUT, ("src/core/reply/mod.rs", text)];
        assert!(!leads(&files, "core::reply", "core::text::cut"), "{text}");
    }
}

#[test]
fn one_crate_leads_to_another() {
    let files = [
        ("src/core/router/mod.rs", "pub fn classify() {}"),
        ("src/engine/dispatch/mod.rs", "use candor_core::router::classify;"),
        ("modules/status/mod.rs", "fn f() { candor_core::router::classify(); }"),
    ];
    assert!(leads(&files, "engine::dispatch", "core::router"));
    assert!(leads(&files, "modules::status", "core::router"));
}

#[test]
fn a_circle_through_a_re_export_is_refused() {
    let broken = |b| {
        let facade = ("src/core/text/mod.rs", "mod a;\nmod b;\npub use b::b;");
        let a = ("src/core/text/a.rs", "use crate::text::b;\npub(super) fn a() {}");
        told(rules::circles_in_folders(&sources(&[facade, a, ("src/core/text/b.rs", b)])))
    };
    assert_eq!(broken("use super::a::a;\npub fn b() {}"), "core::text: [\"a\", \"b\"]");
    assert_eq!(broken("pub fn b() {}"), "");
}

#[test]
fn a_part_that_uses_what_a_file_above_it_defines_is_refused() {
    let parent = ("src/core/text/mod.rs", "mod cut;\nmod deep;\nconst MAX: usize = 1;\npub fn f() { cut::cut(); }");
    let broken = |file, text| told(rules::uses_of_parents(&sources(&[parent, CUT, (file, text)])));
    let refused = "`core::text::deep` uses what `core::text` defines: move it into a file of its own";
    for text in ["use super::MAX;", "use crate::text::MAX;", "use super::*;", "fn f() { super::f(); }"] {
        assert_eq!(broken("src/core/text/deep.rs", text), refused, "{text}");
    }
    let deeper = broken("src/core/text/deep/deeper.rs", "use super::super::MAX;");
    assert!(deeper.starts_with("`core::text::deep::deeper` uses what `core::text`"), "{deeper}");
    for text in ["use super::cut::cut;", "#[cfg(test)] mod tests { use super::super::MAX; }"] {
        assert_eq!(broken("src/core/text/deep.rs", text), "", "{text}");
    }
}

#[test]
fn a_parent_that_re_exports_and_defines_is_refused() {
    let broken = |text| told(rules::mixed_parents(&sources(&[("src/core/text/mod.rs", text), CUT])));
    let refused = "src/core/text/mod.rs defines something and re-exports its parts";
    assert_eq!(broken("mod cut;\npub use cut::cut;\nconst MAX: usize = 1;"), refused);
    assert_eq!(broken("mod cut;\npub(crate) use cut::cut;\nfn f() {}"), refused);
    assert_eq!(broken("mod cut;\nuse cut::cut;\npub fn f() { cut(); }"), "");
    assert_eq!(broken(TEXT.1), "");

    let open = |text| told(rules::open_parents(&sources(&[("src/core/text/mod.rs", text), CUT]), &[]));
    let refused = "src/core/text/mod.rs defines something and has open parts";
    assert_eq!(open("pub(crate) mod cut;\nfn f() {}"), refused);
    assert_eq!(open("pub(crate) mod cut;"), "");
    assert_eq!(open("mod cut;\nfn f() {}"), "");
}

#[test]
fn a_folder_with_too_many_entries_is_refused_and_so_is_an_exception_that_is_larger_than_its_folder() {
    let files = [TEXT, CUT, ("src/core/text/deep/a.rs", ""), ("src/core/text/deep/b.rs", "")];
    let broken = |max, more: &[(&str, usize, &str)]| told(rules::crowded_folders(&sources(&files), max, more));
    assert_eq!(broken(2, &[]), "");
    assert_eq!(broken(1, &[]), "src/core/text has 2 entries of 1; src/core/text/deep has 2 entries of 1");
    assert_eq!(broken(1, &[("src/core/text", 2, "")]), "src/core/text/deep has 2 entries of 1");
    assert_eq!(broken(2, &[("src/core/text", 3, "")]), "src/core/text has 2 entries of 3");
}

#[test]
fn a_call_that_makes_a_proof_is_refused_in_other_files_than_its_own() {
    let broken = |file, text, call| {
        told(rules::misplaced_calls(&sources(&[(file, text)]), &[(call, &["src/core/execution/ticket.rs"])]))
    };
    let calls = [
        ("Receipt::mint", "fn f() { Receipt::mint(); }"),
        ("Receipt::mint", "fn f() { crate::record::Receipt::mint(); }"),
        ("Receipt::mint", "fn f() { ids.map(Receipt::mint); }"),
        ("Receipt::mint", "fn f() { vec![Receipt::mint()]; }"),
        ("handler.run", "fn f() { handler.run(); }"),
        ("handler.run", "fn f() { self.handler.run().boxed(); }"),
        ("handler.run", "fn f() { native.handler().run(); }"),
    ];
    for (call, text) in calls {
        assert_eq!(broken("src/core/execution/ticket.rs", text, call), "", "{text}");
        let elsewhere = broken("src/engine/chat/calls.rs", text, call);
        assert!(elsewhere.ends_with("and is made in {\"src/engine/chat/calls.rs\"}"), "{text}: {elsewhere}");
    }
    let unused = broken("src/core/execution/ticket.rs", "fn f() { executor.run(); }", "handler.run");
    assert!(unused.ends_with("and is made in {}"), "{unused}");
}

#[test]
fn a_file_that_does_not_say_what_it_is_is_refused() {
    let silent = |text| told(rules::silent_files(&sources(&[("src/core/text/cut.rs", text)])));
    for text in ["pub fn cut() {}", "// Cuts.\npub fn cut() {}", "/// Cuts.\npub fn cut() {}", ""] {
        assert_eq!(silent(text), "src/core/text/cut.rs", "{text}");
    }
    for text in ["//! Cuts.\n", "#![deny(warnings)]\n//! Cuts.\n", "#![doc = include_str!(\"README.md\")]\n"] {
        assert_eq!(silent(text), "", "{text}");
    }
}

#[test]
fn lines_are_counted_without_tests() {
    let files = sources(&[
        ("src/a/mod.rs", "//! A.\n\nfn a() {}\n\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}"),
        ("src/a/tests.rs", "//! Tests.\n"),
        ("src/ab/mod.rs", "//! Another folder."),
    ]);
    assert_eq!(rules::lines_of(&files, &["src/a"]), 4);
}
