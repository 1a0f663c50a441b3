//! Measures what a WebAssembly component costs as a module: its start, a call, and memory.
//!
//! `webassembly-study compile FROM TO` compiles a component, `webassembly-study measure COMPILED` runs it.

#[cfg(not(feature = "wasmtime"))]
fn main() {
    println!("nothing to measure: this build is the size without wasmtime");
}

#[cfg(feature = "wasmtime")]
fn main() -> wasmtime::Result<()> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        #[cfg(feature = "compile")]
        ["compile", from, to] => study::compile(from, to),
        ["measure", compiled] => study::measure(compiled),
        _ => {
            eprintln!("webassembly-study compile FROM TO | measure COMPILED");
            std::process::exit(78)
        }
    }
}

#[cfg(feature = "wasmtime")]
mod study {
    use std::time::{Duration, Instant};

    use wasmtime::component::{Component, Linker};
    use wasmtime::{
        Config, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, Result, Store, StoreLimits,
        StoreLimitsBuilder,
    };

    /// How many calls are measured.
    const CALLS: usize = 20_000;

    /// The most memory of one call, as of a program: 16 MiB here.
    const MEMORY_MAX: usize = 16 << 20;

    /// A call that takes longer ends.
    const DEADLINE: Duration = Duration::from_millis(50);

    /// What a module is called with.
    const CALL: &str = r#"{"candor":1,"command":"/greet","options":{"whom":"Ann"},"caller":{"id":"7","name":"Bo"}}"#;

    fn engine(pooled: bool) -> Result<Engine> {
        let mut config = Config::new();
        config.epoch_interruption(true);
        if pooled {
            let mut pool = PoolingAllocationConfig::new();
            pool.total_component_instances(32).total_core_instances(32).total_memories(32).total_tables(32);
            pool.max_memory_size(MEMORY_MAX);
            config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
        }
        Engine::new(&config)
    }

    #[cfg(feature = "compile")]
    pub(super) fn compile(from: &str, to: &str) -> Result<()> {
        let text = std::fs::read(from)?;
        let engine = engine(false)?;
        let began = Instant::now();
        let component = Component::new(&engine, text)?;
        println!("compiled in {:?}", began.elapsed());
        std::fs::write(to, component.serialize()?)?;
        Ok(())
    }

    pub(super) fn measure(compiled: &str) -> Result<()> {
        println!("resident before {} KiB", resident());
        for pooled in [false, true] {
            let began = Instant::now();
            let engine = engine(pooled)?;
            let started = began.elapsed();
            let began = Instant::now();
            // SAFETY: the file is what `compile` wrote. Candor would compile what an operator installs itself.
            #[expect(unsafe_code, reason = "a file that was compiled before is trusted as a program is")]
            let component = unsafe { Component::deserialize_file(&engine, compiled)? };
            let loaded = began.elapsed();
            let linker: Linker<StoreLimits> = Linker::new(&engine);
            let ready = linker.instantiate_pre(&component)?;

            // A new instance for each call: nothing of one call is left to the next.
            let mut took: Vec<_> = (0..CALLS)
                .map(|_| {
                    let began = Instant::now();
                    let answer = call(&engine, &ready, CALL)?;
                    assert_eq!(answer, CALL);
                    Ok(began.elapsed())
                })
                .collect::<Result<_>>()?;
            took.sort_unstable();
            let (p50, p99) = (took[CALLS / 2], took[CALLS * 99 / 100]);
            println!("pooled {pooled}: engine {started:?}, module loaded {loaded:?}, a call p50 {p50:?} p99 {p99:?}");

            let ticking = engine.clone();
            std::thread::spawn(move || {
                std::thread::sleep(DEADLINE);
                ticking.increment_epoch();
            });
            let began = Instant::now();
            let endless = call(&engine, &ready, "");
            println!("a call that never ends: ended after {:?}, {}", began.elapsed(), endless.is_err());
            println!("resident {} KiB", resident());
        }
        Ok(())
    }

    fn call(engine: &Engine, ready: &wasmtime::component::InstancePre<StoreLimits>, asked: &str) -> Result<String> {
        let mut store = Store::new(engine, StoreLimitsBuilder::new().memory_size(MEMORY_MAX).build());
        store.limiter(|limits| limits);
        store.set_epoch_deadline(1);
        let instance = ready.instantiate(&mut store)?;
        let run = instance.get_typed_func::<(&str,), (String,)>(&mut store, "run")?;
        Ok(run.call(&mut store, (asked,))?.0)
    }

    /// What is resident of this process, in KiB.
    fn resident() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default()
    }
}
