//! The program: runs the command line and ends with its exit code.

/// The C library's allocator locks where one thread frees what another has taken, as an asynchronous program does all
/// the time; with musl's, more still. See `benches/README.md`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    match candor::edges::programs::starter::become_program(std::env::args_os()) {
        Some(failed) => failed.into(),
        None => candor::cli::main(std::env::args_os()).into(),
    }
}
