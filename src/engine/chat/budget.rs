//! Checks whether a turn may begin, counts its use, and warns the operator.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::time::sleep;
use tracing::{error, warn};

use crate::chat::places::Places;
use crate::clock::Clock;
use candor_core::agent::{Budget, BudgetSettings, Day, Spending, Spent, Subject, Tokens, Usage, Verdict};
use candor_core::contract::ServiceError;
use candor_core::inbound::{Place, UserId};
use candor_core::language::{Language, say};
use candor_core::record::Counters;
use candor_core::reply::moment_ahead;

/// How long after midnight the new day begins here: clocks and timers differ a little.
const PAST_MIDNIGHT: Duration = Duration::from_secs(1);

pub struct Budgets {
    settings: BudgetSettings,
    places: Arc<Places>,
    store: Arc<dyn Spending>,
    /// The day of this process's last warning to the operator.
    warned: Mutex<Option<Day>>,
}

pub(crate) enum NoBudget {
    Used(Subject, Day),
    Store(ServiceError),
}

/// A turn that began, and the subjects that it counts for.
pub(super) struct CountedTurn {
    day: Day,
    subjects: Vec<Subject>,
}

impl Budgets {
    /// Creates budgets with these limits and those of places. `store` holds the use.
    pub fn new(settings: BudgetSettings, places: Arc<Places>, store: Arc<dyn Spending>) -> Self {
        Self { settings, places, store, warned: Mutex::default() }
    }

    /// Counts a turn if all of its subjects have budget left.
    pub(super) async fn begin(&self, user: UserId, place: Place, now: SystemTime) -> Result<CountedTurn, NoBudget> {
        let day = Day::of(now);
        let budgets = self.of(user, place);
        let subjects = budgets.iter().map(|budget| budget.subject).collect();
        match self.store.begin_turn(day, budgets).await {
            Ok(None) => Ok(CountedTurn { day, subjects }),
            Ok(Some(used)) => Err(NoBudget::Used(used, day)),
            Err(problem) => Err(NoBudget::Store(problem)),
        }
    }

    /// The same for a request outside of turns. It is not counted as a turn, but its tokens count.
    pub(super) async fn beside(&self, user: UserId, place: Place, now: SystemTime) -> Result<CountedTurn, NoBudget> {
        match self.refusal(user, place, now).await {
            Some(refusal) => Err(refusal),
            None => {
                let subjects = self.of(user, place).iter().map(|budget| budget.subject).collect();
                Ok(CountedTurn { day: Day::of(now), subjects })
            }
        }
    }

    /// Returns the reason why a turn would not begin now. Counts nothing.
    pub(crate) async fn refusal(&self, user: UserId, place: Place, now: SystemTime) -> Option<NoBudget> {
        let day = Day::of(now);
        for budget in self.of(user, place) {
            match self.store.spent(day, budget.subject).await {
                Ok(spent) if budget.verdict(spent) == Verdict::Used => {
                    return Some(NoBudget::Used(budget.subject, day));
                }
                Ok(_) => {}
                Err(problem) => return Some(NoBudget::Store(problem)),
            }
        }
        None
    }

    /// Returns the budgets that a turn counts for.
    fn of(&self, user: UserId, place: Place) -> Vec<Budget> {
        let own = Subject::of(user, place).into_iter().map(|subject| self.settings.of(subject));
        own.chain(self.places.budgets(place)).collect()
    }

    /// Adds a turn's use to the day on which it began, and reports the bot's total.
    pub(super) async fn end(&self, turn: CountedTurn, used: Tokens, counters: &Counters) {
        let CountedTurn { day, subjects } = turn;
        if used != Tokens::default()
            && let Err(problem) = self.store.add_tokens(day, &subjects, used).await
        {
            error!(error = %problem, tokens = used.total(), "could not store the tokens that a turn used");
        }
        self.tell(day, counters).await;
    }

    /// Reports the bot's total at the start and at the beginning of each day. Each turn reports it as well.
    pub async fn follow_days(&self, clock: &dyn Clock, counters: &Counters) {
        loop {
            let now = clock.now();
            let day = Day::of(now);
            self.tell(day, counters).await;
            sleep(day.ends().duration_since(now).unwrap_or_default() + PAST_MIDNIGHT).await;
        }
    }

    /// Reports the bot's total of a day: in `/metrics`, and in the log if little is left.
    async fn tell(&self, day: Day, counters: &Counters) {
        let spent = match self.store.spent(day, Subject::Bot).await {
            Ok(spent) => spent,
            Err(problem) => {
                warn!(error = %problem, "what chat used today cannot be read");
                return;
            }
        };
        if self.settings.of(Subject::Bot).verdict(spent) != Verdict::Within && self.is_first_warning(day).await {
            warn!(
                tokens = spent.tokens.counted,
                estimated_tokens = spent.tokens.estimated,
                turns = spent.turns,
                "chat has used 80 % or more of the bot's budget of this day (UTC); at 100 % no turn begins"
            );
        }
        counters.chat_tokens_of_day.set(spent.tokens.counted);
        counters.chat_estimated_tokens_of_day.set(spent.tokens.estimated);
        counters.chat_turns_of_day.set(spent.turns);
    }

    fn usage_of(&self, subject: Subject, spent: Spent) -> Usage {
        Usage { subject, spent, limits: self.settings.of(subject).limits }
    }

    /// Whether no process has warned of this day yet.
    async fn is_first_warning(&self, day: Day) -> bool {
        if self.warned.lock().unwrap_or_else(PoisonError::into_inner).replace(day) == Some(day) {
            return false;
        }
        self.store.warns_first(day).await.unwrap_or_else(|problem| {
            warn!(error = %problem, "whether a warning was given before is not known");
            true
        })
    }

    /// Returns this subject's usage on the day of `now`.
    pub async fn usage(&self, subject: Subject, now: SystemTime) -> Result<Usage, ServiceError> {
        Ok(self.usage_of(subject, self.store.spent(Day::of(now), subject).await?))
    }

    /// Returns the usage of each separate budget of this place and its parents, the nearest first.
    pub async fn of_places(&self, place: Place, now: SystemTime) -> Result<Vec<Usage>, ServiceError> {
        let mut used = Vec::new();
        for Budget { subject, limits } in self.places.budgets(place) {
            let spent = self.store.spent(Day::of(now), subject).await?;
            used.push(Usage { subject, spent, limits });
        }
        Ok(used)
    }

    /// Returns the people, guilds and places with the most tokens on the day of `now`, the most first. At most `n`.
    pub async fn largest(&self, n: usize, now: SystemTime) -> Result<Vec<Usage>, ServiceError> {
        let largest = self.store.largest(Day::of(now), n).await?;
        Ok(largest.into_iter().map(|(subject, spent)| self.usage_of(subject, spent)).collect())
    }
}

impl NoBudget {
    pub(crate) fn text(&self, place: Place, language: Language) -> String {
        let (subject, day) = match self {
            Self::Used(subject, day) => (subject, day),
            Self::Store(problem) => {
                error!(error = %problem, "it is not known what chat used today; the model is not asked");
                return say!(language, "chat-store-unwritable");
            }
        };
        let when = moment_ahead(day.ends(), place);
        match subject {
            Subject::Person(_) => say!(language, "chat-budget-person", when = when),
            Subject::Guild(_) => say!(language, "chat-budget-guild", when = when),
            Subject::Place(_) => say!(language, "chat-budget-place", when = when),
            Subject::Bot => say!(language, "chat-budget-bot", when = when),
        }
    }
}
