//! Reads `[run]`: the program or server of an outside module, and its limits.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::time::Duration;

use crate::contract::check::findings::Findings;
use crate::contract::check::settings::check_variables;
use crate::contract::code::TrustedRights;
use crate::contract::manifest::{WrittenManifest, WrittenOAuth, WrittenRun};
use crate::contract::outside::{RunSpec, RunStart, ServerAccess};
use crate::contract::spec::HandlerKind;
use crate::diagnostic::Code;
use crate::diagnostic::spanned::Spanned;
use crate::text::in_code_spans;

/// The limits: their keys, defaults and allowed ranges.
const START_S: Limit = Limit { key: "start_s", default: 30, range: 1..=300 };
const TIME_S: Limit = Limit { key: "time_s", default: 10, range: 1..=600 };
const CPU_S: Limit = Limit { key: "cpu_s", default: 10, range: 1..=3_600 };
const MEMORY_MIB: Limit = Limit { key: "memory_mib", default: 256, range: 16..=65_536 };
const FILE_MIB: Limit = Limit { key: "file_mib", default: 16, range: 1..=65_536 };
const FOLDER_MIB: Limit = Limit { key: "folder_mib", default: 256, range: 1..=65_536 };
const OPEN_FILES: Limit = Limit { key: "open_files", default: 256, range: 16..=65_536 };
const PROCESSES: Limit = Limit { key: "processes", default: 64, range: 4..=4_096 };
const OUTPUT_KIB: Limit = Limit { key: "output_kib", default: 64, range: 1..=1_024 };
const AT_ONCE: Limit = Limit { key: "at_once", default: 4, range: 1..=64 };

struct Limit {
    key: &'static str,
    default: u32,
    range: RangeInclusive<i64>,
}

/// Reads `[run]`. Returns `None`, and reports why, if it does not say what to start.
pub(crate) fn read(
    kind: HandlerKind,
    written: &WrittenManifest,
    trusted: &TrustedRights,
    found: &mut Findings,
) -> Option<RunSpec> {
    let module = written.name.given().map_or("", |name| &name.value);
    let nothing = WrittenRun { span: written.header.clone(), ..WrittenRun::default() };
    let written = written.run.as_ref().unwrap_or(&nothing);
    let start = start(kind, written, found)?;
    check_rights(module, written, trusted, found);
    let mut limit = |limit: &Limit| limit.read(written, found);
    Some(RunSpec {
        start,
        start_within: Duration::from_secs(limit(&START_S)),
        answer_within: Duration::from_secs(limit(&TIME_S)),
        cpu_s: (kind == HandlerKind::Exec || CPU_S.is_in(written)).then(|| limit(&CPU_S)),
        memory_mib: limit(&MEMORY_MIB),
        file_mib: limit(&FILE_MIB),
        folder_mib: limit(&FOLDER_MIB),
        open_files: limit(&OPEN_FILES),
        processes: limit(&PROCESSES),
        output_kib: limit(&OUTPUT_KIB),
        at_once: usize::try_from(limit(&AT_ONCE)).unwrap_or(1),
    })
}

impl Limit {
    fn is_in(&self, written: &WrittenRun) -> bool {
        written.limits.iter().any(|(key, _)| *key == self.key)
    }

    fn read(&self, written: &WrittenRun, found: &mut Findings) -> u64 {
        let Some((_, Spanned { value, span })) = written.limits.iter().find(|(key, _)| *key == self.key) else {
            return u64::from(self.default);
        };
        if !self.range.contains(value) {
            let least = self.range.start();
            let most = self.range.end();
            found.at(Code::ManifestValueInvalid, span).report(
                format!("`run.{}` cannot be {value}", self.key),
                format!("write a number from {least} to {most}; without it, it is {}", self.default),
            );
        }
        u64::try_from(*value).unwrap_or_default()
    }
}

fn start(kind: HandlerKind, written: &WrittenRun, found: &mut Findings) -> Option<RunStart> {
    let texts = |list: &[Spanned<String>]| list.iter().map(|text| text.value.clone()).collect::<Vec<_>>();
    match (&written.program, &written.url) {
        (Some(_), Some(url)) => {
            found.at(Code::RunInvalid, &url.span).report(
                "`[run]` has a program and an address",
                "take one of them out: a server is either started here or reached elsewhere",
            );
            None
        }
        (None, Some(url)) if kind == HandlerKind::Exec => {
            found.at(Code::RunInvalid, &url.span).report(
                "an exec module has no address",
                "write `program = \"…\"`, or `kind = \"mcp\"` under `[module]`",
            );
            None
        }
        (None, None) => {
            let wanted = match kind {
                HandlerKind::Mcp => "`program = \"…\"` for a server that the bot starts, or `url = \"https://…\"`",
                HandlerKind::Exec | HandlerKind::Native | HandlerKind::Text => "`program = \"…\"`",
            };
            found
                .at(Code::RunInvalid, &written.span)
                .report("nothing says what answers this module's commands", format!("write {wanted} under `[run]`"));
            None
        }
        (None, Some(url)) => {
            check_url(url, found);
            Some(RunStart::Server {
                url: url.value.clone(),
                access: access(written, found),
                insecure: written.insecure.as_ref().is_some_and(|insecure| insecure.value),
            })
        }
        (Some(program), None) => {
            if program.value.trim().is_empty() {
                found.at(Code::RunInvalid, &program.span).report("the program has no name", "write the name of a file");
            }
            if let Some(file) = &written.bearer_file {
                found
                    .at(Code::RunInvalid, &file.span)
                    .report("a program takes no bearer token", "take `bearer_file` out, or name it in `reads`");
            }
            if let Some(oauth) = &written.oauth {
                found
                    .at(Code::RunInvalid, &oauth.span)
                    .report("the bot does not sign in to a program", "take `[run.oauth]` out");
            }
            check_variables(&written.env, found);
            Some(RunStart::Program {
                program: program.value.clone(),
                arguments: texts(&written.arguments),
                env: texts(&written.env),
                reads: texts(&written.reads),
                ports: written.ports.iter().filter_map(|port| self::port(port, found)).collect(),
                is_confined: is_confined(written, found),
            })
        }
    }
}

/// Returns how the bot authenticates to the MCP server.
fn access(written: &WrittenRun, found: &mut Findings) -> ServerAccess {
    match (&written.bearer_file, &written.oauth) {
        (None, None) => ServerAccess::Open,
        (Some(file), oauth) => {
            if let Some(oauth) = oauth {
                found
                    .at(Code::RunInvalid, &oauth.span)
                    .report("`[run]` has a bearer token and a sign-in", "take `bearer_file` or `[run.oauth]` out");
            }
            ServerAccess::Bearer { file: file.value.clone() }
        }
        (None, Some(oauth)) => sign_in(oauth, found),
    }
}

fn sign_in(written: &WrittenOAuth, found: &mut Findings) -> ServerAccess {
    let text = |written: &Option<Spanned<String>>| written.as_ref().map(|written| written.value.clone());
    let client_id = text(&written.client_id);
    let client_secret_file = text(&written.client_secret_file);
    let scopes = written.scopes.iter().map(|scope| scope.value.clone()).collect();
    if let (None, Some(secret)) = (&client_id, &written.client_secret_file) {
        found.at(Code::RunInvalid, &secret.span).report(
            "a secret without its client",
            "write `client_id = \"…\"` beside it: the id that the server gave with the secret",
        );
    }
    let person = |client_id, client_secret_file, scopes| ServerAccess::OAuth { client_id, client_secret_file, scopes };
    match &written.grant {
        None => person(client_id, client_secret_file, scopes),
        Some(grant) if grant.value == "authorization_code" => person(client_id, client_secret_file, scopes),
        Some(grant) if grant.value == "client_credentials" => match (client_id, client_secret_file) {
            (Some(client_id), Some(client_secret_file)) => {
                ServerAccess::Machine { client_id, client_secret_file, scopes }
            }
            (client_id, client_secret_file) => {
                found.at(Code::RunInvalid, &grant.span).report(
                    "the bot cannot sign in by itself without a client",
                    "write `client_id` and `client_secret_file`: the server gives both to whoever registers by hand",
                );
                person(client_id, client_secret_file, scopes)
            }
        },
        Some(grant) => {
            found.at(Code::RunInvalid, &grant.span).report(
                format!("there is no grant `{}`", grant.value.escape_default()),
                "write \"authorization_code\", where somebody signs in, or \"client_credentials\"; the first is what \
                 holds without it",
            );
            person(client_id, client_secret_file, scopes)
        }
    }
}

fn check_url(url: &Spanned<String>, found: &mut Findings) {
    let is_http =
        url::Url::parse(&url.value).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    if !is_http {
        found.at(Code::RunInvalid, &url.span).report(
            format!("`{}` is not the address of a server", url.value.escape_default()),
            "write an address such as \"https://tools.example/mcp\"",
        );
    }
}

fn port(port: &Spanned<i64>, found: &mut Findings) -> Option<u16> {
    let number = u16::try_from(port.value).ok().filter(|port| 0 < *port);
    if number.is_none() {
        found
            .at(Code::ManifestValueInvalid, &port.span)
            .report(format!("{} is not a port", port.value), "write numbers from 1 to 65535");
    }
    number
}

/// Reports rights that the operator did not grant. A manifest cannot grant any, because an update may replace it.
fn check_rights(module: &str, written: &WrittenRun, trusted: &TrustedRights, found: &mut Findings) {
    let number = |port: &Spanned<i64>| u16::try_from(port.value).ok().filter(|port| 0 < *port);
    let is_denied = |port: &&Spanned<i64>| number(port).is_some_and(|port| !trusted.ports.contains(&port));
    if let Some(denied) = written.ports.iter().find(is_denied) {
        let asked: BTreeSet<_> = written.ports.iter().filter_map(number).chain(trusted.ports.iter().copied()).collect();
        let asked: Vec<_> = asked.into_iter().collect();
        found.at(Code::RightNotTrusted, &denied.span).report(
            format!("the settings file does not let `{module}` connect to port {}", denied.value),
            TrustedRights::help(module, &format!("ports = {asked:?}")),
        );
    }
    if let Some(sandbox) = written.sandbox.as_ref().filter(|sandbox| sandbox.value == "off" && !trusted.unconfined) {
        found.at(Code::RightNotTrusted, &sandbox.span).report(
            format!("the settings file does not let `{module}` run without a sandbox"),
            TrustedRights::help(module, "sandbox = \"off\""),
        );
    }
}

fn is_confined(written: &WrittenRun, found: &mut Findings) -> bool {
    let Some(Spanned { value: word, span }) = &written.sandbox else { return true };
    if !SANDBOXES.contains(&word.as_str()) {
        found.at(Code::ManifestValueInvalid, span).report(
            format!("there is no sandbox `{word}`"),
            format!("write one of {}; without it, it is `required`", in_code_spans(SANDBOXES)),
        );
    }
    word != "off"
}

const SANDBOXES: [&str; 2] = ["required", "off"];
