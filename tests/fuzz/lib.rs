//! The bodies of the fuzz targets in `targets/`.

pub mod bodies;
