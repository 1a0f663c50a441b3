//! The program, with the modules of this repository.

/// The C library's allocator locks where one thread frees what another has taken, as an asynchronous program does all
/// the time; with musl's, more still. See `benches/README.md`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    candor::cli::main(candor_modules::all)
}
