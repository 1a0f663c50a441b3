//! The rules of the architecture: each returns what breaks it in a set of source files.

use std::collections::{BTreeMap, BTreeSet};

use super::source::Source;
use super::tree::{Tree, circles};

/// Folders whose parts use each other in a circle.
pub(super) fn circles_in_folders(sources: &[Source]) -> Vec<String> {
    let folders = Tree::read(sources).folders().into_iter();
    folders
        .flat_map(|(folder, uses)| circles(&uses).into_iter().map(move |circle| format!("{folder}: {circle:?}")))
        .collect()
}

/// Parts that use what a file above them defines: a circle, because that file declares its parts.
pub(super) fn uses_of_parents(sources: &[Source]) -> Vec<String> {
    let arrows = Tree::read(sources).arrows().into_iter();
    let upward = arrows.filter(|(from, to)| from.strip_prefix(to).is_some_and(|rest| rest.starts_with("::")));
    upward.map(|(from, to)| format!("`{from}` uses what `{to}` defines: move it into a file of its own")).collect()
}

/// Files that re-export what their parts define, and define something themselves.
pub(super) fn mixed_parents(sources: &[Source]) -> Vec<String> {
    let mixed = sources.iter().filter(|source| !source.reexports().is_empty() && source.defines());
    mixed.map(|source| format!("{} defines something and re-exports its parts", source.file)).collect()
}

/// Files that let others see into their parts, and define something themselves. `lists` are not asked.
pub(super) fn open_parents(sources: &[Source], lists: &[&str]) -> Vec<String> {
    let open = sources.iter().filter(|source| source.has_open_parts() && source.defines());
    let open = open.filter(|source| !lists.contains(&source.file.as_str()));
    open.map(|source| format!("{} defines something and has open parts", source.file)).collect()
}

/// Folders with more than `max` entries beside the file that declares them. `more` names folders that may have more,
/// with how many and why.
pub(super) fn crowded_folders(sources: &[Source], max: usize, more: &[(&str, usize, &str)]) -> Vec<String> {
    let mut entries: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for source in sources {
        let mut path = source.file.as_str();
        while let Some((folder, entry)) = path.rsplit_once('/') {
            if !["mod.rs", "lib.rs", "main.rs"].contains(&entry) {
                entries.entry(folder).or_default().insert(entry);
            }
            path = folder;
        }
    }
    let crowded = entries.iter().filter_map(|(folder, entries)| {
        let listed = more.iter().find(|(listed, ..)| listed == folder);
        let (n, max) = (entries.len(), listed.map_or(max, |(_, max, _)| *max));
        (max < n || listed.is_some() && n < max).then(|| format!("{folder} has {n} entries of {max}"))
    });
    crowded.collect()
}

/// Calls that are not made in exactly the files of their row.
pub(super) fn misplaced_calls(sources: &[Source], table: &[(&str, &[&str])]) -> Vec<String> {
    let mut makers: Vec<BTreeSet<String>> = vec![BTreeSet::new(); table.len()];
    for source in sources.iter().filter(|source| !source.is_of_tests()) {
        let paths = source.paths().into_iter().map(|path| format!("::{}", path.join("::")));
        let calls = source.method_calls().into_iter().map(|call| format!("::{call}"));
        for made in paths.chain(calls) {
            for ((call, _), makers) in table.iter().zip(&mut makers) {
                if made.ends_with(&format!("::{call}")) {
                    makers.insert(source.file.clone());
                }
            }
        }
    }
    let rows = table.iter().zip(makers).filter(|((_, allowed), makers)| owned(allowed) != *makers);
    rows.map(|((call, allowed), makers)| format!("`{call}` is for {allowed:?}, and is made in {makers:?}")).collect()
}

/// Files that do not say in their first line what they are.
pub(super) fn silent_files(sources: &[Source]) -> Vec<String> {
    let first_words = |text: &str| text.lines().find(|line| !line.starts_with("#![")).map(str::to_owned);
    // The documentation of the modules is their README.
    let is_included = |text: &str| text.starts_with("#![doc = include_str!(");
    let says = |text: &str| is_included(text) || first_words(text).is_some_and(|line| line.starts_with("//! "));
    sources.iter().filter(|source| !says(&source.text)).map(|source| source.file.clone()).collect()
}

/// How many lines these folders have, with comments and blank lines and without tests.
pub(super) fn lines_of(sources: &[Source], folders: &[&str]) -> usize {
    let is_of = |source: &&Source| {
        folders
            .iter()
            .any(|folder| source.file.starts_with(&format!("{folder}/")) || source.file == format!("{folder}.rs"))
    };
    let written = |source: &Source| {
        let before_tests = |line: &&str| !line.starts_with("mod tests {");
        source.text.lines().take_while(before_tests).filter(|line| *line != "#[cfg(test)]").count()
    };
    sources.iter().filter(is_of).filter(|source| !source.file.ends_with("/tests.rs")).map(written).sum()
}

fn owned(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}
