//! Discord's view of the bot for `candor doctor`: asked by REST only, so a bot may run at the same time.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use secrecy::SecretString;
use serenity::all::{ApplicationFlags, GatewayIntents};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc2822;
use url::Url;

use crate::rest::{Application, DiscordError, RequestError, Rest, build, client};
use candor_core::contract::{EventKind, Install};
use candor_core::registry::Registry;
use candor_engine::RefusedRequests;

/// Discord's number for installation by a person.
const USER_INSTALL: u64 = 1;

/// The origin of Discord's API without a proxy.
const API: &str = "https://discord.com";

#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// How long Discord took to answer, including DNS and TLS.
    pub answered_in: Duration,
    /// How far this machine's clock is off, if Discord sends its time. In whole seconds.
    pub clock_off: Option<Duration>,
    pub application: u64,
    /// Whether it may read the messages of whole channels, as far as Discord says.
    pub reads_channels: bool,
    /// A module, and one of its events that Discord will not send.
    pub untold: Option<(String, &'static str)>,
    /// Advice on installations by persons.
    pub user_install: Option<String>,
    pub logins_left: u64,
    pub logins: u64,
    /// The time until the count starts again.
    pub logins_reset: Duration,
    pub shards: u32,
}

/// Makes the requests that `candor run` would make. Refused requests count in `refusals`, if there is such a store.
///
/// # Errors
/// If Discord is not reached, or refuses the token.
pub async fn diagnose(
    token: &SecretString,
    proxy: Option<&Url>,
    registry: &Registry,
    refusals: Option<Arc<impl RefusedRequests + 'static>>,
) -> Result<Diagnosis, DiscordError> {
    let client = client().map_err(DiscordError::ended)?;
    let api = proxy.map_or(API, |proxy| proxy.as_str().trim_end_matches('/'));
    let began = Instant::now();
    let answered = client.get(format!("{api}/api/v10/gateway")).send().await.map_err(DiscordError::ended)?;
    let answered_in = began.elapsed();
    let date = answered.headers().get(reqwest::header::DATE).and_then(|date| date.to_str().ok());
    let clock_off = date.and_then(|date| clock_off(date, SystemTime::now()));

    let http = Arc::new(build(token, proxy).map_err(DiscordError::ended)?);
    let rest = Rest::new(http, client, Arc::default());
    if let Some(refusals) = refusals {
        rest.count_refusals_in(refusals).await;
    }
    let asked = async { Ok((rest.current_application().await?, rest.bot_gateway().await?)) };
    let asked: Result<_, RequestError> = asked.await;
    rest.refusals_kept().await;
    let (application, gateway) = asked.map_err(|problem| {
        DiscordError::of_refusal(&problem).unwrap_or_else(|| DiscordError::Ended(problem.to_string()))
    })?;
    Ok(Diagnosis {
        answered_in,
        clock_off,
        application: application.id.get(),
        reads_channels: !lacks(&application, GatewayIntents::MESSAGE_CONTENT),
        untold: untold(&application, registry),
        user_install: user_install(&application, registry),
        logins_left: gateway.left,
        logins: gateway.total,
        logins_reset: gateway.reset_after,
        shards: gateway.shards,
    })
}

/// Returns the intents to request at the login for events of this kind.
pub(crate) fn intents_of(kind: EventKind) -> GatewayIntents {
    match kind {
        EventKind::MemberJoined => GatewayIntents::GUILD_MEMBERS,
        EventKind::ReactionAdded => GatewayIntents::GUILD_MESSAGE_REACTIONS,
        EventKind::Message => GatewayIntents::GUILD_MESSAGES | GatewayIntents::MESSAGE_CONTENT,
    }
}

/// Returns a module, and one of its events that Discord will not send to this application.
pub(crate) fn untold(application: &Application, registry: &Registry) -> Option<(String, &'static str)> {
    let (owner, hook, _) = registry.hooks().find(|(_, hook, _)| lacks(application, intents_of(hook.kind)))?;
    Some((owner.to_string(), hook.kind.name()))
}

/// Returns whether Discord says that the application lacks a privileged one of these intents.
pub(crate) fn lacks(application: &Application, intents: GatewayIntents) -> bool {
    let Some(flags) = application.flags.map(ApplicationFlags::from_bits_truncate) else { return false };
    let members = ApplicationFlags::GATEWAY_GUILD_MEMBERS | ApplicationFlags::GATEWAY_GUILD_MEMBERS_LIMITED;
    let content = ApplicationFlags::GATEWAY_MESSAGE_CONTENT | ApplicationFlags::GATEWAY_MESSAGE_CONTENT_LIMITED;
    let privileged = [(GatewayIntents::GUILD_MEMBERS, members), (GatewayIntents::MESSAGE_CONTENT, content)];
    privileged.into_iter().any(|(intent, enabled)| intents.contains(intent) && !flags.intersects(enabled))
}

/// Returns advice if persons may install the application for themselves, but no command is made for that.
pub(crate) fn user_install(application: &Application, registry: &Registry) -> Option<String> {
    let mut commands = registry.commands().chain(registry.menus());
    let is_meant = commands.any(|command| command.installs.iter().flatten().any(|&install| install == Install::User));
    (application.installs.contains(&USER_INSTALL) && !is_meant).then(|| {
        format!(
            "anybody may install this application for themselves and use its commands in every server: switch off \
             \"User Install\" at https://discord.com/developers/applications/{}/installation, or name \"user\" in the \
             manifests' `installs`",
            application.id
        )
    })
}

/// Returns how far a clock is off from an answer's `Date`. That has whole seconds, so a smaller difference counts as
/// zero.
pub(crate) fn clock_off(date: &str, now: SystemTime) -> Option<Duration> {
    let there = SystemTime::from(OffsetDateTime::parse(date, &Rfc2822).ok()?);
    let off = now.duration_since(there).or_else(|_| there.duration_since(now)).ok()?;
    Some(Duration::from_secs(off.as_secs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_compared_in_both_directions() {
        let date = "Tue, 14 Nov 2023 22:13:20 GMT";
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        for (now, off) in [(1_700_000_000, 0), (1_700_000_090, 90), (1_699_999_000, 1_000)] {
            assert_eq!(clock_off(date, at(now)), Some(Duration::from_secs(off)), "{now}");
        }
        assert_eq!(clock_off("yesterday", at(0)), None);
    }
}
