//! A member's current roles and permissions, requested before the bot runs something that a person asked for earlier.
//! An event carries its member's roles and permissions, but those of a stored call are outdated.

use std::time::{Duration, SystemTime};

use serde_json::Value;
use serenity::all::{ChannelId, GuildId, Route, UserId};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tokio::time::sleep;

use crate::rest::{RequestError, Rest};
use candor_core::inbound::{Caller, Member, Permissions, Place, RoleId};

/// The maximum age of roles and permissions for a repeated run that depends on them.
pub(crate) const RIGHTS_STAND_FOR: Duration = Duration::from_secs(60);

/// The same if only the person's presence matters.
pub(crate) const STANDS_FOR: Duration = Duration::from_hours(1);

/// The maximum total wait for pauses that Discord asks for.
const PACED_WITHIN: Duration = Duration::from_secs(5);

/// Discord's types of channels that are threads. See its documentation, "Channel", channel types.
pub(crate) const THREADS: [u64; 3] = [10, 11, 12];

/// Bits of permissions. See Discord's documentation, "Permissions".
const ADMINISTRATOR: u64 = 1 << 3;
const VIEW_CHANNEL: u64 = 1 << 10;
const READ_MESSAGE_HISTORY: u64 = 1 << 16;
/// Every permission, also those that Discord adds later.
const ALL: u64 = u64::MAX;

pub(crate) enum Standing {
    /// With current roles and permissions.
    Here(Caller),
    /// They, or the bot, left the guild, or its channel is gone.
    Left,
    /// Discord could not be asked.
    Unknown,
}

/// Asks Discord, and keeps its pauses up to a limit: several calls of one turn ask the same.
async fn get(rest: &Rest, route: Route<'_>) -> Result<Value, RequestError> {
    let mut left = PACED_WITHIN;
    loop {
        match rest.get(route).await {
            Err(RequestError::Limited(wait)) if wait <= left => {
                left -= wait;
                sleep(wait).await;
            }
            answered => return answered,
        }
    }
}

/// Asks Discord for a person's current permissions in a place. Outside guilds there are no roles.
pub(crate) async fn standing(rest: &Rest, caller: &Caller, place: Place) -> Standing {
    let Place::Guild { guild, channel } = place else { return Standing::Here(caller.clone()) };
    let guild_id = GuildId::new(guild.0.max(1));
    let user_id = UserId::new(caller.id.0.max(1));
    let channel_id = ChannelId::new(channel.0.max(1));
    let asked = tokio::try_join!(
        get(rest, Route::GuildMember { guild_id, user_id }),
        get(rest, Route::Guild { guild_id }),
        overwrites(rest, channel_id),
    );
    match asked {
        Ok((member, guild_now, overwrites)) => {
            let user = caller.id.0;
            let member = at(&member, &guild_now, &overwrites, guild.0, user, SystemTime::now());
            Standing::Here(Caller { member: Some(member), ..caller.clone() })
        }
        Err(problem) => of_refusal(&problem),
    }
}

/// Asks Discord whether the bot is in a guild, for calls that the guild itself scheduled.
pub(crate) async fn standing_of_guild(rest: &Rest, caller: &Caller, place: Place) -> Standing {
    let Place::Guild { guild, .. } = place else { return Standing::Left };
    match get(rest, Route::Guild { guild_id: GuildId::new(guild.0.max(1)) }).await {
        Ok(_) => Standing::Here(caller.clone()),
        Err(problem) => of_refusal(&problem),
    }
}

/// Asks Discord whether a person is still in the guild of a place. If Discord cannot be asked, the answer is yes: this
/// is for cases where nothing else about the person matters.
pub(crate) async fn is_here(rest: &Rest, caller: &Caller, place: Place) -> bool {
    let Place::Guild { guild, .. } = place else { return true };
    let guild_id = GuildId::new(guild.0.max(1));
    let user_id = UserId::new(caller.id.0.max(1));
    match get(rest, Route::GuildMember { guild_id, user_id }).await {
        Ok(_) => true,
        Err(problem) => !matches!(of_refusal(&problem), Standing::Left),
    }
}

/// Only Discord's own codes show that a member left: a banned address and a page of a proxy have the same statuses.
fn of_refusal(problem: &RequestError) -> Standing {
    /// Unknown channel, guild, member and user, and no access. See Discord's documentation, "JSON error codes".
    const LEFT: [i64; 5] = [10_003, 10_004, 10_007, 10_013, 50_001];
    match problem {
        RequestError::Answer { code, .. } if LEFT.contains(code) => Standing::Left,
        _ => Standing::Unknown,
    }
}

/// Returns the permission overwrites of a channel; for a thread, those of its channel.
async fn overwrites(rest: &Rest, channel_id: ChannelId) -> Result<Value, RequestError> {
    let mut channel = get(rest, Route::Channel { channel_id }).await?;
    // A thread has the permissions of its channel.
    let is_thread = channel.get("type").and_then(Value::as_u64).is_some_and(|kind| THREADS.contains(&kind));
    let parent = channel.get("parent_id").and_then(number).filter(|_| is_thread);
    if let Some(parent) = parent {
        channel = get(rest, Route::Channel { channel_id: ChannelId::new(parent.max(1)) }).await?;
    }
    Ok(channel.get_mut("permission_overwrites").map(Value::take).unwrap_or_default())
}

/// Computes a member in a channel by Discord's rules. The permissions of `@everyone` and the roles in the guild are
/// changed by the channel's overwrites for everyone, for the roles together and for the member. See its documentation,
/// "Permissions".
pub(super) fn at(
    member: &Value,
    guild: &Value,
    overwrites: &Value,
    guild_id: u64,
    user_id: u64,
    now: SystemTime,
) -> Member {
    let roles: Vec<u64> = list(member, "roles").iter().filter_map(number).collect();
    let has = |role: u64| role == guild_id || roles.contains(&role);
    let permissions_of = |role: &Value| role.get("permissions").and_then(number).unwrap_or_default();
    let own_roles = list(guild, "roles").iter().filter(|role| role.get("id").and_then(number).is_some_and(has));
    let in_guild = own_roles.fold(0, |all, role| all | permissions_of(role));
    let is_owner = guild.get("owner_id").and_then(number) == Some(user_id);
    let may = match is_owner || in_guild & ADMINISTRATOR != 0 {
        true => ALL,
        false => {
            let of = |is_meant: &dyn Fn(u64) -> bool| {
                let overwrites = overwrites.as_array().into_iter().flatten();
                let meant = overwrites.filter(|one| one.get("id").and_then(number).is_some_and(is_meant));
                let bits = |one: &Value, name: &str| one.get(name).and_then(number).unwrap_or_default();
                meant.fold((0, 0), |(denied, allowed), one| (denied | bits(one, "deny"), allowed | bits(one, "allow")))
            };
            let order = [of(&|id| id == guild_id), of(&|id| roles.contains(&id)), of(&|id| id == user_id)];
            let may = order.into_iter().fold(in_guild, |may, (denied, allowed)| may & !denied | allowed);
            if is_timed_out(member, now) { may & (VIEW_CHANNEL | READ_MESSAGE_HISTORY) } else { may }
        }
    };
    Member { roles: roles.into_iter().map(RoleId).collect(), permissions: Some(Permissions(may)) }
}

fn is_timed_out(member: &Value, now: SystemTime) -> bool {
    let until = member.get("communication_disabled_until").and_then(Value::as_str);
    until
        .and_then(|until| OffsetDateTime::parse(until, &Rfc3339).ok())
        .is_some_and(|until| now < SystemTime::from(until))
}

fn list<'a>(of: &'a Value, name: &str) -> &'a [Value] {
    of.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Parses an id or a set of bits, which Discord writes as text.
fn number(value: &Value) -> Option<u64> {
    value.as_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const GUILD: u64 = 1;
    const ANN: u64 = 7;
    const KICK: u64 = 1 << 1;
    const BAN: u64 = 1 << 2;

    fn guild() -> Value {
        json!({ "owner_id": "99", "roles": [
            { "id": "1", "permissions": VIEW_CHANNEL.to_string() },
            { "id": "2", "permissions": KICK.to_string() },
            { "id": "3", "permissions": ADMINISTRATOR.to_string() },
            { "id": "4" }, { "permissions": "8" }, 5,
        ] })
    }

    #[test]
    fn m1_permissions_are_those_of_the_roles_changed_by_the_channel() {
        let deny = |id: u64, bits: u64| json!({ "id": id.to_string(), "deny": bits.to_string(), "allow": "0" });
        let allow = |id: u64, bits: u64| json!({ "id": id.to_string(), "deny": "0", "allow": bits.to_string() });
        let member = |roles: Value| json!({ "roles": roles });
        for (member, overwrites, expected) in [
            (member(json!([])), json!([]), VIEW_CHANNEL),
            (member(json!(["2"])), json!([]), VIEW_CHANNEL | KICK),
            (member(json!(["2"])), json!([deny(GUILD, KICK | VIEW_CHANNEL)]), 0),
            (member(json!(["2"])), json!([deny(GUILD, KICK), allow(2, KICK)]), VIEW_CHANNEL | KICK),
            (member(json!(["2", "4"])), json!([deny(2, KICK), allow(4, KICK)]), VIEW_CHANNEL | KICK),
            (member(json!(["2"])), json!([deny(4, VIEW_CHANNEL), allow(4, BAN)]), VIEW_CHANNEL | KICK),
            (member(json!(["2"])), json!([allow(2, BAN), deny(ANN, BAN)]), VIEW_CHANNEL | KICK),
            (member(json!(["3"])), json!([deny(ANN, KICK)]), ALL),
            (json!({}), json!("?"), VIEW_CHANNEL),
        ] {
            let found = at(&member, &guild(), &overwrites, GUILD, ANN, SystemTime::now());
            assert_eq!(found.permissions, Some(Permissions(expected)), "{member} {overwrites}");
        }
        let owner = at(&json!({ "roles": ["2"] }), &guild(), &json!([]), GUILD, 99, SystemTime::now());
        assert_eq!(owner, Member { roles: vec![RoleId(2)], permissions: Some(Permissions(ALL)) });
    }

    #[test]
    fn what_is_refused_by_others_than_discord_says_nothing_of_a_person() {
        let answer = |status, code| RequestError::Answer { status, code, message: String::new() };
        for (problem, is_left) in [
            (answer(404, 10_007), true),
            (answer(403, 50_001), true),
            (answer(403, 0), false),
            (answer(404, 0), false),
            (answer(503, 0), false),
            (RequestError::Unreached(String::new()), false),
        ] {
            assert_eq!(matches!(of_refusal(&problem), Standing::Left), is_left, "{problem:?}");
        }
    }

    #[test]
    fn m1_who_is_timed_out_may_only_read() {
        let member = json!({ "roles": ["2"], "communication_disabled_until": "2030-01-01T00:00:00+00:00" });
        let of = |now| at(&member, &guild(), &json!([]), GUILD, ANN, now).permissions;
        assert_eq!(of(SystemTime::UNIX_EPOCH), Some(Permissions(VIEW_CHANNEL)));
        let later = SystemTime::UNIX_EPOCH + Duration::from_hours(24 * 365 * 100);
        assert_eq!(of(later), Some(Permissions(VIEW_CHANNEL | KICK)));
    }
}
