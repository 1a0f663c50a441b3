//! The words that claims are made of. English alone.

/// What a verb says of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    /// It changed something.
    Wrote,
    /// It ran or read something.
    Read,
}

/// What a past participle claims, if it is one that any tool may be claimed with.
pub(super) fn generic(word: &str) -> Option<Verb> {
    match word {
        "called" | "checked" | "executed" | "fetched" | "looked" | "queried" | "ran" | "retrieved" | "run"
        | "searched" => Some(Verb::Read),
        "activated" | "added" | "appended" | "archived" | "assigned" | "banned" | "booked" | "canceled"
        | "cancelled" | "changed" | "cleared" | "copied" | "created" | "deactivated" | "deleted" | "deployed"
        | "disabled" | "downloaded" | "edited" | "emailed" | "enabled" | "erased" | "inserted" | "installed"
        | "kicked" | "logged" | "modified" | "moved" | "muted" | "notified" | "ordered" | "pinned" | "posted"
        | "published" | "recorded" | "refunded" | "registered" | "remembered" | "removed" | "renamed" | "reset"
        | "restarted" | "restored" | "saved" | "scheduled" | "sent" | "stored" | "submitted" | "subscribed"
        | "unpinned" | "unsubscribed" | "updated" | "uploaded" => Some(Verb::Wrote),
        _ => None,
    }
}

/// What any past participle claims behind or before "successfully".
pub(super) fn participle(word: &str) -> Option<Verb> {
    let is_reading = matches!(
        word,
        "accessed"
            | "completed"
            | "connected"
            | "displayed"
            | "finished"
            | "found"
            | "listed"
            | "loaded"
            | "obtained"
            | "performed"
            | "processed"
            | "read"
            | "received"
            | "verified"
    );
    let is_irregular = matches!(word, "built" | "done" | "made" | "put" | "set" | "sent" | "taken" | "written");
    if is_reading {
        return Some(Verb::Read);
    }
    (is_irregular || (4 < word.len() && word.ends_with("ed"))).then_some(Verb::Wrote)
}

/// One verb for all those that say the same deed, so that a tool which is claimed with one is claimed with the others.
/// Few on purpose: "changed" may be said of anything, so it stands for nothing but changes.
pub(super) fn kin(word: &str) -> &str {
    match word {
        "memorized" | "recorded" | "remembered" | "stored" => "saved",
        "erased" | "removed" => "deleted",
        "appended" | "inserted" => "added",
        "changed" | "edited" | "modified" => "updated",
        "canceled" => "cancelled",
        "overwritten" | "wrote" => "written",
        _ => word,
    }
}

/// Whether a verb says nothing without what it is about: `made a note`, `put on the list`.
pub(super) fn is_light(word: &str) -> bool {
    matches!(word, "done" | "made" | "marked" | "put" | "set" | "taken")
}

/// Whether the words behind a verb give it another meaning: `ran into`, `looked at`, `called it`.
pub(super) fn means_other(verb: &str, next: Option<&str>) -> bool {
    let next = next.unwrap_or_default();
    let is_nothing = matches!(next, "nothing" | "none" | "no" | "neither" | "nobody");
    is_nothing
        || match verb {
            "ran" | "run" => matches!(next, "into" | "out" | "across" | "away" | "by" | "low"),
            "called" => matches!(next, "it" | "this" | "that" | "them" | "him" | "her" | "on"),
            "looked" => next != "up",
            "checked" => matches!(next, "in" | "out"),
            "moved" => next == "on",
            "changed" => next == "my",
            _ => false,
        }
}

/// Verbs of work on a text as well: `I've added a comma to the second sentence`.
pub(super) fn is_of_writing(verb: &str) -> bool {
    matches!(
        verb,
        "added"
            | "appended"
            | "changed"
            | "checked"
            | "cleared"
            | "copied"
            | "created"
            | "edited"
            | "inserted"
            | "modified"
            | "moved"
            | "removed"
            | "renamed"
            | "updated"
    )
}

/// Things that a reply itself holds.
pub(super) fn is_text(word: &str) -> bool {
    matches!(
        word,
        "above"
            | "below"
            | "bullet"
            | "bullets"
            | "code"
            | "comma"
            | "commas"
            | "comment"
            | "comments"
            | "diagram"
            | "draft"
            | "essay"
            | "example"
            | "examples"
            | "explanation"
            | "explanations"
            | "following"
            | "function"
            | "grammar"
            | "haiku"
            | "heading"
            | "headings"
            | "itinerary"
            | "joke"
            | "limerick"
            | "outline"
            | "overview"
            | "paragraph"
            | "paragraphs"
            | "plan"
            | "poem"
            | "punctuation"
            | "recipe"
            | "rhyme"
            | "section"
            | "sections"
            | "sentence"
            | "sentences"
            | "snippet"
            | "song"
            | "spelling"
            | "stanza"
            | "story"
            | "summary"
            | "table"
            | "template"
            | "tone"
            | "typo"
            | "typos"
            | "verse"
            | "version"
            | "wording"
    )
}

/// Things outside a reply.
pub(super) fn is_place(word: &str) -> bool {
    matches!(
        word,
        "calendar"
            | "channel"
            | "channels"
            | "database"
            | "disk"
            | "file"
            | "files"
            | "folder"
            | "memories"
            | "memory"
            | "reminder"
            | "reminders"
            | "role"
            | "roles"
            | "server"
            | "task"
            | "tasks"
            | "workspace"
    )
}

/// Words that may stand between "I have" and the verb.
pub(super) fn is_filler(word: &str) -> bool {
    matches!(
        word,
        "ahead"
            | "all"
            | "already"
            | "also"
            | "and"
            | "automatically"
            | "both"
            | "finally"
            | "gone"
            | "just"
            | "now"
            | "permanently"
            | "quickly"
            | "safely"
            | "securely"
            | "simply"
            | "since"
            | "successfully"
            | "then"
            | "went"
    )
}

/// Words that a verb of a claim follows.
pub(super) fn asks_for_a_verb(word: &str) -> bool {
    is_filler(word) || matches!(word, "been" | "has" | "have" | "i" | "i've" | "it's" | "was" | "were")
}

/// Words that make what follows them in their clause a condition, a denial or somebody's words.
pub(super) fn holds_back(word: &str, next: Option<&str>) -> bool {
    let next = next.unwrap_or_default();
    match word {
        "no" => !matches!(next, "problem" | "problems" | "worries"),
        "don't" => next != "worry",
        "not" => next != "only",
        _ => {
            word.ends_with("n't")
                || matches!(
                    word,
                    "after"
                        | "assuming"
                        | "before"
                        | "cannot"
                        | "claim"
                        | "claimed"
                        | "claiming"
                        | "fail"
                        | "failed"
                        | "if"
                        | "imagine"
                        | "neither"
                        | "never"
                        | "nobody"
                        | "none"
                        | "nor"
                        | "nothing"
                        | "once"
                        | "pretend"
                        | "pretended"
                        | "said"
                        | "saying"
                        | "soon"
                        | "suppose"
                        | "supposing"
                        | "told"
                        | "unable"
                        | "unless"
                        | "until"
                        | "when"
                        | "whenever"
                        | "whether"
                        | "without"
                )
        }
    }
}

/// Words that a clause begins anew with: what held back the words before them does not reach further.
pub(super) fn turns(word: &str) -> bool {
    matches!(word, "although" | "because" | "but" | "however" | "so" | "though" | "yet")
}

/// Words of plans and wishes, in front of `be` or `have been`.
pub(super) fn is_plan(word: &str) -> bool {
    matches!(
        word,
        "can"
            | "could"
            | "going"
            | "gonna"
            | "it'll"
            | "may"
            | "might"
            | "must"
            | "shall"
            | "should"
            | "to"
            | "will"
            | "would"
            | "i'll"
            | "they'll"
            | "that'll"
    )
}

/// Others than the bot, who did it if they stand in front of the verb.
pub(super) fn is_other(word: &str) -> bool {
    matches!(
        word,
        "be" | "had"
            | "has"
            | "he"
            | "he's"
            | "people"
            | "she"
            | "she's"
            | "they"
            | "they've"
            | "they'd"
            | "users"
            | "who"
            | "you"
            | "you'd"
            | "you've"
    )
}

/// Words that place a deed in an older turn, unless the word before them ties them to a thing, `the file from
/// yesterday`, or makes them a moment, `a minute ago`.
pub(super) fn is_earlier(before: Option<&str>, word: &str, next: Option<&str>) -> bool {
    let is_time = match word {
        "ago" => !matches!(
            before.unwrap_or_default(),
            "instant" | "minute" | "minutes" | "moment" | "moments" | "second" | "seconds"
        ),
        "earlier" | "formerly" | "previously" | "yesterday" => true,
        "last" => matches!(
            next.unwrap_or_default(),
            "conversation" | "month" | "night" | "session" | "time" | "week" | "year"
        ),
        _ => false,
    };
    let is_tied = matches!(
        before.unwrap_or_default(),
        "as" | "from" | "like" | "of" | "our" | "since" | "than" | "the" | "until" | "your"
    );
    is_time && !is_tied
}

/// Words by which a deed is this turn's, whatever else is said of its time.
pub(super) fn is_present(word: &str) -> bool {
    matches!(word, "just" | "now")
}

/// Whether a word, with the next, tells of words or of another's deed: a time behind it is the time of that, as in
/// `as I said earlier` and `the file you sent yesterday`.
pub(super) fn is_other_deed(word: &str, next: Option<&str>) -> bool {
    let is_saying = matches!(
        word,
        "agreed"
            | "asked"
            | "discussed"
            | "explained"
            | "mentioned"
            | "planned"
            | "promised"
            | "requested"
            | "said"
            | "stated"
            | "talked"
            | "told"
            | "wanted"
            | "wished"
    );
    let is_deed = |next: &str| {
        generic(next).is_some() || participle(next).is_some() || matches!(next, "gave" | "had" | "showed" | "wrote")
    };
    let is_another = matches!(word, "he" | "she" | "they" | "they've" | "we" | "we've" | "you" | "you've");
    is_saying || (is_another && next.is_some_and(is_deed))
}

/// Whether two words in a row are a date in the world's history: `in 1969`, `July 1969`.
pub(super) fn is_history(word: &str, next: &str) -> bool {
    let is_year = next.len() == 4 && next.parse().is_ok_and(|year: u32| (1000..2100).contains(&year));
    let leads = matches!(
        word,
        "in" | "since"
            | "until"
            | "around"
            | "during"
            | "january"
            | "february"
            | "march"
            | "april"
            | "may"
            | "june"
            | "july"
            | "august"
            | "september"
            | "october"
            | "november"
            | "december"
    );
    is_year && leads
}

/// Words that may follow a verb whose subject stands before it: `File successfully created in the workspace`.
pub(super) fn is_preposition(word: &str) -> bool {
    matches!(word, "and" | "as" | "at" | "for" | "from" | "in" | "into" | "on" | "to" | "under" | "with")
}
