//! A scripted stand-in for an agent.
fn main() {}
