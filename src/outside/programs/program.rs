//! Runs a program once: input in, output out, within its limits.

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use crate::programs::error::ProgramError;
use crate::programs::quota;
use crate::programs::running::Running;
use crate::programs::spec::{ProgramSpec, Programs};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed(pub Vec<u8>);

impl Programs {
    /// Runs a program with this on its standard input, until its end or its deadline. Dropping the future kills it.
    pub async fn run(&self, spec: &ProgramSpec, input: &[u8], deadline: Duration) -> Result<Printed, ProgramError> {
        let mut running = self.start(spec).await?;
        let outgrown = running.outgrown();
        let answered = timeout(deadline, answered(&mut running, input, spec.limits.output_kib));
        let ended = tokio::select! {
            ended = answered => ended,
            full = outgrown => Ok(Err(full)),
        };
        match ended {
            Ok(Ok(printed)) => {
                quota::check(spec.work.clone(), spec.limits.folder_mib).await?;
                Ok(Printed(printed))
            }
            Ok(Err(problem)) => {
                running.kill().await;
                Err(problem)
            }
            Err(_) => {
                running.kill().await;
                Err(ProgramError::TimedOut { stderr: running.stderr() })
            }
        }
    }
}

async fn answered(running: &mut Running, input: &[u8], limit_kib: u64) -> Result<Vec<u8>, ProgramError> {
    let stdin = running.stdin();
    let stdout = running.stdout();
    let writes = async {
        if let Some(mut stdin) = stdin {
            // A program that does not read its input may still answer.
            let _unread = stdin.write_all(input).await;
        }
        std::future::pending::<()>().await;
    };
    let ends = async {
        // The output ends only with the program: no process that holds it open outlives the program.
        let printed = read(stdout, limit_kib).await?;
        running.ended().await.map(|()| printed)
    };
    tokio::select! {
        () = writes => Ok(Vec::new()),
        ended = ends => ended,
    }
}

/// Reads everything up to the end, if it is not too long.
async fn read(pipe: Option<impl AsyncRead + Unpin>, limit_kib: u64) -> Result<Vec<u8>, ProgramError> {
    let Some(pipe) = pipe else { return Ok(Vec::new()) };
    let most = limit_kib.saturating_mul(1024);
    let mut printed = Vec::new();
    // A broken pipe counts as the end.
    let _read = pipe.take(most.saturating_add(1)).read_to_end(&mut printed).await;
    match u64::try_from(printed.len()).is_ok_and(|length| length <= most) {
        true => Ok(printed),
        false => Err(ProgramError::TooLong { limit_kib }),
    }
}
