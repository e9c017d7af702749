//! Splits bytes into bounded lines. Does no I/O.
