//! Programs that try to forge a permit, a receipt or text for the model: none of them compiles.
//!
//! The compiler takes the core as it was built for this test, so nothing else is compiled for them.
#![expect(clippy::unwrap_used, reason = "a test without its fixture should stop there")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Returns the errors of the compiler in a program of `tests/proofs`.
fn errors(program: &Path, format: &str) -> String {
    let test = env::current_exe().unwrap();
    let deps = test.parent().unwrap();
    let profile = deps.parent().unwrap();
    // With `--target`, macros are built beside the target's own folder.
    let of_host = profile.ancestors().nth(2).unwrap().join(profile.file_name().unwrap()).join("deps");
    let output = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args(["--edition", "2024", "--crate-type", "lib", "--emit", "metadata", "-o", "-", "--error-format", format])
        .arg("--extern")
        .arg(format!("candor_core={}", newest_core(deps).display()))
        .args(["-L".into(), dependencies(deps), "-L".into(), dependencies(&of_host)])
        .arg(program)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success(), "it compiles: {}", program.display());
    assert!(!said.contains("can't find crate"), "the core is not found: {said}");
    said
}

fn dependencies(folder: &Path) -> String {
    format!("dependency={}", folder.display())
}

fn newest_core(deps: &Path) -> PathBuf {
    let built = fs::read_dir(deps).unwrap().map(|entry| entry.unwrap().path());
    let is_core = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with("libcandor_core-") && name.ends_with(".rlib")
    };
    built.filter(is_core).max_by_key(|path| path.metadata().unwrap().modified().unwrap()).unwrap()
}

fn programs(folder: &str) -> Vec<PathBuf> {
    let mut programs: Vec<_> =
        Path::new("tests/proofs").join(folder).read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    programs.sort();
    programs
}

#[test]
fn what_must_not_be_made_outside_its_file_does_not_compile() {
    let each = programs("compile_fail").into_iter().map(|program| {
        let said = errors(&program, "short");
        let errors: Vec<_> = said.lines().filter(|line| line.contains(": error")).collect();
        assert!(!errors.is_empty(), "{said}");
        format!("{}\n", errors.join("\n"))
    });
    insta::assert_snapshot!(each.collect::<String>());
}

/// The compiler's own words help the author of a module.
#[test]
fn who_forgets_async_is_told_how_a_handler_looks() {
    let [program] = programs("explained").try_into().unwrap();
    let said = errors(&program, "human");
    // What follows shows lines of the core.
    insta::assert_snapshot!(said.split("note: required by").next().unwrap().trim_end());
}
