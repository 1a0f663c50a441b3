//! The modules in force: their services, and how their programs are confined.

use crate::page::figures::span;
use crate::page::html::Html;
use crate::page::table::mark;
use crate::page::view::{ModuleView, Overview};
use candor_core::contract::outside::{RunSpec, RunStart};

pub(in crate::page) fn show(html: &mut Html, overview: &Overview) {
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
        Some(run) => show_run(html, run),
    }
    html.raw("</dl></div>");
}

fn show_run(html: &mut Html, run: &RunSpec) {
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
