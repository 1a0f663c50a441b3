//! One line per rule: a body, and the expected paths.

use serde_json::json;

use super::*;
use crate::limits::check_body;

fn file(index: u64, filename: &str) -> SentFile {
    SentFile { index: Some(index), filename: filename.to_owned(), size: 1, bytes: Vec::new().into() }
}

fn places(body: &Value, context: &BodyContext<'_>) -> String {
    let mut problems = Problems::default();
    check_body(&mut problems, &Path::default(), body, context);
    let places = problems.finish().err().map(|refusal| refusal.places()).unwrap_or_default();
    places.iter().filter_map(|place| place.split(' ').next()).collect::<Vec<_>>().join(" ")
}

#[test]
fn what_is_described_and_shown_is_there() {
    let shows = |address: &str| json!({"content": "x", "embeds": [{"title": "t", "image": {"url": address}}]});
    let describes = |id: Value, text: &str| json!({"content": "x", "attachments": [{"id": id, "description": text}]});
    let files = [file(0, "a.png")];
    let before = json!({"attachments": [{"id": "77", "filename": "old.png"}]});
    let context = BodyContext { files: &files, before: &before };
    let cases = [
        (shows("attachment://a.png"), ""),
        (shows("attachment://b.png"), "embeds.0.image.url"),
        (shows("attachment://old.png"), ""),
        (shows("https://example.org/a.png"), ""),
        (shows("file:///etc/passwd"), "embeds.0.image.url"),
        (describes(json!(0), &"d".repeat(1024)), ""),
        (describes(json!("0"), &"d".repeat(1025)), "attachments.0.description"),
        (describes(json!(1), "d"), "attachments.0.id"),
        (describes(json!("77"), "d"), ""),
        // Naming only the new file takes the old one away.
        (
            json!({"attachments": [{"id": 0}], "embeds": [{"image": {"url": "attachment://old.png"}}]}),
            "embeds.0.image.url",
        ),
    ];
    for (body, expected) in cases {
        assert_eq!(places(&body, &context), expected, "{body}");
    }
    let many: Vec<SentFile> = (0..11).map(|n| file(n, "a")).collect();
    assert_eq!(places(&json!({"content": "x"}), &BodyContext { files: &many, ..BodyContext::NEW }), "attachments");
}

#[test]
fn a_file_has_a_largest_size() {
    let sized = |size: usize| [SentFile { size, ..file(0, "a") }];
    assert_eq!(check_sizes(&sized(10 * 1024 * 1024)), Ok(()));
    assert_eq!(check_sizes(&sized(10 * 1024 * 1024 + 1)).map_err(|refusal| refusal.code), Err(40005));
}

#[test]
fn components_v2_stay() {
    let before = json!({"flags": 1 << 15});
    let context = BodyContext { files: &[], before: &before };
    assert_eq!(places(&json!({"components": [{"type": 10, "content": "t"}]}), &context), "");
    assert_eq!(places(&json!({"content": "x"}), &context), "content");
    assert_eq!(places(&json!({"flags": 0}), &context), "flags");
}
