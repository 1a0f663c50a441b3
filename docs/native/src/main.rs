//! Candor with one more module. The command line is unchanged: `check`, `console`, `run` and all the others.

mod greet;

fn main() -> std::process::ExitCode {
    candor::cli::main(|| {
        let mut modules = candor_modules::all();
        modules.push(greet::module());
        modules
    })
}
