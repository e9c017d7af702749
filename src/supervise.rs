//! Drives one run from its start to its one `Done`.
