//! The program: runs the command line and ends with its exit code.

fn main() -> std::process::ExitCode {
    candor::cli::main(std::env::args_os()).into()
}
