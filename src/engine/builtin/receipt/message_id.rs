//! Parses the id of a Discord message from a link or an id, as Discord's own menus copy them.

/// The hosts of links to messages: Discord's own, its two test versions and its old name.
const HOSTS: [&str; 4] = ["discord.com", "ptb.discord.com", "canary.discord.com", "discordapp.com"];

/// Returns the message's id from `https://discord.com/channels/1/2/3`, `3`, or `2-3`. Discord copies the last form as
/// the ids of channel and message.
pub(super) fn message_id(typed: &str) -> Option<u64> {
    // Angle brackets around a link prevent its unfurling.
    let typed = typed.trim();
    let typed = typed.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')).unwrap_or(typed);
    match typed.split_once("://") {
        Some((scheme, link)) if scheme.eq_ignore_ascii_case("https") => of_link(link),
        Some(_) => None,
        None => match typed.split_once('-') {
            Some((channel, message)) => id(channel).and_then(|_| id(message)),
            None => id(typed),
        },
    }
}

/// Parses `discord.com/channels/GUILD/CHANNEL/MESSAGE`; a direct message has `@me` for the guild.
fn of_link(link: &str) -> Option<u64> {
    let link = link.split(['?', '#']).next()?;
    let parts: Vec<_> = link.trim_end_matches('/').splitn(6, '/').collect();
    let [host, "channels", server, channel, message] = parts[..] else { return None };
    let is_of_discord = HOSTS.iter().any(|known| known.eq_ignore_ascii_case(host));
    let leads_somewhere = (server == "@me" || id(server).is_some()) && id(channel).is_some();
    id(message).filter(|_| is_of_discord && leads_somewhere)
}

fn id(digits: &str) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|&id| is_number && 0 < id)
}

#[cfg(test)]
mod tests {
    use super::message_id;

    #[test]
    fn a_message_is_named_as_discord_copies_it_and_in_no_other_way() {
        let cases = [
            ("https://discord.com/channels/1/2/3", Some(3)),
            ("https://discord.com/channels/@me/2/3", Some(3)),
            ("https://canary.discord.com/channels/1/2/3/", Some(3)),
            ("https://ptb.discord.com/channels/1/2/3?x=y#z", Some(3)),
            (" <HTTPS://Discordapp.com/channels/1/2/18446744073709551615> ", Some(u64::MAX)),
            ("3", Some(3)),
            ("2-3", Some(3)),
            ("", None),
            ("0", None),
            ("+3", None),
            ("1-2-3", None),
            ("-3", None),
            ("18446744073709551616", None),
            ("٣", None),
            ("http://discord.com/channels/1/2/3", None),
            ("https://example.org/channels/1/2/3", None),
            ("https://discord.com.example.org/channels/1/2/3", None),
            ("https://discord.com/channels/1/2", None),
            ("https://discord.com/channels/1/2/3/4", None),
            ("https://discord.com/users/1/2/3", None),
            ("https://discord.com/channels/x/2/3", None),
            ("7F3K2", None),
        ];
        for (typed, expected) in cases {
            assert_eq!(message_id(typed), expected, "{typed:?}");
        }
    }
}
