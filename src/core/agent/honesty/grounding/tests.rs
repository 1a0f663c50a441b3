//! Figures, names, paths and dates, and where they come from.

use super::ungrounded;

const STATUS: &str = "Status fresh\nCPU 12.5 %   Memory 3.1 of 24.0 GiB   Load 0.42   Disk 13 %   Up 3 h\n\
     as of 2026-02-01T12:03:04Z · 1,234 requests · 98.765 % hits";
const TASKS: &str = "{\"owner\":\"Ada Lovelace\",\"mail\":\"ada@example.org\",\"file\":\"/srv/data/notes.txt\",\
     \"url\":\"https://example.org/a?b=1\",\"sizes\":[12345,678],\"bytes\":3328599654,\"by\":\"<@123456789012345678>\",\
     \"version\":\"1.2.3\",\"first\":\"Grace\",\"last\":\"Hopper\"}";

#[test]
fn what_is_known_is_grounded_however_it_is_written() {
    for prose in [
        "",
        "Hello there, how are you?",
        "CPU is at 12.5 %, memory at 3.1 of 24 GiB.",
        "CPU: 12,5%, 12.50 percent, about 13%, load 0.4.",
        "There were 1234 requests, 1.234 or 1 234 as others write it.",
        "98.77 % or 98.8% or 99% hits.",
        "As of 12:03, that is 12:03:04 on 2026-02-01, in 2026.",
        "At 12:03 PM.",
        "It uses 3.1 GiB, 3.33 GB, which is 3328599654 bytes.",
        "Up 3 hours.",
        "Sizes: 12345 and 678.",
        "Ada Lovelace wrote notes.txt, data/notes.txt, `/srv/data/notes.txt` in /srv/data/.",
        "Write to ada@example.org or <@123456789012345678>, see https://example.org/a?b=1.",
        "Version 1.2.3 by ADA LOVELACE and Grace Hopper.",
        // Not figures, names or paths.
        "There are 5 things, the 1st and the 21st, available 24/7.",
        "1. One\n2) Two\n12. Twelve",
        "Use /status or /tasks, and/or ask. I like Node.js.",
        "Memory Usage: fine\n**Cache Hits**: fine\n## Weekly Nice Report",
        "The Disk is fine. Good Morning! Ada said so. However Ada left.",
    ] {
        assert_eq!(ungrounded(prose, &[STATUS, TASKS]), Vec::<String>::new(), "{prose}");
    }
}

#[test]
fn what_nobody_said_is_found_as_it_is_written() {
    let cases: [(&str, &[&str]); 20] = [
        ("CPU is at 12.6 %.", &["12.6"]),
        ("CPU is at 14%.", &["14%"]),
        ("Disk: 5%", &["5%"]),
        ("It holds 7 GiB.", &["7"]),
        ("It costs $9.", &["$9"]),
        ("1,235 requests", &["1,235"]),
        ("between 10-77", &["10-77"]),
        ("At 12:04 on 2026-02-02.", &["12:04", "2026-02-02"]),
        ("At 12:03:05, or at 12:03 AM.", &["12:03:05", "12:03"]),
        ("In `/home/ada/notes.txt` and todo.md", &["/home/ada/notes.txt", "todo.md"]),
        ("In C:\\Users\\ada and srv/other.txt", &["C:\\Users\\ada", "srv/other.txt"]),
        ("See https://example.org/b.", &["https://example.org/b"]),
        ("Ask bob@example.org, @bob or <@99>.", &["bob@example.org", "@bob", "@99"]),
        ("Bob Smith wrote it.", &["Bob Smith"]),
        ("The list is by Ada Hopper.", &["Ada Hopper"]),
        ("Version 1.2.4 at 10.0.0.1", &["1.2.4", "10.0.0.1"]),
        ("Id 123456789012345679", &["123456789012345679"]),
        ("77 and 77, then 88", &["77", "88"]),
        ("1. 77 apples", &["77"]),
        ("```\ncpu 77\n```", &["77"]),
    ];
    for (prose, expected) in cases {
        assert_eq!(ungrounded(prose, &[STATUS, TASKS]), expected, "{prose}");
    }
}

#[test]
fn without_a_known_text_every_detail_is_found() {
    assert_eq!(ungrounded("CPU 12.5 % at 12:03 by Ada Lovelace", &[]), ["12.5", "12:03", "Ada Lovelace"]);
}

#[test]
fn at_most_ten_are_returned() {
    let prose: String = (100..200).map(|n| format!("{n} ")).collect();
    let first_ten: Vec<_> = (100..110).map(|n| n.to_string()).collect();
    assert_eq!(ungrounded(&prose, &["nothing"]), first_ten);
}
