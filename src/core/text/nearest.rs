use strsim::osa_distance;
use unicode_normalization::UnicodeNormalization as _;

/// The longest names that are compared, because the edit distance costs the product of both lengths.
const COMPARED_LENGTH_MAX: usize = 64;

/// Returns the names nearest to the given one, best first, at most `limit`. A name is near if the edit distance is at
/// most a third of its length (at least one edit), or if one of the two begins with the other. Equal distances keep
/// alphabetical order. Case and compatibility forms are ignored.
pub fn nearest<'a>(given: &str, names: impl IntoIterator<Item = &'a str>, limit: usize) -> Vec<&'a str> {
    if COMPARED_LENGTH_MAX < given.chars().count() {
        return Vec::new();
    }
    let lower = given.nfkc().collect::<String>().to_lowercase();
    let mut near: Vec<_> = names
        .into_iter()
        .filter_map(|name| {
            let distance = osa_distance(&lower, &name.to_lowercase());
            let reach = (name.chars().count() / 3).max(1);
            let shorter = name.chars().count().min(lower.chars().count());
            let starts = 2 <= shorter && (name.starts_with(&lower) || lower.starts_with(name));
            (distance <= reach || starts).then_some((distance, name))
        })
        .collect();
    near.sort_unstable();
    near.truncate(limit);
    near.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn near_names_are_few_edits_away_or_begin_the_same() {
        let names = ["status", "tasks", "clear", "model", "help", "receipt"];
        let cases = [
            ("staus", vec!["status"]),
            ("STATUS", vec!["status"]),
            ("statsu", vec!["status"]),
            ("task", vec!["tasks"]),
            ("rec", vec!["receipt"]),
            ("weather", vec![]),
            ("", vec![]),
            ("hepl", vec!["help"]),
            ("status@candor", vec!["status"]),
            ("ｓｔａｔｕｓ", vec!["status"]),
        ];
        for (given, expected) in cases {
            assert_eq!(nearest(given, names, 3), expected, "{given}");
        }
        assert!(nearest(&"x".repeat(10_000), names, 3).is_empty());
    }
}
