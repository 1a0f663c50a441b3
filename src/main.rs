//! Arguments in, exit code out.

fn main() -> std::process::ExitCode {
    candor::cli::main(std::env::args_os()).into()
}
