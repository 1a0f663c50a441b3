//! The program, with the modules of this repository.

/// The C library's allocator takes a lock when one thread frees another's memory, which asynchronous code does all the
/// time. With musl this costs even more. See `benches/README.md`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    candor::cli::main(candor_modules::all)
}
