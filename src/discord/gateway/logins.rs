//! Limits logins: Discord allows a bot about 1,000 IDENTIFYs in 24 hours, and resets the token of a bot that exceeds
//! them. See its documentation, "Gateway", "Session Start Limit Object".
//!
//! Each login asks here first. It waits for earlier logins, after refused ones, and while hardly any are left today.
//! Logins without a session count across restarts. One login runs at a time, 5.5 s after the one before: the pace that
//! any `max_concurrency` allows.

use std::collections::VecDeque;
use std::future::Future;
use std::sync::{Arc, Mutex as StdMutex, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::sync::{Mutex, MutexGuard};
use tokio::time::{Instant, sleep, sleep_until};
use tracing::{info, warn};

use crate::rest::{DiscordError, Gateway, Rest};
use candor_core::record::{Counters, GatewayEvent};
use candor_engine::PendingLogins;

/// Logins left to the operator: for manual restarts, and for other programs with the same token.
pub const RESERVE: u64 = 50;
/// The wait after the second refused login in a row; it doubles with each further one.
const WAIT_FIRST: Duration = Duration::from_secs(10);
const WAIT_MAX: Duration = Duration::from_secs(300);
/// A session that lasted this long does not count as refused.
const STANDS_AFTER: Duration = Duration::from_secs(60);
/// This many refused logins in a row, or within [`REFUSED_WITHIN`], end the process, so that the operator looks into
/// it.
const REFUSED_MAX: u32 = 20;
const REFUSED_WITHIN: Duration = Duration::from_secs(600);
/// The time between two logins: Discord's 5 s and a margin, because network latency varies. See its documentation,
/// "Sharding".
const BETWEEN: Duration = Duration::from_millis(5_500);
/// The shortest wait before the bot asks Discord again how many logins are left.
const ASK_EVERY_MIN: Duration = Duration::from_secs(5);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Login,
    /// Wait this long after several refused logins.
    Wait(Duration),
    /// Wait this long because hardly any are left today, then ask Discord again.
    Budget(Duration),
    End,
}

/// Counts logins. Callers pass the time, so tests need not wait.
#[derive(Debug)]
struct Logins {
    n_shards: u32,
    /// How many are left today.
    left: u64,
    /// When Discord's count starts again.
    renewed: Instant,
    /// The times of refused logins, oldest first, none older than [`REFUSED_WITHIN`].
    refused: VecDeque<Instant>,
    in_a_row: u32,
    /// The duration of the last session, until the next login takes it.
    lasted: Option<Duration>,
}

impl Logins {
    /// `before`: the times of logins of earlier processes that got no session, oldest first.
    fn new(gateway: &Gateway, now: Instant, before: Vec<Instant>) -> Self {
        let mut logins = Self {
            n_shards: gateway.shards,
            left: 0,
            renewed: now,
            in_a_row: u32::try_from(before.len()).unwrap_or(u32::MAX),
            refused: before.into(),
            lasted: None,
        };
        logins.renew(gateway, now);
        logins
    }

    fn renew(&mut self, gateway: &Gateway, now: Instant) {
        self.left = gateway.left;
        self.renewed = now + gateway.reset_after;
    }

    fn lasted(&mut self, lasted: Duration) {
        self.lasted = Some(lasted);
    }

    fn identified(&mut self, now: Instant) {
        if self.lasted.take().is_some_and(|lasted| STANDS_AFTER <= lasted) {
            self.in_a_row = 0;
            self.refused.clear();
        }
        self.left = self.left.saturating_sub(1);
        self.in_a_row = self.in_a_row.saturating_add(1);
        self.refused.push_back(now);
        while self.refused.front().is_some_and(|&first| REFUSED_WITHIN < now.duration_since(first)) {
            self.refused.pop_front();
        }
    }

    /// Returns the step before the next login. The first login of each shard does not count as refused.
    fn next(&self, now: Instant) -> Next {
        let n_lately = u32::try_from(self.refused.len()).unwrap_or(u32::MAX);
        if self.n_shards.saturating_add(REFUSED_MAX) <= n_lately.max(self.in_a_row) {
            return Next::End;
        }
        if self.left < RESERVE {
            return Next::Budget(self.renewed.saturating_duration_since(now));
        }
        match self.in_a_row.saturating_sub(self.n_shards) {
            0 => Next::Login,
            more => Next::Wait(WAIT_FIRST.saturating_mul(1 << (more - 1).min(10)).min(WAIT_MAX)),
        }
    }
}

/// Waits until Discord has logins left beyond the reserve, and logs it. `ask` asks Discord again.
pub(crate) async fn await_budget<Asked>(
    counters: &Counters,
    mut gateway: Gateway,
    ask: impl Fn() -> Asked,
) -> Result<Option<Gateway>, DiscordError>
where
    Asked: Future<Output = Result<Option<Gateway>, DiscordError>>,
{
    loop {
        let left = gateway.left;
        let total = gateway.total;
        counters.logins_left.set(Some(left));
        if RESERVE + u64::from(gateway.shards) <= left {
            info!(left, total, "logins at Discord left today");
            return Ok(Some(gateway));
        }
        let wait = gateway.reset_after.max(ASK_EVERY_MIN);
        warn!(left, total, wait_s = wait.as_secs(), "hardly any logins at Discord are left today; waiting for more");
        sleep(wait).await;
        match ask().await? {
            Some(asked) => gateway = asked,
            None => return Ok(None),
        }
    }
}

/// The logins of this process and of earlier ones.
pub(super) struct LoginBudget {
    logins: StdMutex<Logins>,
    /// Held while a shard logs in or waits to.
    turn: Mutex<()>,
    pending: Arc<dyn PendingLogins>,
    /// The times, as stored, of this process's logins without a session yet.
    made: Mutex<VecDeque<SystemTime>>,
    counters: Arc<Counters>,
}

/// Permits one login and excludes other shards meanwhile. Dropping it unused counts no login.
pub(super) struct LoginPermit<'a> {
    budget: &'a LoginBudget,
    _turn: MutexGuard<'a, ()>,
}

impl LoginPermit<'_> {
    /// Counts the login, made at this moment. Discord counts it even if it fails.
    pub(super) async fn used(self) {
        let budget = self.budget;
        let at = SystemTime::now();
        if let Err(problem) = budget.pending.login_made(at).await {
            warn!(error = %problem, "a login will not be counted after a restart");
        }
        {
            let mut made = budget.made.lock().await;
            made.truncate(usize::try_from(REFUSED_MAX).unwrap_or(usize::MAX));
            made.push_back(at);
        }
        // Last, because the next login is timed from here and the store may be slow.
        let left = {
            let mut logins = budget.lock();
            logins.identified(Instant::now());
            logins.left
        };
        budget.counters.logins_left.set(Some(left));
        budget.counters.gateway.count(GatewayEvent::Login);
    }
}

impl LoginBudget {
    pub(super) async fn new(gateway: &Gateway, pending: Arc<dyn PendingLogins>, counters: Arc<Counters>) -> Self {
        let wall = SystemTime::now();
        let now = Instant::now();
        let before = pending.pending_logins(wall - REFUSED_WITHIN).await.unwrap_or_else(|problem| {
            warn!(error = %problem, "the logins of earlier processes are not known");
            Vec::new()
        });
        let at = |login: SystemTime| now.checked_sub(wall.duration_since(login).unwrap_or_default()).unwrap_or(now);
        let logins = Logins::new(gateway, now, before.into_iter().map(at).collect());
        Self { logins: StdMutex::new(logins), turn: Mutex::default(), pending, made: Mutex::default(), counters }
    }

    /// Waits until another login is allowed. The error ends the process.
    pub(super) async fn permit(&self, rest: &Rest) -> Result<LoginPermit<'_>, DiscordError> {
        let turn = self.turn.lock().await;
        loop {
            let (now, next, left, last) = {
                let now = Instant::now();
                let logins = self.lock();
                (now, logins.next(now), logins.left, logins.refused.back().copied())
            };
            match next {
                Next::Login => break,
                Next::End => {
                    let text = format!(
                        "it refused {REFUSED_MAX} sessions in a row; see https://discordstatus.com, and start the bot again \
                         later: each start costs one of the logins of the day ({left} are left)"
                    );
                    return Err(DiscordError::Ended(text));
                }
                Next::Wait(wait) => {
                    let until = last.map_or(now, |last| last + wait);
                    if now < until {
                        warn!(left, wait_s = wait.as_secs(), "Discord refused a session; the next login waits");
                        sleep_until(until).await;
                    }
                    break;
                }
                Next::Budget(wait) => {
                    let wait = wait.max(ASK_EVERY_MIN);
                    let wait_s = wait.as_secs();
                    warn!(left, wait_s, "hardly any logins at Discord are left today; the next one waits");
                    sleep(wait).await;
                    if let Ok(gateway) = rest.bot_gateway().await {
                        self.lock().renew(&gateway, Instant::now());
                        self.counters.logins_left.set(Some(gateway.left));
                    }
                }
            }
        }
        let last = self.lock().refused.back().copied();
        if let Some(last) = last {
            sleep_until(last + BETWEEN).await;
        }
        Ok(LoginPermit { budget: self, _turn: turn })
    }

    /// Records how long a session has lasted when it may be over: that decides whether the next login waits.
    pub(super) fn lasted(&self, lasted: Duration) {
        self.lock().lasted(lasted);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Logins> {
        self.logins.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a login got a session. This login and the earlier ones of this process no longer count across a
    /// restart.
    pub(super) async fn succeeded(&self) {
        for made in std::mem::take(&mut *self.made.lock().await) {
            if let Err(problem) = self.pending.login_succeeded(made).await {
                warn!(error = %problem, "a login that led to a session will count as refused after a restart");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gateway(shards: u32, left: u64) -> Gateway {
        Gateway { url: "wss://g".to_owned(), shards, left, total: 1_000, reset_after: Duration::from_secs(3_600) }
    }

    /// What has to be waited for after each login of a series; `s` says when each is made, in seconds, and `sessions`
    /// when one begins and ends.
    fn waits(n_shards: u32, remaining: u64, identified: &[u64], sessions: &[(u64, u64)]) -> Vec<Next> {
        let start = Instant::now();
        let at = |s: u64| start + Duration::from_secs(s);
        let mut logins = Logins::new(&gateway(n_shards, remaining), start, Vec::new());
        let mut sessions = sessions.iter().copied().peekable();
        let mut next = Vec::new();
        for &s in identified {
            while let Some((begun, ended)) = sessions.next_if(|&(_, ended)| ended <= s) {
                logins.lasted(Duration::from_secs(ended - begun));
            }
            logins.identified(at(s));
            next.push(logins.next(at(s)));
        }
        next
    }

    #[test]
    fn each_refused_login_doubles_the_wait_until_a_session_stands() {
        let wait = |s| Next::Wait(Duration::from_secs(s));
        let refused = waits(1, 1000, &[0, 5, 15, 35, 75, 155, 315, 615], &[]);
        assert_eq!(refused, [Next::Login, wait(10), wait(20), wait(40), wait(80), wait(160), wait(300), wait(300)]);
        // A session of a moment is no better than none, however long the wait after it; one that stood makes all good.
        assert_eq!(waits(1, 1000, &[0, 5, 15], &[(1, 1), (6, 7)]), [Next::Login, wait(10), wait(20)]);
        let moments = [(1, 2), (6, 7), (16, 17), (36, 37), (76, 77), (156, 157)];
        assert_eq!(waits(1, 1000, &[0, 5, 15, 35, 75, 155, 315], &moments).last(), Some(&wait(300)));
        assert_eq!(waits(1, 1000, &[0, 5, 90], &[(6, 88)]), [Next::Login, wait(10), Next::Login]);
        // Each shard has a first login.
        let moments = [(1, 2), (6, 7), (11, 12)];
        assert_eq!(waits(3, 1000, &[0, 5, 10, 15], &moments), [Next::Login, Next::Login, Next::Login, wait(10)]);
    }

    #[test]
    fn a_series_of_refusals_ends_the_process() {
        let every_ten_seconds: Vec<_> = (0..21).map(|n| n * 10).collect();
        let next = waits(1, 1000, &every_ten_seconds, &[]);
        assert_eq!(next.iter().position(|next| *next == Next::End), Some(20), "{next:?}");
        // The waits between them make it hours; it ends all the same.
        let every_five_minutes: Vec<_> = (0..21).map(|n| n * 300).collect();
        let next = waits(1, 1000, &every_five_minutes, &[]);
        assert_eq!(next.iter().position(|next| *next == Next::End), Some(20), "{next:?}");
    }

    #[test]
    fn the_reserve_waits_for_the_next_day() {
        assert_eq!(waits(1, 51, &[0, 5], &[(1, 2)]), [Next::Login, Next::Budget(Duration::from_secs(3_595))]);
    }

    /// A supervisor that starts the bot again and again must not use up the logins of the day.
    #[test]
    fn refused_logins_of_earlier_processes_count() {
        let start = Instant::now() + Duration::from_secs(1_000);
        let before = |n: u64| (0..n).map(|n| start - Duration::from_secs(500 - n)).collect();
        let next = |n| Logins::new(&gateway(1, 1_000), start, before(n)).next(start);
        assert_eq!([next(0), next(1)], [Next::Login, Next::Login]);
        assert_eq!(next(2), Next::Wait(WAIT_FIRST));
        assert_eq!(next(21), Next::End);
    }
}
