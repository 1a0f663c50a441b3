//! Traffic counters: inbound events, the store, and requests to Discord.

use crate::record::counting::counted;

counted! {
    /// How an inbound arrived.
    Arrival {
        /// As an interaction: a slash command, a component, a modal.
        Interaction = "interaction",
        Message = "message",
    }
}

counted! {
    /// The router's decision.
    RouteKind {
        Command = "command",
        /// A command that does not exist, or not with these options.
        UnknownCommand = "unknown-command",
        /// A command with arguments that do not parse.
        Malformed = "malformed",
        /// A command that is typed but not plain.
        NotPlain = "not-plain",
        /// Only the name of a command.
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

counted! {
    /// The kind of the store's work.
    StoreWork {
        Read = "read",
        Write = "write",
    }
}

counted! {
    /// How Discord answered a request.
    RestAnswer {
        /// With a result.
        Done = "done",
        /// With a refusal (status 4xx, except 429).
        Refused = "refused",
        /// With a pause (status 429).
        Limited = "limited",
        /// With a failure (status 5xx, or an answer that is not Discord's).
        Failed = "failed",
        /// Not at all, or not completely.
        Unanswered = "unanswered",
        /// Not asked, because of a pause or too many refused requests.
        Withheld = "withheld",
    }
}

counted! {
    /// The scope of a pause that Discord asks for.
    LimitScope {
        /// One route of this bot.
        Route = "route",
        /// All requests of this bot.
        Global = "global",
        /// One route of all bots together.
        Shared = "shared",
    }
}

counted! {
    /// An event of a connection to Discord's gateway.
    GatewayEvent {
        /// A login, of which Discord allows about 1,000 a day.
        Login = "login",
        /// A session that was resumed without a login.
        Resume = "resume",
        /// An established connection that ended.
        Lost = "lost",
        /// A connection that could not be established.
        Failed = "failed",
    }
}
