//! Traffic counters: inbound events, the store, and requests to Discord.

use crate::record::counted::{Counted, names};

names! {
    /// How something arrived.
    Arrival {
        /// As an interaction: a slash command, a component, a modal.
        Interaction = "interaction",
        /// As a message.
        Message = "message",
    }
}

names! {
    /// What the router decided.
    RouteKind {
        /// A command.
        Command = "command",
        /// A command that does not exist, or not with these options.
        UnknownCommand = "unknown-command",
        /// A command with arguments that do not parse.
        Malformed = "malformed",
        /// A command that is typed, but not plainly.
        NotPlain = "not-plain",
        /// The name of a command, and nothing else.
        Named = "named",
        /// A command of a module that failed its check.
        Unavailable = "unavailable",
        /// A command whose missing options a modal asks for.
        Modal = "form",
        /// Words for the chat model.
        Chat = "chat",
        /// Not for the bot.
        Ignore = "ignore",
    }
}

names! {
    /// What the store does.
    StoreWork {
        /// It reads.
        Read = "read",
        /// It writes.
        Write = "write",
    }
}

names! {
    /// How Discord answered a request.
    RestAnswer {
        /// With what was asked for.
        Done = "done",
        /// With a refusal (status 4xx, but for 429).
        Refused = "refused",
        /// With a pause (status 429).
        Limited = "limited",
        /// With a failure of its own (status 5xx, or what is no answer of Discord).
        Failed = "failed",
        /// Not at all, or not whole.
        Unanswered = "unanswered",
        /// It was not asked: a pause is not over, or too many requests were refused.
        Withheld = "withheld",
    }
}

names! {
    /// What a pause that Discord asks for is for.
    LimitScope {
        /// One route of this bot.
        Route = "route",
        /// Everything this bot asks.
        Global = "global",
        /// One route of all bots together.
        Shared = "shared",
    }
}

names! {
    /// What happened to a connection to Discord's gateway.
    GatewayEvent {
        /// A login, of which Discord allows about 1,000 a day.
        Login = "login",
        /// A session was taken up again, without a login.
        Resume = "resume",
        /// A connection that stood ended.
        Lost = "lost",
        /// A connection came to nothing.
        Failed = "failed",
    }
}
