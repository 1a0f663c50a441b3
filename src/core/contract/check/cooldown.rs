//! Checks the cooldowns of commands and options.

use std::time::Duration;

use crate::contract::check::findings::Findings;
use crate::contract::limits;
use crate::contract::manifest::WrittenCooldowns;
use crate::contract::spec::Cooldowns;
use crate::diagnostic::Code;
use crate::diagnostic::spanned::Spanned;

/// Returns the cooldowns as written. Reports and drops a value out of range.
pub(crate) fn cooldowns(written: &WrittenCooldowns, found: &mut Findings) -> Cooldowns {
    Cooldowns {
        user: cooldown("user", written.user.as_ref(), found),
        channel: cooldown("channel", written.channel.as_ref(), found),
        guild: cooldown("guild", written.guild.as_ref(), found),
        global: cooldown("global", written.global.as_ref(), found),
    }
}

fn cooldown(key: &str, written: Option<&Spanned<i64>>, found: &mut Findings) -> Option<Duration> {
    let Spanned { value, span } = written?;
    if !limits::COOLDOWN_S.contains(value) {
        found.at(Code::ManifestValueInvalid, span).report(
            format!("the cooldown `{key}` is out of range"),
            format!(
                "write a number of seconds from {} to {}, or take the key out",
                limits::COOLDOWN_S.start(),
                limits::COOLDOWN_S.end()
            ),
        );
        return None;
    }
    u64::try_from(*value).ok().map(Duration::from_secs)
}
