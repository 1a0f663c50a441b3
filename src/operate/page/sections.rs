//! The sections of the operator's page.

use std::time::{Duration, SystemTime};

use crate::page::figures::{amount, grouped, moment, name_of, span, time_of_day, unit_of};
use crate::page::health::{Counts, HealthView};
use crate::page::html::Html;
use crate::page::html::{Cell, mark, table};
use crate::page::simulate::{Asked, At, Simulated};
use crate::page::view::{Finding, Metrics, ModuleView, Overview};
use candor_core::agent::Usage;
use candor_core::contract::outside::{RunSpec, RunStart};
use candor_core::contract::{PastMetric, Point};
use candor_core::record::LedgerEntry;

pub(in crate::page) fn show_commands(html: &mut Html, overview: &Overview) {
    let Overview { commands, unavailable, not_at_discord, findings, not_reloaded, .. } = overview;
    html.raw("<section id=\"commands\"><h2>Commands</h2><p>").value(commands.len()).raw(" in force, ");
    html.value(unavailable.len()).raw(" unavailable because their module failed its check.</p>");
    if !not_reloaded.is_empty() {
        html.raw("<h3>The last reload failed</h3><p>Broken modules keep their old version.</p>");
        show_findings(html, not_reloaded);
    }
    if !findings.is_empty() {
        html.raw("<h3>What the check found</h3>");
        show_findings(html, findings);
    }
    if !not_at_discord.is_empty() {
        html.raw("<h3>Not at Discord as they should be</h3>");
        let rows = not_at_discord.iter().map(|command| {
            [
                Cell::code(&command.name),
                Cell::Mark(command.state.to_owned(), false),
                Cell::text(&command.reason),
                Cell::text(&command.module),
            ]
        });
        table(html, ["command", "state", "why", "module"], rows.collect(), "None.");
        html.raw("<h3>In force</h3>");
    }
    let in_force = commands.iter().map(|row| {
        [
            Cell::code(&row.name),
            Cell::code(&row.takes),
            Cell::text(&row.description),
            Cell::text(&row.owner),
            Cell::text(row.kind),
        ]
    });
    let rejected = unavailable.iter().map(|command| {
        [
            Cell::code(&command.name),
            Cell::code(""),
            Cell::Mark("unavailable".to_owned(), false),
            Cell::text(&command.module),
            Cell::text(""),
        ]
    });
    table(html, ["command", "takes", "what it does", "module", "kind"], rejected.chain(in_force).collect(), "None.");
    html.raw("</section>");
}

/// Shows each finding with its snippet, which is open for an error.
fn show_findings(html: &mut Html, findings: &[Finding]) {
    for Finding { code, is_error, message, snippet } in findings {
        html.raw(if *is_error { "<details open><summary>" } else { "<details><summary>" });
        let word = if *is_error { "<span class=\"mark bad\">error" } else { "<span class=\"mark fair\">warning" };
        html.raw(word).raw("</span> <code>").text(code).raw("</code> ");
        html.sentence(message).raw("</summary><pre tabindex=\"0\">").text(snippet).raw("</pre></details>");
    }
}

pub(in crate::page) fn show_health(html: &mut Html, how: &HealthView) {
    html.raw("<section id=\"health\"><h2>Health</h2>");
    let parts = how.parts.iter().map(|(part, is_ready, losses)| {
        let stands = if *is_ready { "ready" } else { "not ready" };
        [Cell::text(*part), Cell::Mark(stands.to_owned(), *is_ready), Cell::text(losses.to_string())]
    });
    table(html, ["part", "stands", "times lost"], parts.collect(), "None.");
    html.raw("<dl>");
    for (name, value) in &how.facts {
        html.raw("<div><dt>").raw(name).raw("</dt><dd>").text(value).raw("</dd></div>");
    }
    html.raw("</dl><h3>Since the start</h3>");
    show_counts(html, &how.counts);
    html.raw("</section>");
}

/// Shows tables with nonzero counts side by side, and names the others in one line.
fn show_counts(html: &mut Html, all: &[Counts]) {
    html.raw("<div class=\"cards\">");
    for Counts { title, counts } in all.iter().filter(|counts| !counts.counts.is_empty()) {
        let most = counts.iter().map(|(_, n)| *n).max().unwrap_or(1);
        #[expect(clippy::cast_precision_loss, reason = "the length of a bar")]
        let share = |n: u64| n as f64 / most as f64;
        let rows = counts.iter().map(|(name, n)| [Cell::text(name), Cell::Bar(share(*n), grouped(*n))]);
        html.raw("<div class=\"card\"><h4>").raw(title).raw("</h4>");
        table(html, ["what", "how often"], rows.collect(), "None.");
        html.raw("</div>");
    }
    html.raw("</div>");
    let none: Vec<_> = all.iter().filter(|counts| counts.counts.is_empty()).map(|counts| counts.title).collect();
    if !none.is_empty() {
        html.raw("<p class=\"none\">None yet: ").text(&none.join("; ")).raw(".</p>");
    }
}

/// Shows the findings of the chat guard, and refusals.
pub(in crate::page) fn show_guard(html: &mut Html, overview: &Overview, how: &HealthView) {
    html.raw("<section id=\"events\"><h2>Guard</h2><h3>Since the start</h3>");
    show_counts(html, &how.guard);
    html.raw("<h3>Chat turns in which something was found</h3>");
    match &overview.turns {
        Err(problem) => {
            html.raw("<p class=\"none\">").sentence(problem).raw("</p>");
        }
        Ok(turns) => {
            let rows = turns
                .iter()
                .map(|turn| [Cell::text(moment(turn.at)), Cell::text(&turn.model), Cell::text(turn.found.join("\n"))]);
            table(html, ["when (UTC)", "model", "what was found"], rows.collect(), "None among the newest turns.");
        }
    }
    html.raw("</section>");
}

/// The most charts: a file may have any number of metrics.
const CHARTS_MAX: usize = 24;

/// The size of a chart in its own coordinates.
const WIDTH: f64 = 300.0;
const HEIGHT: f64 = 60.0;

pub(in crate::page) fn show_metrics(html: &mut Html, overview: &Overview) {
    html.raw("<section id=\"metrics\"><h2>Metrics</h2>");
    match &overview.metrics {
        Err(problem) => {
            html.raw("<p class=\"none\">").sentence(problem).raw("</p>");
        }
        Ok(metrics) => show_figures(html, metrics),
    }
    html.raw("</section>");
}

fn show_figures(html: &mut Html, metrics: &Metrics) {
    let Metrics { from, until, past, trouble, .. } = metrics;
    html.raw("<p>The metrics file from ").text(&time_of_day(*from)).raw(" to ").text(&time_of_day(*until));
    html.raw(" UTC; a shade is where it was stale.</p>");
    if let Some(trouble) = trouble {
        html.raw("<p><span class=\"mark bad\">now</span> ").sentence(trouble).raw("</p>");
    }
    if past.metrics.is_empty() {
        html.raw("<p class=\"none\">No samples yet.</p>");
    }
    html.raw("<div class=\"cards\">");
    for metric in past.metrics.iter().take(CHARTS_MAX) {
        show_chart(html, metric, metrics);
    }
    html.raw("</div>");
    if let Some(left_out) = past.metrics.len().checked_sub(CHARTS_MAX).filter(|left_out| *left_out != 0) {
        html.raw("<p class=\"none\">").value(left_out).raw(" more are in the file.</p>");
    }
}

fn show_chart(html: &mut Html, metric: &PastMetric, metrics: &Metrics) {
    let said = metrics.shown.get(&metric.key);
    let label = said.and_then(|said| said.label.clone()).unwrap_or_else(|| name_of(&metric.key));
    let unit = said.and_then(|said| said.unit.as_deref()).unwrap_or_else(|| unit_of(&metric.key));
    let lowest = metric.points.iter().map(|point| point.low).fold(metric.last, f64::min);
    let highest = metric.points.iter().map(|point| point.high).fold(metric.last, f64::max);
    html.raw("<figure class=\"card\"><figcaption><span>").text(&label).raw("</span> <strong>");
    html.text(&amount(metric.last, unit)).raw("</strong></figcaption><svg class=\"chart\" viewBox=\"0 0 300 60\" ");
    html.raw("preserveAspectRatio=\"none\" role=\"img\" aria-label=\"").text(&label).raw(": lowest ");
    html.text(&amount(lowest, unit)).raw(", highest ").text(&amount(highest, unit)).raw("\">");
    // A percentage is shown on the full scale.
    let is_share = unit == "%" && 0.0 <= lowest && highest <= 100.0;
    let (low, high) = if is_share { (0.0, 100.0) } else { (lowest, highest) };
    let scale = Scale { from: metrics.from, until: metrics.until, low, high };
    for (begin, end) in &metrics.past.stale {
        let left = scale.x(*begin);
        let right = scale.x(*end);
        html.raw("<rect class=\"stale\" y=\"0\" height=\"60\" x=\"").value(format_args!("{left:.1}"));
        html.raw("\" width=\"").value(format_args!("{:.1}", (right - left).max(1.0))).raw("\"/>");
    }
    for run in runs(&metric.points, metrics.past.gap) {
        show_stretch(html, run, &scale);
    }
    html.raw("</svg><p class=\"range\">").text(&amount(lowest, unit)).raw(" to ").text(&amount(highest, unit));
    html.raw("</p></figure>");
}

/// Draws connected points: the band from lowest to highest, and the mean as a line.
fn show_stretch(html: &mut Html, run: &[Point], scale: &Scale) {
    let edge = |at: SystemTime, value: f64| format!("{:.1},{:.1}", scale.x(at), scale.y(value));
    let joined = |points: Vec<String>| points.join(" ");
    let band = run.iter().map(|point| edge(point.at, point.high));
    let band = band.chain(run.iter().rev().map(|point| edge(point.at, point.low)));
    html.raw("<polygon class=\"band\" points=\"").text(&joined(band.collect())).raw("\"/>");
    let mut line: Vec<_> = run.iter().map(|point| edge(point.at, point.mean)).collect();
    // A line of one point is a dot.
    line.extend(line.first().filter(|_| run.len() == 1).cloned());
    html.raw("<polyline class=\"line\" points=\"").text(&joined(line)).raw("\"/>");
}

/// Splits the points at gaps without data.
fn runs(points: &[Point], gap: Duration) -> impl Iterator<Item = &[Point]> {
    points.chunk_by(move |before, after| after.at.duration_since(before.at).unwrap_or_default() <= gap)
}

struct Scale {
    from: SystemTime,
    until: SystemTime,
    low: f64,
    high: f64,
}

impl Scale {
    fn x(&self, at: SystemTime) -> f64 {
        let all = self.until.duration_since(self.from).unwrap_or_default().as_secs_f64().max(1.0);
        let passed = at.duration_since(self.from).unwrap_or_default().as_secs_f64();
        (passed / all).min(1.0) * WIDTH
    }

    /// Returns the y coordinate, with a margin for the line width. A constant value is a line in the middle.
    fn y(&self, value: f64) -> f64 {
        // Halved, because the full range may overflow.
        let range = self.high / 2.0 - self.low / 2.0;
        let share = if range <= 0.0 { 0.5 } else { ((value / 2.0 - self.low / 2.0) / range).clamp(0.0, 1.0) };
        2.0 + (1.0 - share) * (HEIGHT - 4.0)
    }
}

pub(in crate::page) fn show_modules(html: &mut Html, overview: &Overview) {
    html.raw("<section id=\"modules\"><h2>Modules</h2>");
    if let Some(contained) = &overview.contained {
        html.raw("<p>This machine confines programs of modules by ").text(contained).raw(".</p>");
    }
    html.raw("<div class=\"cards\">");
    for module in &overview.modules {
        show_module(html, module);
    }
    html.raw("</div></section>");
}

fn show_module(html: &mut Html, module: &ModuleView) {
    html.raw("<div class=\"card\"><h3>").text(&module.name).raw(" <small>").text(module.kind).raw("</small></h3><p>");
    html.text(&module.summary).raw("</p><dl>");
    pair(html, "commands", &module.n_commands.to_string());
    pair(html, "services", &listed(&module.services));
    match &module.run {
        None if module.kind == "native" => {
            pair(html, "runs", "in the bot's own process, without a sandbox of its own");
        }
        None => pair(html, "runs", "nothing: its answers stand in its manifest"),
        Some(run) => show_program(html, run),
    }
    html.raw("</dl></div>");
}

fn show_program(html: &mut Html, run: &RunSpec) {
    match &run.start {
        RunStart::Program { program, arguments, env, reads, ports, is_confined } => {
            pair(html, "runs", &[std::slice::from_ref(program), arguments].concat().join(" "));
            html.raw("<div><dt>sandbox</dt><dd>");
            mark(html, if *is_confined { "on" } else { "off" }, *is_confined).raw("</dd></div>");
            pair(html, "reads beside its own", &listed(reads));
            pair(html, "TCP ports", &listed(ports));
            pair(html, "sees variables", &listed(env));
            let processor_time = run.cpu_s.map_or_else(|| "no limit".to_owned(), |seconds| format!("{seconds} s"));
            pair(html, "processor time", &processor_time);
            pair(html, "memory", &format!("{} MiB", run.memory_mib));
            pair(html, "largest file", &format!("{} MiB", run.file_mib));
            pair(html, "working folder", &format!("{} MiB", run.folder_mib));
            pair(html, "open files", &run.open_files.to_string());
            pair(html, "processes", &run.processes.to_string());
        }
        RunStart::Server { url, insecure, .. } => {
            // The part after the host may contain a key.
            let host = url.split('/').take(3).collect::<Vec<_>>().join("/");
            pair(html, "runs", &format!("elsewhere, at {host}"));
            pair(html, "encryption", if *insecure { "may be missing" } else { "needed, but for this machine" });
        }
    }
    pair(html, "answers within", &span(run.answer_within));
    pair(html, "longest answer", &format!("{} KiB", run.output_kib));
    pair(html, "at once", &run.at_once.to_string());
}

fn pair(html: &mut Html, name: &'static str, value: &str) {
    html.raw("<div><dt>").raw(name).raw("</dt><dd>").text(value).raw("</dd></div>");
}

fn listed(names: &[impl ToString]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

pub(in crate::page) fn show_records(html: &mut Html, overview: &Overview) {
    html.raw("<section id=\"receipts\"><h2>Receipts</h2>");
    match &overview.receipts {
        Err(problem) => {
            html.raw("<p class=\"none\">").sentence(problem).raw("</p>");
        }
        Ok(receipts) => {
            html.raw("<p>The newest, without arguments: <code>candor receipts show ID</code> prints them.</p>");
            let headings = ["receipt", "when (UTC)", "command", "by", "asked by", "took", "ended"];
            table(html, headings, receipts.iter().map(receipt).collect(), "None yet.");
        }
    }
    html.raw("</section><section id=\"budgets\"><h2>Budgets</h2>");
    match &overview.budgets {
        None => {
            html.raw("<p class=\"none\">Chat is off: there is no <code>[model]</code> in the settings.</p>");
        }
        Some(Err(problem)) => {
            html.raw("<p class=\"none\">").sentence(problem).raw("</p>");
        }
        Some(Ok(budgets)) => {
            html.raw("<p>What chat used today (UTC): the bot as a whole, and whoever used most.</p>");
            table(html, ["whose", "tokens", "turns"], budgets.iter().map(budget).collect(), "None yet.");
        }
    }
    html.raw("</section>");
}

fn receipt(LedgerEntry { id, facts, .. }: &LedgerEntry) -> [Cell; 7] {
    [
        Cell::code(id.to_string()),
        Cell::text(moment(facts.started)),
        Cell::code(&facts.command),
        Cell::text(facts.origin.name()),
        Cell::text(facts.caller.to_string()),
        Cell::text(span(facts.took)),
        Cell::Mark(facts.outcome.name().to_owned(), facts.outcome.is_reply()),
    ]
}

fn budget(Usage { subject, spent, limits }: &Usage) -> [Cell; 3] {
    let cell = |used: u64, most: Option<u64>| match most {
        None => Cell::text(format!("{}, no limit", grouped(used))),
        #[expect(clippy::cast_precision_loss, reason = "the length of a bar")]
        Some(most) => Cell::Bar(used as f64 / most.max(1) as f64, format!("{} of {}", grouped(used), grouped(most))),
    };
    [
        Cell::text(subject.key().replace(':', " ")),
        cell(spent.tokens.total(), limits.tokens),
        cell(spent.turns, limits.turns),
    ]
}

pub(in crate::page) fn show_simulator(html: &mut Html, asked: &Asked, found: Option<&Result<Simulated, String>>) {
    html.raw("<section id=\"simulator\"><h2>Router simulator</h2>");
    html.raw("<p>What would the bot take this for? The router is asked as for each message, and nothing runs.</p>");
    html.raw("<form method=\"post\" action=\"/#simulator\"><label for=\"text\">Text, or an interaction as Discord ");
    html.raw(
        "sends it</label><textarea id=\"text\" name=\"text\" rows=\"3\" maxlength=\"100000\" spellcheck=\"false\" ",
    );
    // HTML ignores a line end right after the tag; this one keeps a line end of the text itself.
    html.raw("autocomplete=\"off\">\n").text(&asked.text.replace("\r\n", "\n")).raw("</textarea>");
    html.raw("<div class=\"row\"><div><label for=\"at\">Where</label><select id=\"at\" name=\"at\">");
    for (at, name, words) in At::ALL {
        html.raw("<option value=\"").raw(name).raw(if at == asked.at { "\" selected>" } else { "\">" });
        html.raw(words).raw("</option>");
    }
    html.raw("</select></div><label class=\"check\"><input type=\"checkbox\" name=\"operator\"");
    html.raw(if asked.by_operator { " checked" } else { "" });
    html.raw("> by an operator</label><button>Ask the router</button></div></form>");
    match found {
        None => {}
        Some(Err(problem)) => {
            html.raw("<div class=\"found\" role=\"status\"><p>").sentence(problem).raw("</p></div>");
        }
        Some(Ok(found)) => show_found(html, found),
    }
    html.raw("</section>");
}

fn show_found(html: &mut Html, Simulated { route, why, told, parts }: &Simulated) {
    html.raw("<div class=\"found\" role=\"status\"><p>Route: <strong><code>")
        .text(route)
        .raw("</code></strong></p><p>");
    html.sentence(why).raw("</p>");
    if let Some(told) = told {
        html.raw("<p>The person is told:</p><blockquote>").sentence(told).raw("</blockquote>");
    }
    html.raw("<dl>");
    for (name, value) in parts {
        html.raw("<div><dt>").raw(name).raw("</dt><dd><code>").text(value).raw("</code></dd></div>");
    }
    html.raw("</dl></div>");
}
