//! No statement of the store reads a whole table that grows: SQLite's plan of each is looked at.
//!
//! The statements are read from the sources: whatever text there begins as one does.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::LitStr;
use syn::visit::Visit;

use crate::store::Trial;

/// Tables that may be read as a whole, and why they are small.
const SMALL: [(&str, &str); 10] = [
    ("leases", "one for each live message and each turn that runs"),
    ("intents", "runs under way"),
    ("cooldowns", "the next commands remove those that are over"),
    ("live_messages", "one for each channel that has one: all are read at the start"),
    ("sample_layouts", "a hundred at most"),
    ("logins", "those of a day"),
    ("sessions", "one for each shard"),
    ("refusals", "the last eleven minutes"),
    ("open_replies", "replies that are being written"),
    ("receipt_keys", "one for each rotation"),
];

/// Texts that begin like a statement.
#[derive(Default)]
struct Statements(BTreeSet<String>);

impl Statements {
    fn add(&mut self, text: &str) {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if ["SELECT ", "INSERT INTO ", "UPDATE ", "DELETE FROM "].iter().any(|verb| text.starts_with(verb)) {
            self.0.insert(text);
        }
    }

    /// The texts in a macro: `of_receipts!` puts the columns between two.
    fn of_macro(&mut self, name: &str, tokens: TokenStream) {
        let texts = tokens.into_iter().filter_map(|token| match token {
            TokenTree::Literal(literal) => syn::parse_str::<LitStr>(&literal.to_string()).ok(),
            _ => None,
        });
        let texts: Vec<_> = texts.map(|text| text.value()).collect();
        match (name, texts.as_slice()) {
            ("of_receipts", [before, behind]) => self.add(&format!("{before} number {behind}")),
            ("of_checkpoints", [behind]) => self.add(&format!("SELECT position FROM checkpoints {behind}")),
            ("of_receipts", _) => panic!("`of_receipts!` with {texts:?}"),
            _ => texts.iter().for_each(|text| self.add(text)),
        }
    }
}

impl<'ast> Visit<'ast> for Statements {
    fn visit_lit_str(&mut self, text: &'ast LitStr) {
        self.add(&text.value());
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        let name = called.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        self.of_macro(&name, called.tokens.clone());
    }

    fn visit_item_macro(&mut self, _: &'ast syn::ItemMacro) {
        // The definition of `of_receipts!` itself.
    }
}

fn read(folder: &Path, found: &mut Statements) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            read(&path, found);
        } else {
            found.visit_file(&syn::parse_file(&fs::read_to_string(&path).unwrap()).unwrap());
        }
    }
}

#[tokio::test]
async fn no_statement_reads_a_whole_table_that_grows() {
    let mut statements = Statements::default();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store/tables"), &mut statements);
    assert!(100 < statements.0.len(), "only {} statements were found", statements.0.len());

    let trial = Trial::on_sqlite();
    trial.open().await.close().await;
    let connection = rusqlite::Connection::open(trial.file()).unwrap();
    let (mut scans, mut of_page) = (Vec::new(), 0);
    for statement in &statements.0 {
        // PostgreSQL's alone.
        if ["SKIP LOCKED", "extract(epoch", "pg_", "json_array_elements"].iter().any(|word| statement.contains(word)) {
            continue;
        }
        let mut plan = match connection.prepare(&format!("EXPLAIN QUERY PLAN {statement}")) {
            Ok(plan) => plan,
            Err(problem) => panic!("{statement}: {problem}"),
        };
        // SQLite numbers `$1`, `$2` as they come, PostgreSQL as they say.
        let numbered: Vec<_> = (1..=plan.parameter_count()).map(|at| format!("${at}")).collect();
        let named: Vec<_> = (1..=numbered.len()).map(|at| plan.parameter_name(at).unwrap_or_default()).collect();
        assert_eq!(named, numbered, "{statement}");
        let values = vec![rusqlite::types::Null; numbered.len()];
        let steps = plan.query_map(rusqlite::params_from_iter(values), |row| row.get::<_, String>("detail")).unwrap();
        let steps: Vec<_> = steps.map(Result::unwrap).collect();
        for step in &steps {
            let scanned = step.strip_prefix("SCAN ").and_then(|rest| rest.split(' ').next()).unwrap_or_default();
            // A result that was found before, or nothing stored.
            let is_a_table = !["", "CONSTANT", "newest", "listed", "json_each"].contains(&scanned)
                && !scanned.starts_with("pragma_");
            // An index of the operator's commands alone, which are few.
            let is_a_table = is_a_table && !step.contains("USING INDEX receipts_of_operator");
            if is_a_table && !SMALL.iter().any(|(table, _)| *table == scanned) && !is_one_row(statement, step) {
                scans.push(format!("{step}: {statement}"));
            }
        }
        if statement.contains("place = $2 AND command <> $3") {
            let index = "USING COVERING INDEX receipts_by_caller (caller=? AND place=?)";
            assert!(steps.iter().any(|step| step.contains(index)), "{steps:#?}");
            of_page += 1;
        }
    }
    assert_eq!(of_page, 2, "the statements of `/receipt` were not found");
    assert!(scans.is_empty(), "{}", scans.join("\n"));
}

/// Whether a scan ends with its first row: the rows are taken in the order of a key, and nothing is left out.
fn is_one_row(statement: &str, step: &str) -> bool {
    let table = step.split(' ').nth(1).unwrap_or_default();
    statement.contains(" LIMIT 1") && statement.contains(&format!("FROM {table} ORDER BY "))
}
