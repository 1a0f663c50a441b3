//! The settings file as a whole, and its short sections.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::access::Access;
use crate::contract::{ANY_HOST, TrustedRights, host_name};
use crate::diagnostic::spanned::{self, Section, Spanned};
use crate::diagnostic::{Diagnostics, SourceFile};
use crate::inbound::{ChannelId, GuildId, UserId};
use crate::language::Language;
use crate::settings::raw::id::IdKind;
use crate::settings::raw::locations::{GivenHosts, GivenTable, SendTo, SettingLocations, TrustedModule};
use crate::settings::raw::reader::{CODES, SectionReader, set};
use crate::settings::raw::{chat, chat_places, metrics, model, permissions, secret};
use crate::settings::valid::{
    AdminSettings, DiscordSettings, HostMetricsSettings, KeepSettings, LogFormat, ModelSettings, ModulesSettings,
    OnViolation, PublishTo, ReceiptSettings, Settings, StatusSettings, StoreSettings,
};
use crate::text::in_code_spans;

/// The range of retention times, in days: a longer time is as good as forever.
const KEEP_DAYS: RangeInclusive<u64> = 1..=3_650;

/// The total size limit of all workspaces, in MiB: one full workspace to a TiB.
const WORKSPACES_MIB: RangeInclusive<u64> = 16..=1_048_576;

/// The longest deadline of a command, in seconds. The bot's own limit.
const DEADLINE_MAX: u64 = 3_600;

/// The longest `tell_after_s`, in seconds. Discord accepts an answer for 15 minutes after a command was chosen. The
/// last minute is reserved for the notice that no answer will follow there.
const TELL_AFTER_MAX: u64 = 840;

/// The longest `stale_after_s`, in seconds.
const STALE_AFTER_MAX: u64 = 86_400;

/// The range of the intervals for sampling metrics and for editing a live message, in seconds. With a longer interval
/// an hour would have too few samples for a line.
const SAMPLE: RangeInclusive<u64> = 5..=300;
const LIVE_EVERY_MAX: u64 = 300;

/// The longest interval between two writes of the host's metrics, in seconds.
const HOST_METRICS_INTERVAL_MAX: u64 = 3_600;

/// A settings file, as far as it can be read.
#[derive(Clone, Debug)]
pub struct ReadSettings {
    /// The settings, with defaults in place of invalid values.
    pub settings: Settings,
    /// The positions of settings that refer to something outside the file.
    pub places: SettingLocations,
    /// All problems, in the order of the file.
    pub problems: Diagnostics,
}

/// Reads the settings file, or reports every problem in it.
pub fn read(file: &Arc<SourceFile>) -> Result<Settings, Diagnostics> {
    let reading = read_leniently(file);
    if reading.problems.has_errors() { Err(reading.problems) } else { Ok(reading.settings) }
}

/// Reads the settings file as far as possible. A secret in the file never appears in a diagnostic: it is masked with
/// asterisks.
pub fn read_leniently(file: &Arc<SourceFile>) -> ReadSettings {
    let mut found = Diagnostics::default();
    let root = spanned::read(file, CODES, &mut found);
    let is_toml = !found.has_errors();
    let mut settings = Settings::default();
    let mut places = SettingLocations::none_in(file);
    let mut root = SectionReader::new(root, &mut found);
    sections(&mut root, &mut settings, &mut places);
    root.finish();
    let secrets = secret::find(file, is_toml);
    let masked = secrets.without(file);
    places.show(&masked);
    ReadSettings { settings, places, problems: secrets.told_with(&found, &masked) }
}

fn sections(root: &mut SectionReader<'_>, settings: &mut Settings, places: &mut SettingLocations) {
    root.section("modules", |section| modules(section, &mut settings.modules, places));
    root.section("store", |section| {
        store(section, &mut settings.store, places);
        section.section("keep", |section| keep(section, &mut settings.keep));
    });
    root.section("receipts", |section| receipts(section, &mut settings.receipts, places));
    root.section("commands", |section| commands(section, settings));
    root.section("access", |section| access(section, &mut settings.access));
    root.table("permissions", |table, found| permissions::read(table, &mut settings.access, places, found));
    root.section("status", |section| status(section, &mut settings.status, places));
    // An operator who configures a file has a producer for it, unless they say otherwise.
    settings.host_metrics.enabled = places.status_file.is_none();
    root.section("host_metrics", |section| host_metrics(section, &mut settings.host_metrics));
    root.section("model", |section| settings.model_servers.extend(model::read(section, None, places)));
    root.table("models", |table, found| model::read_named(table, &mut settings.model_servers, places, found));
    settings.chat.models = settings.model_servers.iter().flat_map(ModelSettings::offered).collect();
    root.section("chat", |section| {
        chat::read(section, &mut settings.chat, places);
        section.table("places", |table, found| chat_places::read(table, &mut settings.chat, places, found));
        section.section("access", |section| chat::access(section, &mut settings.access.chat));
    });
    check_models(root, settings, places);
    root.section("guard", |section| chat::guard(section, &mut settings.chat.guard));
    root.section("discord", |section| discord(section, &mut settings.discord));
    root.section("admin", |section| admin(section, &mut settings.admin, places));
    root.section("log", |section| log(section, &mut settings.log_format));
    root.section("language", |section| language(section, &mut settings.language));
}

/// Reports references to models that are not configured.
fn check_models(root: &mut SectionReader<'_>, settings: &Settings, places: &SettingLocations) {
    let models: Vec<_> = settings.chat.models.iter().map(|model| &model.name).collect();
    for Spanned { value: name, span } in places.named_models.iter().filter(|model| !models.contains(&&model.value)) {
        let help = match models.as_slice() {
            [] => "write the section `[model]` with it, or take this out".to_owned(),
            models => format!("the models are {}", in_code_spans(models)),
        };
        root.invalid(span, format!("`{name}` is not one of the models"), help);
    }
}

fn modules(section: &mut SectionReader<'_>, modules: &mut ModulesSettings, places: &mut SettingLocations) {
    modules.path = section.folder("path");
    places.disabled = section.names("disabled").unwrap_or_default();
    modules.disabled = places.disabled.iter().map(|name| name.value.clone()).collect();
    let words = [("refuse", OnViolation::Refuse), ("quarantine", OnViolation::Quarantine)];
    set(&mut modules.on_violation, section.one_of("on_violation", &words));
    section.table("settings", |table, found| places.module_settings = given_tables(table, found));
    section.table("commands", |table, found| places.module_commands = given_tables(table, found));
    section.section("send_to", |section| places.send_to = send_to(section));
    section.section("http_hosts", |section| places.http_hosts = http_hosts(section));
    section.section("trusted", |section| places.trusted = trusted(section));
}

fn trusted(section: &mut SectionReader<'_>) -> Vec<TrustedModule> {
    let modules = section.keys().into_iter();
    let mut read = |module: Spanned<String>| {
        let mut rights = TrustedRights::default();
        section.section(&module.value, |section| {
            rights.ports = section.ports("ports");
            rights.reads = section.names("reads").unwrap_or_default().into_iter().map(|path| path.value).collect();
            set(&mut rights.unconfined, section.one_of("sandbox", &[("off", true), ("required", false)]));
        });
        TrustedModule { module, rights }
    };
    modules.map(&mut read).collect()
}

fn http_hosts(section: &mut SectionReader<'_>) -> Vec<GivenHosts> {
    let mut given = Vec::new();
    for module in section.keys() {
        let Some(written) = section.texts(&module.value) else { continue };
        let mut hosts = Vec::new();
        for Spanned { value: host, span } in written.value {
            match host_name(&host) {
                _ if host == ANY_HOST => hosts.push(Spanned { value: host, span }),
                Ok(name) => hosts.push(Spanned { value: name, span }),
                Err(why) => {
                    let message = format!("`{}` takes hosts: {why}", section.path_of(&module.value));
                    section.invalid(&span, message, "write the name of a host, such as `example.org`".to_owned());
                }
            }
        }
        given.push(GivenHosts { module, hosts });
    }
    given
}

/// Reads the channels of each module. Invalid channel ids are reported.
fn send_to(section: &mut SectionReader<'_>) -> Vec<SendTo> {
    let channels = |section: &mut SectionReader<'_>, module: Spanned<String>| {
        let ids = section.snowflakes(&module.value, IdKind::Channel);
        SendTo { channels: ids.into_iter().map(|id| ChannelId(id.value)).collect(), module }
    };
    section.keys().into_iter().map(|module| channels(section, module)).collect()
}

/// Reads the tables of single modules, each under the module's name.
fn given_tables(mut all: Section, found: &mut Diagnostics) -> Vec<GivenTable> {
    let tables = all.keys().into_iter().filter_map(|name| Some((name.clone(), all.section(&name.value, found)?)));
    tables.map(|(module, values)| given(module, values)).collect()
}

fn given(module: Spanned<String>, mut table: Section) -> GivenTable {
    let values = table.keys().into_iter().filter_map(|key| table.take(&key.value));
    let values =
        values.map(|(key, Spanned { value, span })| (key, Spanned { value: value.into_json(), span })).collect();
    GivenTable { module, values }
}

fn store(section: &mut SectionReader<'_>, store: &mut StoreSettings, places: &mut SettingLocations) {
    let has_both = section.has("path") && section.has("url_file");
    places.store_path = section.file("path");
    places.url_file = section.file("url_file");
    if let Some(url_file) = places.url_file.as_ref().filter(|_| has_both) {
        let message = "`[store]` has both `path` and `url_file`, and the bot has one store";
        let help = "keep `path` for an SQLite file, or `url_file` for a PostgreSQL database";
        section.invalid(&url_file.span, message.to_owned(), help.to_owned());
    }
    set(store, places.store_path.as_ref().map(|path| StoreSettings::File(path.value.clone())));
    set(store, places.url_file.as_ref().map(|file| StoreSettings::Server(file.value.clone())));
}

fn keep(section: &mut SectionReader<'_>, keep: &mut KeepSettings) {
    let mut days = |key| section.whole(key, KEEP_DAYS).map(|days| Duration::from_hours(24 * days));
    set(&mut keep.receipts, days("receipts_days"));
    set(&mut keep.refreshes, days("refreshes_days"));
    set(&mut keep.conversations, days("conversations_days"));
    set(&mut keep.turns, days("turns_days"));
    set(&mut keep.answers, days("answers_days"));
    set(&mut keep.samples, days("samples_days"));
    set(&mut keep.workspaces_size, section.whole("workspaces_mib", WORKSPACES_MIB).map(|mib| mib * 1024 * 1024));
}

fn receipts(section: &mut SectionReader<'_>, receipts: &mut ReceiptSettings, places: &mut SettingLocations) {
    places.receipt_key_file = section.file("key_file");
    receipts.key_file = places.receipt_key_file.as_ref().map(|file| file.value.clone());
    let places = section.texts("publish").into_iter().flat_map(|places| places.value);
    for Spanned { value: place, span } in places.collect::<Vec<_>>() {
        let to = match place.split_once(':') {
            Some(("file", path)) if !path.trim().is_empty() => Some(PublishTo::File(PathBuf::from(path))),
            Some(("channel", id)) => id.parse().ok().filter(|id| 0 < *id).map(ChannelId).map(PublishTo::Channel),
            _ => None,
        };
        match to {
            Some(to) => receipts.publish.push(to),
            None => {
                let message = format!("{} is no place for signed heads", in_code_spans([&place]));
                let help = "write `file:PATH` or `channel:ID`, such as `channel:1122334455667788990`";
                section.invalid(&span, message, help.to_owned());
            }
        }
    }
}

fn commands(section: &mut SectionReader<'_>, settings: &mut Settings) {
    set(&mut settings.command_deadline, section.seconds("deadline_s", DEADLINE_MAX));
    set(&mut settings.tell_after, section.seconds("tell_after_s", TELL_AFTER_MAX));
}

fn access(section: &mut SectionReader<'_>, access: &mut Access) {
    access.operators = section.snowflakes("operators", IdKind::User).into_iter().map(|id| UserId(id.value)).collect();
    let blocked = section.snowflakes("blocked", IdKind::User);
    for Spanned { value: id, span } in blocked.iter().filter(|id| access.operators.contains(&UserId(id.value))) {
        let message = format!("`access.blocked` names {id}, and so does `access.operators`");
        let help = "take it out of one of them: who is blocked may do nothing, operators included";
        section.contradiction(span, message, help.to_owned());
    }
    access.blocked = blocked.into_iter().map(|id| UserId(id.value)).collect();
}

fn status(section: &mut SectionReader<'_>, status: &mut StatusSettings, places: &mut SettingLocations) {
    places.status_file = section.file("file");
    set(&mut status.file, places.status_file.as_ref().map(|file| file.value.clone()));
    let shown = &mut status.presentation;
    set(&mut shown.stale_after, section.seconds("stale_after_s", STALE_AFTER_MAX));
    set(&mut shown.generated_at, section.name("generated_at"));
    set(&mut status.sample_every, section.whole("sample_s", SAMPLE).map(Duration::from_secs));
    set(&mut status.live.every, section.seconds("live_every_s", LIVE_EVERY_MAX));
    let channels: BTreeSet<_> =
        section.snowflakes("live_channels", IdKind::Channel).into_iter().map(|id| ChannelId(id.value)).collect();
    status.live.channels = channels.into_iter().collect();
    section.table("metrics", |table, found| shown.metrics = metrics::read(table, found));
}

fn host_metrics(section: &mut SectionReader<'_>, host_metrics: &mut HostMetricsSettings) {
    set(&mut host_metrics.enabled, section.boolean("enabled"));
    set(&mut host_metrics.interval, section.seconds("interval_s", HOST_METRICS_INTERVAL_MAX));
}

fn discord(section: &mut SectionReader<'_>, discord: &mut DiscordSettings) {
    set(&mut discord.insecure, section.boolean("insecure"));
    if let Some(proxy) = section.address("proxy") {
        if !discord.insecure {
            section.encrypted("proxy", &proxy.value, &proxy.span, "the token");
        }
        discord.proxy = Some(proxy.value);
    }
    discord.files = section.address("files").map(|files| files.value);
    discord.guild = section.one_id("guild", IdKind::Guild).map(|guild| GuildId(guild.value));
    let help = "take it out: commands are the same in all servers, and a server's administrators hide one in Discord \
                under Server Settings → Integrations → the bot";
    section.gone("register", help);
}

fn admin(section: &mut SectionReader<'_>, admin: &mut AdminSettings, places: &mut SettingLocations) {
    let help = "write an IP address with a port, such as `127.0.0.1:9180`, or `off`";
    let listen = section.parsed("listen", "is not an address to listen at", help, |text| match text {
        "off" => Some(None),
        address => address.parse::<SocketAddr>().ok().map(Some),
    });
    set(&mut admin.listen, listen);
    admin.hosts = section.texts("hosts").into_iter().flat_map(|hosts| hosts.value).map(|host| host.value).collect();
    let page = section.spanned_boolean("page");
    admin.page = page.as_ref().is_some_and(|page| page.value);
    places.page_token_file = section.file("page_token_file");
    admin.page_token_file = places.page_token_file.as_ref().map(|file| file.value.clone());
    let Some(page) = page.filter(|page| page.value) else { return };
    match admin.listen {
        None => {
            let message = "`admin.page` is served nowhere: `admin.listen` is \"off\"";
            let help = "write an address at `listen`, such as `127.0.0.1:9180`, or take `page` out";
            section.invalid(&page.span, message.to_owned(), help.to_owned());
        }
        Some(listen) if !listen.ip().is_loopback() && admin.page_token_file.is_none() => {
            let message = format!("`admin.page` would be open to everybody who reaches `{listen}`");
            let help = "name a file with a long random text at `page_token_file`, or listen at `127.0.0.1`";
            section.invalid(&page.span, message, help.to_owned());
        }
        Some(_) => {}
    }
}

fn log(section: &mut SectionReader<'_>, format: &mut LogFormat) {
    set(format, section.one_of("format", &[("text", LogFormat::Text), ("json", LogFormat::Json)]));
}

fn language(section: &mut SectionReader<'_>, language: &mut Language) {
    set(language, section.language("default"));
}
