//! One run of a command, from its permit to its receipt.
//!
//! [`open`] spends a permit and returns two halves: the [`Running`] handler, to be polled by the runtime, and the
//! [`Ticket`], which is closed into the [`Answer`] with its receipt. Only the [`Returned`] value of the same run can
//! close a ticket as done, and only [`Running`] creates one. The runtime may instead report that the handler panicked
//! or timed out. So code outside the core cannot claim that a command ran.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use crate::access::{Permit, Spent};
use crate::contract::outside::OutsideError;
use crate::contract::{Call, CommandError, Handler, ServiceError};
use crate::execution::begun::{Begun, recorded};
use crate::language::say;
use crate::record::{ARGUMENTS_LENGTH_MAX, Origin, Outcome, Receipt, ReceiptId, Salt};
use crate::reply::{Answer, Audience, Reply};
use crate::text::{first_characters, with_causes};

/// Spends the permit. Returns the handler, ready to be polled, and the ticket to close when it ends. `id` names the
/// future receipt. `salt` makes random bytes for digests; it is called only for private arguments.
pub fn open(permit: Permit, id: ReceiptId, salt: impl FnOnce() -> Option<Salt>, call: Call) -> (Running, Ticket) {
    let Spent { invocation, handler, kind, private, audience, by_operator, origin, code, model } = permit.spend();
    let arguments = recorded(&invocation.arguments, &private, salt);
    let has_private = private.iter().any(|name| invocation.arguments.contains_key(name));
    let begun = Begun {
        event: invocation.event,
        id,
        command: invocation.path.to_string(),
        arguments: first_characters(&arguments, ARGUMENTS_LENGTH_MAX).to_owned(),
        caller: invocation.caller.id,
        language: invocation.caller.language,
        place: invocation.place,
        started: call.now,
        origin,
        code,
        model,
    };
    let run = RunMark::default();
    Ticket {
        run,
        begun,
        audience,
        by_operator,
        handler,
        arguments: invocation.arguments,
        has_private,
        is_outside: kind.is_outside(),
    }
    .start(call)
}

/// The identity of a run: equal for both halves and different for every other run.
#[derive(Clone, Default)]
struct RunMark(Arc<()>);

impl PartialEq for RunMark {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A running handler. Poll it in its own task: it may panic.
#[must_use = "a handler does nothing until it is polled"]
pub struct Running {
    run: RunMark,
    handler: BoxFuture<'static, Result<Reply, CommandError>>,
}

impl Future for Running {
    type Output = Returned;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Returned> {
        let result = std::task::ready!(self.handler.as_mut().poll(context));
        Poll::Ready(Returned { run: self.run.clone(), result: Box::new(result) })
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Running")
    }
}

/// The value that a handler returned. Only [`Running`] creates one.
pub struct Returned {
    run: RunMark,
    result: Box<Result<Reply, CommandError>>,
}

impl fmt::Debug for Returned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Returned")
    }
}

/// How a run ended, as seen by the task that polled it.
#[derive(Debug)]
pub enum End {
    Returned(Returned),
    Panicked(String),
    /// The handler did not return before this deadline. Its effect is unknown.
    TimedOut(Duration),
}

/// The change that the host saw a run make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    None,
    /// A change that is stored with the receipt, that the bot already made, or that a program or MCP server was allowed
    /// to make.
    Change,
}

/// An open run: everything its receipt will contain, except how it ended.
#[must_use = "a run that is not closed leaves no receipt"]
pub struct Ticket {
    run: RunMark,
    begun: Begun,
    audience: Audience,
    by_operator: bool,
    handler: Handler,
    arguments: Map<String, Value>,
    has_private: bool,
    /// The handler is a program or a tool of an MCP server, which may have asked before it changed anything.
    is_outside: bool,
}

impl Ticket {
    /// Returns the handler of this run, and the ticket that only its end closes.
    fn start(self, call: Call) -> (Running, Self) {
        let run = RunMark::default();
        let handler = self.handler.clone();
        let arguments = self.arguments.clone();
        // The handler is called at the first poll, so a panic in its first lines happens in the polling task.
        let handler = async move { handler.run(arguments, call).await }.boxed();
        (Running { run: run.clone(), handler }, Self { run, ..self })
    }

    /// Returns the facts that are known while the run is open.
    pub fn begun(&self) -> &Begun {
        &self.begun
    }

    /// Returns the next attempt's time if a scheduled call's handler found nothing to do yet. Such a run records
    /// nothing and need not be closed.
    pub fn put_off(&self, end: &End) -> Option<SystemTime> {
        match end {
            End::Returned(Returned { run, result }) if *run == self.run && self.begun.origin == Origin::Due => {
                match **result {
                    Err(CommandError::NotYet(until)) => Some(until),
                    Ok(_) | Err(CommandError::Tell(_) | CommandError::Internal(_)) => None,
                }
            }
            End::Returned(_) | End::Panicked(_) | End::TimedOut(_) => None,
        }
    }

    /// Closes the run. Returns the answer with its receipt, and the failure for the log. `effect` is the change that
    /// the host saw. A value returned by another run does not close the ticket as done; it counts as a failure.
    pub fn close(self, end: End, effect: Effect, took: Duration) -> Closed {
        let (outcome, reply, failure) = self.ended(end, effect);
        Closed::new(self, outcome, reply, failure, took)
    }

    /// Returns the outcome, and the reply for the caller. Details of a failure are only for the log.
    fn ended(&self, end: End, effect: Effect) -> (Outcome, Reply, Option<RunFailure>) {
        let command = self.begun.command.as_str();
        let language = self.begun.language;
        let failed_inside = || Reply::text(say!(language, "failed-inside", command = command));
        match end {
            End::Returned(Returned { run, .. }) if run != self.run => {
                let failure = RunFailure::Failed("what another run returned cannot close this one".to_owned());
                (Outcome::Failed, failed_inside(), Some(failure))
            }
            End::Returned(Returned { result, .. }) => match *result {
                Ok(reply) if reply.is_question && effect == Effect::Change && !self.is_outside => {
                    let failure = "it changed something and asks whether to do it";
                    (Outcome::Failed, failed_inside(), Some(RunFailure::Failed(failure.to_owned())))
                }
                Ok(reply) => {
                    let outcome = match effect {
                        _ if reply.is_question => Outcome::Asked,
                        Effect::Change => Outcome::Done,
                        Effect::None => Outcome::Answered,
                    };
                    // A live answer would have to be stored with its arguments.
                    let live = reply.live.filter(|_| !self.has_private);
                    (outcome, Reply { live, ..reply }, None)
                }
                Err(CommandError::Tell(text)) => (Outcome::Refused, Reply::text(text), None),
                Err(CommandError::Internal(problem))
                    if is_caused_by(&*problem, |why| matches!(why, ServiceError::NotHere)) =>
                {
                    (Outcome::Refused, Reply::text(say!(language, "later-not-here", command = command)), None)
                }
                Err(CommandError::Internal(problem)) => {
                    let of_store = |why: &ServiceError| matches!(why, ServiceError::Store(_) | ServiceError::DiskFull);
                    let (outcome, reply) = match problem.downcast_ref() {
                        Some(OutsideError::Unsure(_)) => {
                            (Outcome::Unknown, Reply::text(say!(language, "unsure-outside", command = command)))
                        }
                        _ if is_caused_by(&*problem, of_store) => {
                            (Outcome::Failed, Reply::text(say!(language, "failed-store", command = command)))
                        }
                        _ => (Outcome::Failed, failed_inside()),
                    };
                    (outcome, reply, Some(RunFailure::Failed(with_causes(&*problem))))
                }
                Err(CommandError::NotYet(_)) => {
                    let failure =
                        "only a call that is due, and that changed nothing outside of the store, can be put off";
                    (Outcome::Failed, failed_inside(), Some(RunFailure::Failed(failure.to_owned())))
                }
            },
            End::Panicked(text) => {
                let reply = Reply::text(say!(language, "failed-crashed", command = command));
                (Outcome::Failed, reply, Some(RunFailure::Panicked(text)))
            }
            End::TimedOut(deadline) => {
                let seconds = deadline.as_secs();
                let reply = Reply::text(say!(language, "failed-too-slow", command = command, seconds = seconds));
                (Outcome::TimedOut, reply, Some(RunFailure::TimedOut(deadline)))
            }
        }
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ticket").field("begun", &self.begun).finish_non_exhaustive()
    }
}

/// Returns whether a service error of this kind caused the handler's failure.
fn is_caused_by(problem: &(dyn Error + 'static), is_so: impl Fn(&ServiceError) -> bool) -> bool {
    let mut cause = Some(problem);
    while let Some(problem) = cause {
        if problem.downcast_ref().is_some_and(&is_so) {
            return true;
        }
        cause = problem.source();
    }
    false
}

/// A completed run, whose changes are to be stored together with its receipt.
#[derive(Debug)]
pub struct Closed {
    ticket: Ticket,
    receipt: Arc<Receipt>,
    reply: Reply,
    audience: Audience,
    failure: Option<RunFailure>,
}

impl Closed {
    fn new(ticket: Ticket, outcome: Outcome, reply: Reply, failure: Option<RunFailure>, took: Duration) -> Self {
        let receipt = ticket.begun.receipt(outcome, took, &reply);
        let audience = if outcome.is_reply() { ticket.audience } else { Audience::Asker };
        Self { ticket, receipt, reply, audience, failure }
    }

    pub fn receipt(&self) -> &Arc<Receipt> {
        &self.receipt
    }

    /// Returns the handler's reply, or the message for the caller in its place.
    pub fn reply(&self) -> &Reply {
        &self.reply
    }

    /// Returns the answer's text, as `/receipt` shows it.
    pub fn text(&self) -> String {
        self.reply.plain()
    }

    /// Returns the failure for the log. The caller does not see it.
    pub fn failure(&self) -> Option<&RunFailure> {
        self.failure.as_ref()
    }

    /// Runs the handler again in place of this run. Nothing of this run is stored, because another run changed the same
    /// data meanwhile.
    pub fn again(self, call: Call) -> (Running, Ticket) {
        self.ticket.start(call)
    }

    /// Turns the run into a failed one, because its changes could not be stored.
    pub fn not_stored(self, why: NotStored) -> Self {
        let command = self.ticket.begun.command.as_str();
        let language = self.ticket.begun.language;
        let (outcome, text) = match why {
            NotStored::Conflict => (Outcome::Failed, say!(language, "failed-conflict", command = command)),
            NotStored::DiskFull => (Outcome::Failed, say!(language, "failed-store", command = command)),
            NotStored::Unsure => (Outcome::Unknown, say!(language, "failed-not-stored", command = command)),
        };
        let took = self.receipt.facts().took;
        Self::new(self.ticket, outcome, Reply::text(text), self.failure, took)
    }

    /// Returns the answer with its receipt. If not `kept`, it says that the receipt is not in the ledger.
    pub fn answer(self, kept: bool) -> Answer {
        let answer = Answer::of_run(self.reply, self.receipt, self.audience, self.ticket.by_operator);
        if kept { answer } else { answer.without_receipt() }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotStored {
    /// Another run changed the same data during each attempt. Nothing is stored.
    Conflict,
    /// The store's disk is full. Nothing is stored.
    DiskFull,
    /// The store failed. Nothing is stored, unless a database server stored it and its answer was lost.
    Unsure,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunFailure {
    /// The handler failed with this chain of causes.
    Failed(String),
    Panicked(String),
    TimedOut(Duration),
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use serde_json::Map;

    use super::*;
    use crate::access::{Access, authorize};
    use crate::contract::{HostServices, NativeModule, NoArguments};
    use crate::inbound::{CallMethod, Caller, CommandPath, EventId, Place, UserId};
    use crate::language::Language;
    use crate::registry::Registry;
    use crate::reply::{PreparedCall, Provenance};
    use crate::router::Invocation;
    use crate::testing;

    const MANIFEST: &str = r#"
        [module]
        name = "example"
        summary = "Handlers that end in every way"
        [commands."/done"]
        description = "Is done"
        handler = "done"
        [commands."/ask"]
        description = "Asks"
        handler = "ask"
        [commands."/no"]
        description = "Refuses"
        handler = "no"
        [commands."/broken"]
        description = "Fails"
        handler = "broken"
        [commands."/full"]
        description = "Fails with the store"
        handler = "full"
    "#;

    fn erase() -> PreparedCall {
        let path = CommandPath::new("ask", None);
        let arguments = Map::new();
        PreparedCall { path, arguments, in_place: true, once: false, for_everyone: false }
    }

    fn opened(command: &str) -> (Running, Ticket) {
        let module = NativeModule::new("example", MANIFEST)
            .handler("done", async |_: NoArguments, _| Ok(Reply::text("done")))
            .handler("ask", async |_: NoArguments, _| Ok(Reply::ask(erase(), "Erase", "Sure?")))
            .handler("no", async |_: NoArguments, _| Err(CommandError::tell("not today")))
            .handler("full", async |_: NoArguments, _| Err(ServiceError::DiskFull.into()))
            .handler("broken", async |_: NoArguments, _| Err(std::io::Error::other("out of paper").into()));
        let registry = Registry::build(testing::checked(vec![module]));
        let caller = Caller::new(UserId(7), "Ann");
        let place = Place::Console;
        let invocation = Invocation {
            event: EventId(1),
            caller: caller.clone(),
            place,
            method: CallMethod::Picked,
            path: CommandPath::new(command, None),
            arguments: Map::new(),
        };
        let permit = authorize(invocation, &registry, &Access::default()).unwrap();
        let call = testing::call("example", &HostServices::default(), &[], caller, place, UNIX_EPOCH);
        open(permit, ReceiptId::from_number(7), || None, call)
    }

    #[test]
    fn a_call_with_a_private_argument_gives_no_live_answer_that_would_be_kept_with_it() {
        #[derive(serde::Deserialize, schemars::JsonSchema)]
        #[expect(dead_code, reason = "only what was given counts")]
        struct Watch {
            /// What
            words: String,
            /// A word that nobody is to find
            secret: Option<String>,
        }
        let manifest = r#"
            [module]
            name = "example"
            summary = "Watches"
            [commands."/watch"]
            description = "Watch"
            handler = "watch"
            [commands."/watch".options.secret]
            private = true
        "#;
        for (secret, live) in [(None, Some(true)), (Some("hush"), None)] {
            let watch = async |_: Watch, _| Ok(Reply { live: Some(true), ..Reply::text("watching") });
            let module = NativeModule::new("example", manifest).handler("watch", watch);
            let registry = Registry::build(testing::checked(vec![module]));
            let caller = Caller::new(UserId(7), "Ann");
            let place = Place::Console;
            let mut arguments = Map::from_iter([("words".to_owned(), "the door".into())]);
            arguments.extend(secret.map(|secret| ("secret".to_owned(), secret.into())));
            let event = EventId(1);
            let method = CallMethod::Picked;
            let path = CommandPath::new("watch", None);
            let invocation = Invocation { event, caller: caller.clone(), place, method, path, arguments };
            let permit = authorize(invocation, &registry, &Access::default()).unwrap();
            let call = testing::call("example", &HostServices::default(), &[], caller, place, UNIX_EPOCH);
            let (running, ticket) = open(permit, ReceiptId::from_number(7), || Some([7; 16]), call);
            let closed = ticket.close(End::Returned(running.now_or_never().unwrap()), Effect::None, Duration::ZERO);
            assert_eq!(closed.receipt.facts().outcome, Outcome::Answered);
            assert!(!closed.receipt.facts().arguments.contains("hush"));
            assert_eq!(closed.reply.live, live);
        }
    }

    fn returned(command: &str) -> End {
        End::Returned(opened(command).0.now_or_never().unwrap())
    }

    /// The outcome, the caller's reply and the log's failure.
    fn shown(closed: Closed) -> (Outcome, String, Option<RunFailure>) {
        (closed.receipt.facts().outcome, closed.reply.plain(), closed.failure)
    }

    #[test]
    fn each_end_is_told_as_what_it_was() {
        let close_with = |command: &str, effect, end: fn(Running) -> End| {
            let (running, ticket) = opened(command);
            shown(ticket.close(end(running), effect, Duration::from_millis(5)))
        };
        let close = |command: &str, end| close_with(command, Effect::None, end);
        let polled = |running: Running| End::Returned(running.now_or_never().unwrap());
        assert_eq!(close("done", polled), (Outcome::Answered, "done".to_owned(), None));
        assert_eq!(close_with("done", Effect::Change, polled), (Outcome::Done, "done".to_owned(), None));
        assert_eq!(close("ask", polled), (Outcome::Asked, "Sure?".to_owned(), None));
        let (seen, _, why) = close_with("ask", Effect::Change, polled);
        let changed = "it changed something and asks whether to do it".to_owned();
        assert_eq!((seen, why), (Outcome::Failed, Some(RunFailure::Failed(changed))));
        // A refusal stays one, whatever a program did before it.
        assert_eq!(close_with("no", Effect::Change, polled), (Outcome::Refused, "not today".to_owned(), None));
        assert_eq!(close("no", polled), (Outcome::Refused, "not today".to_owned(), None));
        let (seen, reply, why) = close("broken", polled);
        assert_eq!((seen, why), (Outcome::Failed, Some(RunFailure::Failed("out of paper".to_owned()))));
        assert!(!reply.contains("paper"), "{reply}");
        let (seen, reply, why) = close("full", polled);
        assert_eq!((seen, reply), (Outcome::Failed, say!(Language::ENGLISH, "failed-store", command = "/full")));
        assert_eq!(why, Some(RunFailure::Failed("the store failed: the disk is full; nothing was written".to_owned())));
        let (seen, _, why) = close("done", |_| End::Panicked("oh no".to_owned()));
        assert_eq!((seen, why), (Outcome::Failed, Some(RunFailure::Panicked("oh no".to_owned()))));
        let late = Duration::from_secs(30);
        let (seen, _, why) = close("done", |_| End::TimedOut(Duration::from_secs(30)));
        assert_eq!((seen, why), (Outcome::TimedOut, Some(RunFailure::TimedOut(late))));
    }

    #[test]
    fn what_another_run_returned_closes_no_ticket_as_done() {
        let (_, ticket) = opened("done");
        let (outcome, reply, failure) = shown(ticket.close(returned("done"), Effect::None, Duration::ZERO));
        assert_eq!(outcome, Outcome::Failed);
        assert_ne!(reply, "done");
        assert!(matches!(failure, Some(RunFailure::Failed(_))), "{failure:?}");
    }

    #[test]
    fn an_answer_whose_receipt_was_not_kept_says_so() {
        for kept in [true, false] {
            let (running, ticket) = opened("done");
            let closed = ticket.close(End::Returned(running.now_or_never().unwrap()), Effect::None, Duration::ZERO);
            let Provenance::Command(receipt) = &closed.answer(kept).provenance else { panic!("no receipt") };
            assert_eq!(receipt.is_kept(), kept);
        }
    }
}
