//! The source files as a tree, and who uses whom in it.

use std::collections::{BTreeMap, BTreeSet};

use super::source::Source;
use super::tables::CRATES;

/// Who uses whom.
pub(super) type Uses = BTreeMap<String, BTreeSet<String>>;

/// Every source file by its place: `core::router::classify`, `modules::status`, `store::sqlite`.
pub(super) struct Tree<'a> {
    files: BTreeMap<String, &'a Source>,
    /// Re-exported names, with the place that they stand for.
    reexports: BTreeMap<String, String>,
}

impl<'a> Tree<'a> {
    pub(super) fn read(sources: &'a [Source]) -> Self {
        let files: BTreeMap<_, _> =
            sources.iter().filter(|source| !source.is_of_tests()).map(|source| (place(&source.file), source)).collect();
        let reexports = files.iter().flat_map(|(place, source)| {
            source.reexports().into_iter().map(move |(name, path)| (join(place, &name), join(place, &path.join("::"))))
        });
        Self { reexports: reexports.collect(), files }
    }

    /// Each folder, with who of its parts uses whom.
    pub(super) fn folders(&self) -> BTreeMap<String, Uses> {
        let mut folders: BTreeMap<String, Uses> = BTreeMap::new();
        for (from, to) in self.arrows() {
            let (from, to): (Vec<_>, Vec<_>) = (from.split("::").collect(), to.split("::").collect());
            let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            // A parent is none of its own parts: it may use them, and they may use what it re-exports of others.
            if let (Some(a), Some(b)) = (from.get(shared), to.get(shared)) {
                let folder = folders.entry(from[..shared].join("::")).or_default();
                folder.entry((*a).to_owned()).or_default().insert((*b).to_owned());
            }
        }
        folders
    }

    /// From which file to which file each path leads, each once.
    pub(super) fn arrows(&self) -> BTreeSet<(String, String)> {
        let mut arrows = BTreeSet::new();
        for (place, source) in &self.files {
            let named = source.paths().into_iter().filter_map(|path| self.resolve(&absolute(place, source, &path)?));
            arrows.extend(named.filter(|to| to != place).map(|to| (place.clone(), to)));
        }
        arrows
    }

    /// The file in which a name is defined, past every re-export.
    fn resolve(&self, path: &str) -> Option<String> {
        let mut path = path.to_owned();
        while let Some(behind) = self.past_a_reexport(&path) {
            path = behind;
        }
        prefixes(&path).find(|prefix| self.files.contains_key(*prefix)).map(str::to_owned)
    }

    fn past_a_reexport(&self, path: &str) -> Option<String> {
        prefixes(path).find_map(|prefix| {
            let behind = self.reexports.get(prefix).filter(|_| !self.files.contains_key(prefix))?;
            Some(format!("{behind}{}", path.strip_prefix(prefix).unwrap_or_default()))
        })
    }
}

/// The path and everything that it begins with, the longest first.
fn prefixes(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| path.rsplit_once("::").map(|(above, _)| above))
}

/// Where a path leads from the root; `None` if it is one of an outside crate, or of a name that is in scope.
fn absolute(place: &str, source: &Source, path: &[String]) -> Option<String> {
    let (first, rest) = path.split_first()?;
    // The root of the crate that the file is of; `candor` itself lies at the root of all.
    let root = CRATES.iter().find(|root| place.split("::").next() == Some(root)).copied().unwrap_or_default();
    if let Some(other) = first.strip_prefix("candor_").filter(|name| CRATES.contains(name)) {
        return Some(join(other, &rest.join("::")));
    }
    let base = match first.as_str() {
        "crate" => root.to_owned(),
        "candor" if root.is_empty() => String::new(),
        "self" => place.to_owned(),
        "super" => {
            let up = 1 + rest.iter().take_while(|name| *name == "super").count();
            let mut above = place;
            for _ in 0..up {
                above = above.rsplit_once("::").map_or("", |(above, _)| above);
            }
            return Some(join(above, &rest[up - 1..].join("::")));
        }
        child if source.children().iter().any(|known| known == child) => return Some(join(place, &path.join("::"))),
        _ => return None,
    };
    Some(join(&base, &rest.join("::")))
}

/// A file's place in the tree.
fn place(file: &str) -> String {
    let path = file.strip_prefix("src/").unwrap_or(file).trim_end_matches(".rs");
    let path = path.strip_suffix("/mod").or_else(|| path.strip_suffix("/lib")).unwrap_or(path);
    path.replace('/', "::")
}

fn join(above: &str, below: &str) -> String {
    match (above, below) {
        ("", only) | (only, "") => only.to_owned(),
        _ => format!("{above}::{below}"),
    }
}

/// The circles of a graph: parts that each lead to all the others.
pub(super) fn circles(uses: &Uses) -> Vec<Vec<String>> {
    let reached = |from: &str| {
        let (mut seen, mut left) = (BTreeSet::new(), vec![from.to_owned()]);
        while let Some(next) = left.pop() {
            for to in uses.get(&next).into_iter().flatten() {
                if seen.insert(to.clone()) {
                    left.push(to.clone());
                }
            }
        }
        seen
    };
    let reach: BTreeMap<_, _> = uses.keys().map(|part| (part.clone(), reached(part))).collect();
    let mut found: BTreeSet<Vec<String>> = BTreeSet::new();
    for (part, reaches) in &reach {
        let circle: Vec<_> =
            reaches.iter().filter(|other| reach.get(*other).is_some_and(|back| back.contains(part))).cloned().collect();
        if 1 < circle.len() {
            found.insert(circle);
        }
    }
    found.into_iter().collect()
}
