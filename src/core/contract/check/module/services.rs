//! Checks the services that a module asks for, and the hosts that it reads from.

use std::ops::Range;

use crate::contract::check::findings::Findings;
use crate::contract::check::subject::Candidate;
use crate::contract::manifest::WrittenManifest;
use crate::contract::services::{ANY_HOST, HttpHosts, ServiceName, host_name};
use crate::contract::spec::HandlerKind;
use crate::diagnostic::Code;
use crate::diagnostic::spanned::Spanned;
use crate::text::{in_code_spans, nearest};

const HTTP_HOSTS_MAX: usize = 50;

/// The services available to programs, through their JSON input and output.
const OF_PROGRAMS: [ServiceName; 5] =
    [ServiceName::Records, ServiceName::Time, ServiceName::Send, ServiceName::Http, ServiceName::Attachment];

/// Returns the services that the manifest asks for. Reports those that a module of this kind cannot use. `http_hosts`
/// checks `http` together with its hosts.
pub(super) fn asked(written: &WrittenManifest, candidate: &Candidate, found: &mut Findings) -> Vec<ServiceName> {
    let kind = candidate.kind;
    let reached = |service: ServiceName| match kind {
        HandlerKind::Native => true,
        HandlerKind::Exec => OF_PROGRAMS.contains(&service),
        HandlerKind::Text | HandlerKind::Mcp => service == ServiceName::Http,
    };
    let names = ServiceName::ALL.map(ServiceName::name);
    let listed = in_code_spans(&names);
    let mut services = Vec::new();
    for Spanned { value: name, span } in &written.services {
        match ServiceName::named(name) {
            None => {
                let help = match nearest(name, names, 1).first() {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("the services are {listed}"),
                };
                found.at(Code::ServiceUnknown, span).report(format!("there is no service `{name}`"), help);
            }
            Some(service) if !reached(service) => found.at(Code::KeyOfOtherKind, span).report(
                format!("the service `{name}` means nothing in a module of the kind `{}`", kind.name()),
                match kind {
                    HandlerKind::Exec => {
                        let reached = in_code_spans(&OF_PROGRAMS.map(ServiceName::name));
                        format!("take it out; of the services, a program reaches {reached}")
                    }
                    _ => "take it out: the code of native modules and programs (`exec`) reach services".to_owned(),
                },
            ),
            Some(service) if services.contains(&service) => {}
            Some(service) => services.push(service),
        }
    }
    services
}

/// Returns the hosts that the manifest names. Reports invalid hosts, hosts without the service `http`, and `http`
/// without hosts.
pub(super) fn http_hosts(written: &WrittenManifest, kind: HandlerKind, found: &mut Findings) -> HttpHosts {
    let service = written.services.iter().find(|asked| asked.value == ServiceName::Http.name());
    if !matches!(kind, HandlerKind::Native | HandlerKind::Exec) {
        let written = [
            ("the service `http`", service.map(|it| &it.span)),
            ("`http_hosts`", written.http_hosts.as_ref().map(|it| &it.span)),
        ];
        for (what, span) in written.into_iter().filter_map(|(what, span)| Some((what, span?))) {
            found.at(Code::KeyOfOtherKind, span).report(
                format!("{what} means nothing in a module of the kind `{}`", kind.name()),
                "take it out: only the code of a native module and programs read over the web by way of the bot",
            );
        }
        return HttpHosts::default();
    }
    let Some(hosts) = &written.http_hosts else {
        if let Some(service) = service {
            found.at(Code::HttpHostsMissing, &service.span).report(
                "the module asks for `http` and names no host to read from",
                format!("write `http_hosts = [\"example.org\"]` under `[module]`, or `[\"{ANY_HOST}\"]` if only the operator can name them"),
            );
        }
        return HttpHosts::default();
    };
    if service.is_none() && !found.has(Code::ServiceUnknown) {
        found.at(Code::HttpHostsUnused, &hosts.span).report(
            "the module names hosts and does not ask for the service `http`",
            "write `services = [\"http\"]` under `[module]`, or take `http_hosts` out",
        );
    }
    if hosts.value.is_empty() {
        found.at(Code::HttpHostsMissing, &hosts.span).report(
            "`http_hosts` names no host to read from",
            "name some, or take it out together with the service `http`",
        );
    }
    if let Some(more) = hosts.value.get(HTTP_HOSTS_MAX) {
        let message = format!("a module has at most {HTTP_HOSTS_MAX} hosts");
        let help = format!("take some out, or write `[\"{ANY_HOST}\"]` and let the operator name them");
        found.at(Code::HttpHostInvalid, &more.span).report(message, help);
    }
    let mut names = Vec::new();
    for Spanned { value: host, span } in hosts.value.iter().take(HTTP_HOSTS_MAX) {
        match host.as_str() {
            ANY_HOST => names.push(host.clone()),
            host => match host_name(host) {
                Ok(name) => names.push(name),
                Err(why) => found.at(Code::HttpHostInvalid, span).report(
                    format!("`{}` cannot be read from: {why}", host.escape_default()),
                    "write the name of a host, such as `example.org`",
                ),
            },
        }
    }
    HttpHosts::declared(names.iter().map(String::as_str))
}

/// Reports services that the code needs and the manifest lacks: without them its commands would always fail.
pub(super) fn check_needs(
    written: &WrittenManifest,
    candidate: &Candidate,
    place: &Range<usize>,
    found: &mut Findings,
) {
    let asks = |service: ServiceName| written.services.iter().any(|asked| asked.value == service.name());
    // An unknown service is probably the missing one, misspelled.
    if found.has(Code::ServiceUnknown) || candidate.code.needs.iter().all(|&service| asks(service)) {
        return;
    }
    let listed = candidate.code.needs.iter().map(|service| format!("\"{}\"", service.name())).collect::<Vec<_>>();
    for service in candidate.code.needs.iter().filter(|&&service| !asks(service)) {
        found.at(Code::ServiceMissing, place).label(format!("its code calls `{}`", service.name())).report(
            format!("the manifest does not ask for the service `{}`", service.name()),
            format!("write `services = [{}]` under `[module]`", listed.join(", ")),
        );
    }
}
