//! The live metrics: a watched JSON file and the operator's presentation of it.

use std::io;
use std::path::Path;

use serde_json::{Map, Value};

use crate::watch::{WatchOptions, WatchedFile, json_object};
use candor_core::contract::{Live, Observation, Presentation};

pub struct LiveMetrics {
    file: WatchedFile<Map<String, Value>>,
    presentation: Presentation,
}

impl LiveMetrics {
    /// Starts to watch the metrics file. See [`WatchedFile::start`].
    pub fn start(path: &Path, presentation: Presentation, options: WatchOptions) -> io::Result<Self> {
        Ok(Self { file: WatchedFile::start(path, json_object, options)?, presentation })
    }

    pub fn file(&self) -> &WatchedFile<Map<String, Value>> {
        &self.file
    }
}

impl Live for LiveMetrics {
    fn observe(&self) -> Observation<Map<String, Value>> {
        self.file.observe()
    }

    fn presentation(&self) -> &Presentation {
        &self.presentation
    }
}
