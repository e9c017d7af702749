//! What the agent's MCP servers and shells get of the app's environment, by name.

use crate::discover::ChildEnvironment;
use crate::env::{HostEnv, Os};
use crate::request::Mode;

use super::environment::{SECRET, is_secret, passes};

/// As `--secret-env-vars` and the tables of [`super::environment`] make it.
pub(super) fn environment(mode: Mode, host: &HostEnv) -> ChildEnvironment {
    let windows = host.os == Os::Windows;
    let (mut gets, mut withheld) = (Vec::new(), Vec::new());
    for name in host.vars.keys() {
        let text = name.to_string_lossy().into_owned();
        // A name that is no text is in no table, and goes the way of a name that nobody knows.
        let kept_off = match name.to_str() {
            Some(name) => SECRET.contains(&name) || is_secret(name) || !passes(name, mode, windows),
            None => mode == Mode::Safe,
        };
        if kept_off { &mut withheld } else { &mut gets }.push(text);
    }
    ChildEnvironment { mode, gets, withheld }
}
