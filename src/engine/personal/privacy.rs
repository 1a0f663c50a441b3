//! Shows, exports and erases one person's data, in the store and in workspaces.
//!
//! A place belongs to a person if it is not in a guild and only this person used the bot in it: their direct messages,
//! and the console. All data of such a place is theirs.
//!
//! Also the kinds of stored personal data, and the results of showing and erasing it.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;

use crate::personal::retention::SPENDING_KEPT;
use candor_core::contract::{ServiceError, WorkspaceError, WorkspacePath, Workspaces};
use candor_core::inbound::{Place, UserId};
use candor_core::language::Language;
use candor_core::settings::KeepSettings;
use candor_core::text::{names, utc_text};

const COOLDOWNS_LAST: Duration = Duration::from_hours(24);

/// A person, and the places that only they used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    pub user: UserId,
    pub places: Vec<Place>,
}

/// Personal data in the store, with an operation for each kind except [`PersonalKind::Files`], which the store does not
/// hold.
#[async_trait]
pub trait PersonalStore: Send + Sync {
    /// Returns the person with the places that only they used and that hold data.
    async fn person(&self, user: UserId) -> Result<Person, ServiceError>;
    async fn count_of(&self, person: &Person, kind: PersonalKind) -> Result<u64, ServiceError>;
    /// Passes the entries of a kind to `visit`, oldest first, until it returns false.
    async fn each_of(
        &self,
        person: &Person,
        kind: PersonalKind,
        visit: &mut (dyn FnMut(Value) -> bool + Send),
    ) -> Result<(), ServiceError>;
    /// Erases a part of a kind and returns how much; 0 when there is nothing left. See [`PersonalKind`] for the data
    /// that stays.
    async fn erase_part(&self, person: &Person, kind: PersonalKind) -> Result<u64, ServiceError>;
    /// Removes erased data from the store's log as well.
    async fn empty_log(&self);
    /// Returns how many of the person's receipts have arguments that cannot be redacted.
    async fn n_with_arguments(&self, person: &Person) -> Result<u64, ServiceError>;
}

/// Workspaces that can be removed.
#[async_trait]
pub trait PersonalFiles: Workspaces {
    /// Removes the workspace of a place, and returns how many files it had.
    async fn remove_all(&self, place: Place) -> Result<u64, WorkspaceError>;
}

pub struct PersonalData {
    pub store: Arc<dyn PersonalStore>,
    pub files: Arc<dyn PersonalFiles>,
    pub keep: KeepSettings,
}

impl PersonalData {
    /// Returns the stored data of this person. The JSON has at most about `json_max` bytes.
    pub async fn kept(&self, user: UserId, json_max: usize, now: SystemTime) -> Result<KeptOfPerson, ServiceError> {
        let person = self.store.person(user).await?;
        let mut export = Export::begun(user, now, json_max);
        let mut kinds = Vec::new();
        for kind in PersonalKind::ALL {
            export.kind(kind);
            let mut n = 0;
            let mut visit = |entry: Value| {
                export.entry(&entry.to_string());
                n += 1;
                // Entries that no longer fit are only counted.
                export.is_whole || kind == PersonalKind::Files
            };
            match kind {
                PersonalKind::Files => {
                    self.each_file(&person, &mut visit).await.map_err(|problem| unusable(&problem))?;
                }
                _ => self.store.each_of(&person, kind, &mut visit).await?,
            }
            if !export.is_whole && kind != PersonalKind::Files {
                n = self.store.count_of(&person, kind).await?;
            }
            kinds.push(KeptKind { kind, n, kept_for: self.kept_for(kind) });
        }
        let is_whole = export.is_whole;
        Ok(KeptOfPerson { kinds, json: export.ended(), is_whole })
    }

    /// Erases the stored data of this person. Anything left after a failure is erased the next time.
    pub async fn erase(&self, user: UserId) -> Result<Erased, ServiceError> {
        let person = self.store.person(user).await?;
        let mut erased = Erased::default();
        // Files come first: the remaining data shows which places only this person used.
        for kind in PersonalKind::ALL.into_iter().rev() {
            let mut n_erased = 0;
            loop {
                match self.erase_part(&person, kind).await? {
                    0 => break,
                    n => n_erased += n,
                }
            }
            if 0 < n_erased {
                erased.counts.insert(0, (kind, n_erased));
            }
        }
        self.store.empty_log().await;
        erased.n_with_arguments = self.store.n_with_arguments(&person).await?;
        Ok(erased)
    }

    async fn erase_part(&self, person: &Person, kind: PersonalKind) -> Result<u64, ServiceError> {
        if kind != PersonalKind::Files {
            return self.store.erase_part(person, kind).await;
        }
        let mut n_files = 0;
        for place in &person.places {
            n_files += self.files.remove_all(*place).await.map_err(|problem| unusable(&problem))?;
        }
        Ok(n_files)
    }

    /// Passes each file in a person's own places to `visit`, with its text.
    async fn each_file(
        &self,
        person: &Person,
        visit: &mut (dyn FnMut(Value) -> bool + Send),
    ) -> Result<(), WorkspaceError> {
        for place in &person.places {
            let mut folders = vec![String::new()];
            while let Some(folder) = folders.pop() {
                let path = (!folder.is_empty()).then(|| WorkspacePath::of_folder(&folder)).transpose()?;
                for entry in self.files.list(*place, path.as_ref()).await?.entries {
                    let path = if folder.is_empty() { entry.name } else { format!("{folder}/{}", entry.name) };
                    if entry.size.is_none() {
                        folders.push(path);
                        continue;
                    }
                    let text = match self.files.read(*place, &WorkspacePath::of_file(&path)?).await {
                        // A file that is not text is only named; `/files read` returns its content.
                        Ok(content) => String::from_utf8(content).ok(),
                        // The file was removed meanwhile.
                        Err(WorkspaceError::Refused(_)) => None,
                        Err(problem) => return Err(problem),
                    };
                    if !visit(json!({ "place": place.key(), "path": path, "text": text })) {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    fn kept_for(&self, kind: PersonalKind) -> Option<Duration> {
        match kind {
            PersonalKind::Receipts | PersonalKind::Messages => Some(self.keep.receipts),
            PersonalKind::Answers => Some(self.keep.answers),
            PersonalKind::Cooldowns => Some(COOLDOWNS_LAST),
            PersonalKind::Conversations | PersonalKind::Models => Some(self.keep.conversations),
            PersonalKind::Turns => Some(self.keep.turns),
            PersonalKind::Spending => Some(SPENDING_KEPT),
            PersonalKind::Runs
            | PersonalKind::LiveMessages
            | PersonalKind::DueCalls
            | PersonalKind::Records
            | PersonalKind::Files => None,
        }
    }
}

fn unusable(problem: &WorkspaceError) -> ServiceError {
    match problem {
        WorkspaceError::Refused(refusal) => ServiceError::Store(refusal.told(Language::ENGLISH)),
        WorkspaceError::Internal(problem) => ServiceError::Store(problem.to_string()),
    }
}

/// A JSON object with an array for each kind, one entry per line.
struct Export {
    text: String,
    max: usize,
    is_whole: bool,
    /// The number of entries of the open kind; `None` if no kind is open.
    n_entries: Option<usize>,
}

impl Export {
    fn begun(user: UserId, now: SystemTime, max: usize) -> Self {
        let at = utc_text(now, &Rfc3339);
        Self { text: format!("{{\n\"user\": \"{user}\",\n\"at\": \"{at}\""), max, is_whole: true, n_entries: None }
    }

    fn kind(&mut self, kind: PersonalKind) {
        self.close();
        self.text.push_str(&format!(",\n\"{}\": [", kind.name()));
        self.n_entries = Some(0);
    }

    /// Adds an entry if it fits. After the first that does not, nothing more is added.
    fn entry(&mut self, entry: &str) {
        self.is_whole &= self.text.len().saturating_add(entry.len()) <= self.max;
        if let (true, Some(n_entries)) = (self.is_whole, &mut self.n_entries) {
            self.text.push_str(if *n_entries == 0 { "\n" } else { ",\n" });
            self.text.push_str(entry);
            *n_entries += 1;
        }
    }

    fn close(&mut self) {
        match self.n_entries.take() {
            None => {}
            Some(0) => self.text.push(']'),
            Some(_) => self.text.push_str("\n]"),
        }
    }

    fn ended(mut self) -> String {
        self.close();
        self.text.push_str(&format!(",\n\"is_whole\": {}\n}}\n", self.is_whole));
        self.text
    }
}

names! {
    /// A kind of stored personal data, in the order of display and erasure. Its name is the key in an export.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum PersonalKind {
        /// Receipts of the commands that they ran. Erasing removes the arguments; the receipts stay in their chain.
        Receipts = "receipts",
        /// Answers stored for `/receipt`.
        Answers = "answers",
        /// Their runs in progress, and runs with an answer that they have not seen yet. Erasing removes the words.
        Runs = "runs",
        /// Cooldowns: when they may run a command again.
        Cooldowns = "cooldowns",
        /// Their messages to the chat model, and its answers.
        Conversations = "conversations",
        /// The chat models that they chose.
        Models = "models",
        /// Records of their chat turns.
        Turns = "turns",
        /// Their chat usage per day. Erasing leaves the newest day, so that erasing does not renew a budget.
        Spending = "spending",
        /// Live messages that they started.
        LiveMessages = "live_messages",
        /// Later calls for them, such as reminders.
        DueCalls = "due_calls",
        /// Messages that modules sent to channels for them. Only pending ones contain their words.
        Messages = "messages",
        /// Records of modules about them, such as memories, and all records in places that are theirs alone.
        Records = "records",
        /// Files in places that are theirs alone.
        Files = "files",
    }
}

/// The stored data of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptOfPerson {
    /// Each kind, in the order of [`PersonalKind::ALL`].
    pub kinds: Vec<KeptKind>,
    /// All of it as one JSON object, with an array for each kind.
    pub json: String,
    /// False if the JSON omits data that did not fit.
    pub is_whole: bool,
}

/// The stored data of a person, of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptKind {
    pub kind: PersonalKind,
    pub n: u64,
    /// The retention of each item. `None` means until it is removed or ends.
    pub kept_for: Option<Duration>,
}

/// The result of erasing a person's data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Erased {
    /// The number of erased items of each kind that had any, in the order of [`PersonalKind::ALL`].
    pub counts: Vec<(PersonalKind, u64)>,
    /// The number of receipts that keep their arguments until they expire, because they are older than the support for
    /// removing arguments.
    pub n_with_arguments: u64,
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::UNIX_EPOCH;

    use super::*;
    use candor_core::contract::{FileEntry, Listing, Written};
    use candor_core::inbound::ChannelId;

    const OWN: Place = Place::Direct { channel: ChannelId(1) };

    /// A store with 250 turns of everybody and nothing else, and a folder with one file; what is erased, in order, and how
    /// much of that was when the log was emptied.
    #[derive(Default)]
    struct Kept(Mutex<Vec<PersonalKind>>, AtomicUsize);

    impl Kept {
        fn left(&self, kind: PersonalKind) -> u64 {
            let is_erased = self.0.lock().unwrap().contains(&kind);
            if kind == PersonalKind::Turns && !is_erased { 250 } else { 0 }
        }
    }

    #[async_trait]
    impl PersonalStore for Kept {
        async fn person(&self, user: UserId) -> Result<Person, ServiceError> {
            Ok(Person { user, places: vec![OWN] })
        }

        async fn count_of(&self, _: &Person, kind: PersonalKind) -> Result<u64, ServiceError> {
            Ok(self.left(kind))
        }

        async fn each_of(
            &self,
            _: &Person,
            kind: PersonalKind,
            visit: &mut (dyn FnMut(Value) -> bool + Send),
        ) -> Result<(), ServiceError> {
            (0..self.left(kind)).map(Value::from).all(visit);
            Ok(())
        }

        async fn erase_part(&self, _: &Person, kind: PersonalKind) -> Result<u64, ServiceError> {
            let left = self.left(kind);
            self.0.lock().unwrap().push(kind);
            Ok(left)
        }

        async fn empty_log(&self) {
            self.1.store(self.0.lock().unwrap().len(), Ordering::Relaxed);
        }

        async fn n_with_arguments(&self, _: &Person) -> Result<u64, ServiceError> {
            Ok(3)
        }
    }

    #[async_trait]
    impl Workspaces for Kept {
        async fn list(&self, _: Place, folder: Option<&WorkspacePath>) -> Result<Listing, WorkspaceError> {
            let entry = |name: &str, size| FileEntry { name: name.to_owned(), size, modified: None };
            let entries = if folder.is_none() { vec![entry("notes", None)] } else { vec![entry("a.txt", Some(5))] };
            Ok(Listing { entries, is_whole: true })
        }

        async fn read(&self, _: Place, _: &WorkspacePath) -> Result<Vec<u8>, WorkspaceError> {
            Ok(b"words".into())
        }

        async fn write(
            &self,
            _: Place,
            _: &WorkspacePath,
            _: &[u8],
            _: Option<&[u8]>,
        ) -> Result<Written, WorkspaceError> {
            Ok(Written::Replaced)
        }

        async fn remove(&self, _: Place, _: &WorkspacePath) -> Result<u64, WorkspaceError> {
            Ok(5)
        }
    }

    #[async_trait]
    impl PersonalFiles for Kept {
        async fn remove_all(&self, _: Place) -> Result<u64, WorkspaceError> {
            let mut erased = self.0.lock().unwrap();
            let is_first = !erased.contains(&PersonalKind::Files);
            erased.push(PersonalKind::Files);
            Ok(u64::from(is_first))
        }
    }

    fn data() -> (Arc<Kept>, PersonalData) {
        let kept = Arc::new(Kept::default());
        (kept.clone(), PersonalData { store: kept.clone(), files: kept, keep: KeepSettings::default() })
    }

    #[tokio::test]
    async fn everything_is_exported_and_what_does_not_fit_is_still_counted() {
        let (_, data) = data();
        for (max, is_whole) in [(usize::MAX, true), (600, false), (0, false)] {
            let kept = data.kept(UserId(7), max, UNIX_EPOCH).await.unwrap();
            let json: Value = serde_json::from_str(&kept.json).unwrap();
            let exported = json["turns"].as_array().unwrap();
            assert_eq!((kept.is_whole, &json["is_whole"]), (is_whole, &json!(is_whole)));
            assert_eq!((exported.len() == 250, exported.is_empty()), (is_whole, max == 0));
            assert!((0..).zip(exported).all(|(n, turn)| *turn == json!(n)), "{exported:?}");
            let of = |kind| kept.kinds.iter().find(|kept| kept.kind == kind).unwrap();
            let turns = of(PersonalKind::Turns);
            let files = of(PersonalKind::Files);
            assert_eq!((turns.n, files.n, of(PersonalKind::Models).n), (250, 1, 0));
        }
    }

    #[tokio::test]
    async fn files_are_erased_before_what_tells_whose_they_are() {
        let (kept, data) = data();
        let erased = data.erase(UserId(7)).await.unwrap();
        assert_eq!(erased.counts, [(PersonalKind::Turns, 250), (PersonalKind::Files, 1)]);
        assert_eq!(erased.n_with_arguments, 3);
        let mut order = kept.0.lock().unwrap().clone();
        assert_eq!(kept.1.load(Ordering::Relaxed), order.len(), "the log is emptied at the end");
        order.dedup();
        assert_eq!(order, PersonalKind::ALL.into_iter().rev().collect::<Vec<_>>());
    }

    /// The export of two receipts of ten bytes each and a turn.
    fn exported(max: usize) -> (Value, bool) {
        let mut export = Export::begun(UserId(7), UNIX_EPOCH, max);
        export.kind(PersonalKind::Receipts);
        export.entry(r#"{"id":"1"}"#);
        export.entry(r#"{"id":"2"}"#);
        export.kind(PersonalKind::Answers);
        export.kind(PersonalKind::Turns);
        export.entry(r#"{"id":"3"}"#);
        let is_whole = export.is_whole;
        (serde_json::from_str(&export.ended()).unwrap(), is_whole)
    }

    #[test]
    fn an_export_is_one_object_and_says_if_something_did_not_fit() {
        let (whole, is_whole) = exported(usize::MAX);
        let expected = json!({
            "user": "7", "at": "1970-01-01T00:00:00Z",
            "receipts": [{ "id": "1" }, { "id": "2" }], "answers": [], "turns": [{ "id": "3" }], "is_whole": true,
        });
        assert_eq!((whole, is_whole), (expected, true));
        let (cut, is_whole) = exported(80);
        assert_eq!((&cut["is_whole"], is_whole), (&json!(false), false));
        assert_eq!(cut["turns"], json!([]), "nothing stands behind what is left out");
    }
}
