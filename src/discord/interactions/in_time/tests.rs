//! Slow work: what its person sees, and which answer is stored.

use std::sync::{Mutex, PoisonError};

use tokio::time::{advance, sleep};

use super::*;

/// The responses sent, in order.
#[derive(Default)]
struct Seen {
    steps: Mutex<Vec<String>>,
    /// What fails.
    defer: Option<SendError>,
    answer: Option<SendError>,
    /// How long the store takes to write down that the answer is deferred.
    writing: Duration,
    /// Whether another run gives the answer.
    answers_elsewhere: bool,
}

impl Seen {
    fn step(&self, what: &str) {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner).push(what.to_owned());
    }

    fn steps(&self) -> Vec<String> {
        std::mem::take(&mut *self.steps.lock().unwrap())
    }
}

fn ended(error: Option<SendError>) -> Result<(), SendError> {
    error.map_or(Ok(()), Err)
}

#[async_trait]
impl Responder for Seen {
    async fn answer(&self, answer: &Answer) -> Result<(), SendError> {
        self.step(&format!("answer {}", answer.reply.text));
        ended(self.answer)
    }

    async fn write_down(&self) -> bool {
        self.step("write down");
        sleep(self.writing).await;
        !self.answers_elsewhere
    }

    async fn defer(&self, audience: Audience) -> Result<(), SendError> {
        self.step(&format!("defer {audience:?}"));
        ended(self.defer)
    }

    async fn answer_deferred(&self, answer: &Answer) -> Result<(), SendError> {
        self.step(&format!("edit {}", answer.reply.text));
        ended(self.answer)
    }
}

/// The responses to work that takes this many milliseconds, with the note that it still runs after 60 s.
async fn seen(took: u64, seen: Seen) -> Vec<String> {
    let due = ResponseDeadline {
        began: Instant::now(),
        audience: Audience::Place,
        language: Language::ENGLISH,
        tell_after: Duration::from_secs(60),
    };
    let work = async {
        sleep(Duration::from_millis(took)).await;
        Some(Answer::host("42"))
    };
    let sent = in_time(&seen, &Counters::default(), &due, work).await.unwrap();
    assert_eq!(sent.answer, Answer::host("42"));
    let to_keep = (!sent.is_shown).then(|| "keep 42".to_owned());
    seen.steps().into_iter().chain(to_keep).collect()
}

#[tokio::test(start_paused = true)]
async fn work_is_answered_deferred_or_told_of_by_how_long_it_takes() {
    let still = format!("edit {}", say!(Language::ENGLISH, "still-running"));
    let cases: [(u64, &[&str]); 5] = [
        (0, &["answer 42"]),
        (900, &["answer 42"]),
        (1_400, &["write down", "answer 42"]),
        (1_600, &["write down", "defer Place", "edit 42"]),
        (70_000, &["write down", "defer Place", &still, "edit 42", "keep 42"]),
    ];
    for (took, expected) in cases {
        assert_eq!(seen(took, Seen::default()).await, expected, "{took} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_deferred_if_another_run_answers() {
    for (took, expected) in [(900, &["answer 42"][..]), (1_600, &["write down", "answer 42"])] {
        let elsewhere = Seen { answers_elsewhere: true, ..Seen::default() };
        assert_eq!(seen(took, elsewhere).await, expected, "{took} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn what_came_late_is_deferred_even_if_it_ends_meanwhile_unless_its_answer_was_there_before() {
    // How old the interaction is, and how long its work and the store take, all in ms.
    let cases: [(u64, u64, u64, &[&str]); 5] = [
        (1_400, 50, 100, &["write down", "answer 42"]),
        (1_500, 0, 100, &["answer 42"]),
        (1_500, 50, 100, &["write down", "defer Place", "edit 42"]),
        (2_000, 150, 100, &["write down", "defer Place", "edit 42"]),
        (2_000, 150, 60_000, &["write down", "defer Place", "edit 42"]),
    ];
    for (age, took, writing, expected) in cases {
        let seen = Seen { writing: Duration::from_millis(writing), ..Seen::default() };
        advance(Duration::from_secs(5)).await;
        let due = ResponseDeadline {
            began: Instant::now() - Duration::from_millis(age),
            audience: Audience::Place,
            language: Language::ENGLISH,
            tell_after: Duration::from_secs(60),
        };
        let work = async {
            if 0 < took {
                sleep(Duration::from_millis(took)).await;
            }
            Some(Answer::host("42"))
        };
        let sent = in_time(&seen, &Counters::default(), &due, work).await.unwrap();
        assert!(sent.is_shown);
        assert_eq!(seen.steps(), expected, "{age} ms old, {took} ms, {writing} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn a_deferral_waits_for_a_slow_store_as_long_as_there_is_time() {
    // How long the store takes, and when the answer is deferred, both in ms.
    for (writing, expected) in [(0, 1_500), (400, 1_500), (700, 1_700), (60_000, 2_000)] {
        let seen = Seen { writing: Duration::from_millis(writing), ..Seen::default() };
        let (began, deferred) = (Instant::now(), Mutex::new(None));
        let due = ResponseDeadline {
            began,
            audience: Audience::Place,
            language: Language::ENGLISH,
            tell_after: Duration::from_secs(60),
        };
        let work = async {
            while !seen.steps.lock().unwrap().contains(&"defer Place".to_owned()) {
                sleep(Duration::from_millis(1)).await;
            }
            *deferred.lock().unwrap() = Some(began.elapsed());
            Some(Answer::host("42"))
        };
        in_time(&seen, &Counters::default(), &due, work).await.unwrap();
        let deferred = deferred.lock().unwrap().unwrap().as_millis();
        assert!((expected..expected + 5).contains(&deferred), "{writing} ms: {deferred} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_arrive_is_kept() {
    let lost = || Some(SendError::Lost);
    let cases: [(u64, Seen, &[&str]); 6] = [
        (0, Seen { answer: lost(), ..Seen::default() }, &["answer 42", "keep 42"]),
        (2_000, Seen { answer: lost(), ..Seen::default() }, &["write down", "defer Place", "edit 42", "keep 42"]),
        (2_000, Seen { defer: lost(), ..Seen::default() }, &["write down", "defer Place", "answer 42"]),
        (2_000, Seen { defer: Some(SendError::Over), ..Seen::default() }, &["write down", "defer Place", "keep 42"]),
        (
            2_000,
            Seen { defer: Some(SendError::Answered), ..Seen::default() },
            &["write down", "defer Place", "edit 42"],
        ),
        (0, Seen { answer: Some(SendError::Answered), ..Seen::default() }, &["answer 42", "edit 42", "keep 42"]),
    ];
    for (took, way, expected) in cases {
        assert_eq!(seen(took, way).await, expected, "{took} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_sent_once_the_token_is_over() {
    let way = Seen::default();
    let began = Instant::now();
    let (audience, language) = (Audience::Asker, Language::ENGLISH);
    let due = ResponseDeadline { began, audience, language, tell_after: Duration::from_secs(840) };
    let work = async {
        sleep(Duration::from_secs(2)).await;
        advance(Duration::from_secs(15 * 60)).await;
        Some(Answer::host("42"))
    };
    let sent = in_time(&way, &Counters::default(), &due, work).await;
    assert_eq!(sent, Some(Sent { answer: Answer::host("42"), is_shown: false }));
    let steps = way.steps();
    assert_eq!(steps.get(1).map(String::as_str), Some("defer Asker"));
    assert!(!steps.contains(&"edit 42".to_owned()), "{steps:?}");
}
