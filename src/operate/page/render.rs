//! Renders the whole page as HTML.

use super::figures::moment;
use super::health::HealthView;
use super::html::Html;
use super::simulate::{Asked, Simulated};
use super::view::Overview;
use crate::page::html::mark;
use crate::page::sections;

/// The offered intervals of automatic refresh, in seconds.
pub(super) const REFRESHES: [u32; 2] = [10, 60];

/// The inline style sheet. The page's headers allow it by its hash.
pub(super) const STYLE: &str = include_str!("style.css");

pub(super) struct Shown {
    pub(super) overview: Overview,
    pub(super) health: HealthView,
    pub(super) asked: Asked,
    pub(super) found: Option<Result<Simulated, String>>,
    /// The interval of automatic refresh in seconds; `None` if off.
    pub(super) refresh: Option<u32>,
}

pub(super) fn render(shown: &Shown) -> String {
    let Shown { overview, health: how, asked, found, refresh } = shown;
    let mut html = Html::default();
    html.raw("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">");
    html.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    html.raw("<meta name=\"color-scheme\" content=\"light dark\"><meta name=\"robots\" content=\"noindex\">");
    if let Some(seconds) = refresh {
        html.raw("<meta http-equiv=\"refresh\" content=\"").value(seconds).raw("\">");
    }
    html.raw("<title>Candor</title><style>").raw(STYLE).raw("</style></head><body>");
    html.raw("<a class=\"skip\" href=\"#main\">Skip to the content</a>");
    head(&mut html, overview, how, *refresh);
    html.raw("<main id=\"main\">");
    sections::show_health(&mut html, how);
    sections::show_commands(&mut html, overview);
    sections::show_simulator(&mut html, asked, found.as_ref());
    sections::show_metrics(&mut html, overview);
    sections::show_guard(&mut html, overview, how);
    sections::show_records(&mut html, overview);
    sections::show_modules(&mut html, overview);
    html.raw("</main></body></html>\n");
    html.finish()
}

fn head(html: &mut Html, overview: &Overview, how: &HealthView, refresh: Option<u32>) {
    html.raw("<header><h1>Candor ").text(env!("CARGO_PKG_VERSION")).raw(" ");
    let missing: Vec<_> = how.parts.iter().filter(|(_, is_ready, _)| !is_ready).map(|(part, ..)| *part).collect();
    let stands = if how.is_ready() { "ready".to_owned() } else { format!("not ready: {}", missing.join(", ")) };
    mark(html, &stands, how.is_ready());
    html.raw("</h1><p>As of ").text(&moment(overview.now)).raw(" UTC. ");
    match refresh {
        None => {
            html.raw("Loaded anew by itself: ");
            for (n, seconds) in REFRESHES.into_iter().enumerate() {
                html.raw(if n == 0 { "" } else { " or " });
                html.raw("<a href=\"/?refresh=").value(seconds).raw("\">every ").value(seconds).raw(" s</a>");
            }
            html.raw(".");
        }
        Some(seconds) => {
            html.raw("Loaded anew every ").value(seconds).raw(" s: <a href=\"/\">stop</a>.");
        }
    }
    html.raw("</p><dl>");
    for (name, value) in &overview.setup {
        html.raw("<div><dt>").raw(name).raw("</dt><dd>").text(value).raw("</dd></div>");
    }
    html.raw("</dl><nav aria-label=\"Sections\"><ul>");
    html.raw("<li><a href=\"#health\">Health</a></li><li><a href=\"#commands\">Commands</a></li>");
    html.raw("<li><a href=\"#simulator\">Simulator</a></li><li><a href=\"#metrics\">Metrics</a></li>");
    html.raw("<li><a href=\"#events\">Guard</a></li><li><a href=\"#receipts\">Receipts</a></li>");
    html.raw("<li><a href=\"#budgets\">Budgets</a></li><li><a href=\"#modules\">Modules</a></li>");
    html.raw("</ul></nav></header>");
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use proptest::prelude::*;

    use super::super::health::Counts;
    use super::super::simulate::At;
    use super::super::view::{Finding, Metrics, ModuleView, NotAtDiscord, TurnEvent, UnavailableCommand};
    use super::*;
    use candor_core::agent::{DayLimits, Spent, Subject, Usage};
    use candor_core::contract::outside::{RunSpec, RunStart, ServerAccess};
    use candor_core::contract::{Metric, Past, PastMetric, Point};
    use candor_core::inbound::{Place, UserId};
    use candor_core::record::{Digest, Facts, LedgerEntry, Origin, Outcome, ReceiptId};
    use candor_core::registry::CommandRow;

    fn module(text: &str, start: Option<RunStart>) -> ModuleView {
        let run = start.map(|start| RunSpec {
            start,
            start_within: Duration::from_secs(1),
            answer_within: Duration::from_secs(10),
            cpu_s: None,
            memory_mib: 256,
            file_mib: 16,
            folder_mib: 256,
            open_files: 64,
            processes: 64,
            output_kib: 64,
            at_once: 4,
        });
        let name = text.to_owned();
        let summary = text.to_owned();
        ModuleView { name, summary, kind: "exec", n_commands: 1, services: vec!["live"], run }
    }

    /// A page on which this text stands wherever somebody else may have written one.
    fn page_with(text: &str) -> String {
        let own = || text.to_owned();
        let now = SystemTime::UNIX_EPOCH + Duration::from_hours(10_000);
        let point = |minutes: u64, value: f64| {
            let at = now - Duration::from_mins(minutes);
            Point { at, mean: value, low: value - 1.0, high: value + 1.0 }
        };
        let past = Past {
            metrics: vec![PastMetric {
                key: own(),
                points: vec![point(40, 1.0), point(10, 2.0), point(9, 3.0)],
                last: 3.0,
            }],
            stale: vec![(now - Duration::from_mins(20), now)],
            gap: Duration::from_mins(5),
        };
        let shown = Metric { label: Some(own()), unit: Some(own()), ..Metric::default() };
        let facts = Facts {
            command: own(),
            arguments: own(),
            caller: UserId(7),
            place: Place::Console,
            started: now,
            took: Duration::from_millis(1),
            outcome: Outcome::Done,
            origin: Origin::Person,
            source: None,
            code: None,
            model: None,
        };
        let program = RunStart::Program {
            program: own(),
            arguments: vec![own()],
            env: vec![own()],
            reads: vec![own()],
            ports: vec![443],
            is_confined: true,
        };
        let finding = Finding { code: "name-invalid", is_error: true, message: own(), snippet: own() };
        let row = CommandRow { name: own(), owner: own(), description: own(), kind: "native", takes: own() };
        let limits = DayLimits { tokens: Some(10), turns: None };
        let overview = Overview {
            now,
            setup: vec![("settings", own())],
            commands: vec![row],
            unavailable: vec![UnavailableCommand { name: own(), module: own() }],
            not_at_discord: vec![NotAtDiscord { name: own(), module: own(), state: "rejected", reason: own() }],
            findings: vec![finding.clone()],
            not_reloaded: vec![finding],
            metrics: Ok(Metrics {
                from: now - Duration::from_hours(1),
                until: now,
                past,
                shown: [(own(), shown)].into(),
                trouble: Some(own()),
            }),
            receipts: Ok(vec![LedgerEntry {
                id: ReceiptId::from_number(1),
                facts,
                has_arguments: true,
                digest: Digest([0; 32]),
            }]),
            turns: Ok(vec![TurnEvent { at: now, model: own(), found: vec![own()] }]),
            budgets: Some(Ok(vec![Usage { subject: Subject::Bot, spent: Spent::default(), limits }])),
            modules: vec![
                module(text, Some(program)),
                module(
                    text,
                    Some(RunStart::Server {
                        url: own(),
                        access: ServerAccess::Bearer { file: own() },
                        insecure: false,
                    }),
                ),
                module(text, None),
            ],
            contained: Some(own()),
        };
        let health = HealthView {
            parts: vec![("store", false, 1)],
            facts: vec![("store", own())],
            counts: vec![Counts { title: "routes", counts: vec![(own(), 1)] }],
            guard: Vec::new(),
        };
        let simulated = Simulated { route: own(), why: own(), told: Some(own()), parts: vec![("words", own())] };
        let asked = Asked { text: own(), at: At::Direct, by_operator: true };
        render(&Shown { overview, health, asked, found: Some(Ok(simulated)), refresh: None })
    }

    /// The names of all tags and of their attributes, in their order, behind the style sheet.
    fn markup(page: &str) -> Vec<String> {
        let (_, body) = page.split_once("</style>").unwrap();
        let tags = body.split('<').skip(1).map(|tag| tag.split_once('>').unwrap().0);
        tags.map(|tag| tag.split('"').step_by(2).collect::<Vec<_>>().join("\"")).collect()
    }

    #[test]
    fn no_text_becomes_markup_wherever_it_stands() {
        let plain = page_with("word");
        assert!(40 <= plain.matches("word").count(), "{plain}");
        let hostile = [
            "<script>alert(1)</script>",
            "</style></textarea></pre></code></svg></details>",
            "\" onfocus=\"alert(1)\" autofocus x=\"",
            "' onfocus='alert(1)'",
            "<!-- & --> &lt;script&gt; &#60;img src=x onerror=alert(1)&#62;",
            "a\u{0}b\u{202e}c\u{2028}d\u{feff}",
            "<",
            ">",
        ];
        for text in hostile {
            let page = page_with(text);
            assert_eq!(markup(&page), markup(&plain), "{text}");
            assert!(!page.contains("<script") && !page.contains("<img") && !page.contains('\u{202e}'), "{text}");
        }
    }

    #[test]
    fn the_style_sheet_stands_in_the_page_as_it_is_hashed() {
        let page = page_with("word");
        let (_, behind) = page.split_once("<style>").unwrap();
        assert_eq!(behind.split_once("</style>").unwrap().0, STYLE);
        // Nothing is asked of anybody else.
        assert!(!STYLE.contains("url(") && !STYLE.contains("@import"), "{STYLE}");
    }

    proptest! {
        #[test]
        fn any_text_leaves_the_markup_alone(text in "[^`]*") {
            prop_assert_eq!(markup(&page_with(&text)), markup(&page_with("word")));
        }
    }
}
