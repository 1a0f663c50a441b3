//! The close codes of Discord's gateway and their consequences. See its documentation, "Gateway Close Event Codes".

use crate::edges::discord::rest::{DiscordError, INVALID_INTENTS, INVALID_SHARD, OLD_VERSION, TOO_FEW_SHARDS};

/// The next step after the end of a connection.
#[derive(Debug)]
pub(super) enum After {
    /// Resume the session over another connection.
    Resume,
    NewSession,
    /// Discord rejects this bot.
    Fatal(DiscordError),
}

/// Returns the next step after a close code. Unknown codes are resumed: Discord says so if that is not possible.
pub(super) fn after(code: u16) -> After {
    match code {
        4003 | 4006 | 4007 | 4009 => After::NewSession,
        4004 => After::Fatal(DiscordError::TokenRefused),
        4010 => After::Fatal(DiscordError::Refused(INVALID_SHARD)),
        4011 => After::Fatal(DiscordError::Refused(TOO_FEW_SHARDS)),
        4012 => After::Fatal(DiscordError::Refused(OLD_VERSION)),
        4013 => After::Fatal(DiscordError::Refused(INVALID_INTENTS)),
        4014 => After::Fatal(DiscordError::MissingIntent),
        _ => After::Resume,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_close_code_has_its_consequence() {
        for code in [4004, 4010, 4011, 4012, 4013, 4014] {
            let After::Fatal(problem) = after(code) else { panic!("{code} is not fatal") };
            assert_eq!(problem.exit_code(), 78, "{code}");
        }
        for code in [4003, 4006, 4007, 4009] {
            assert!(matches!(after(code), After::NewSession), "{code}");
        }
        for code in [1000, 1001, 1006, 1011, 4000, 4001, 4002, 4005, 4008, 4999] {
            assert!(matches!(after(code), After::Resume), "{code}");
        }
    }
}
