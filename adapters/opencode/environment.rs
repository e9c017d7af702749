//! What OpenCode gets of the host's environment, beside what every agent gets.

use std::collections::BTreeMap;

use crate::adapters::Context;
use crate::adapters::environment::{Stripped, Table, disturbs, widens};
use crate::env::Os;
use crate::error::Error;
use crate::plan::{Arg, EnvChange};
use crate::request::{EnvValue, Mode, Request};

/// Variables that hold a sign-in, by the providers of OpenCode's own list that people have most. A sign-in of
/// `opencode auth login` lies in a file of the person's.
pub(super) const SIGN_IN: &[&str] = &[
    "OPENCODE_API_KEY",
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_GENERATIVE_AI_API_KEY",
    "OPENROUTER_API_KEY",
    "GITHUB_TOKEN",
    "GROQ_API_KEY",
    "MISTRAL_API_KEY",
    "XAI_API_KEY",
    "DEEPSEEK_API_KEY",
];

pub(super) static TABLE: Table = Table { safe: SAFE, stripped: STRIPPED, set: SET, secret: SIGN_IN };

const SAFE: &[&str] = &[
    // Sign-in.
    "OPENCODE_API_KEY",
    "ANTHROPIC_API_KEY",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_GENERATIVE_AI_API_KEY",
    "OPENROUTER_API_KEY",
    "GITHUB_TOKEN",
    "GROQ_API_KEY",
    "MISTRAL_API_KEY",
    "XAI_API_KEY",
    "DEEPSEEK_API_KEY",
    // Clouds: which account and which region.
    "AWS_*",
    "AZURE_*",
    "CLOUDFLARE_ACCOUNT_ID",
    "CLOUDFLARE_API_TOKEN",
    "CLOUDFLARE_GATEWAY_ID",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_CLOUD_LOCATION",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_VERTEX_LOCATION",
    "VERTEX_LOCATION",
    // OpenCode: which models there are.
    "OPENCODE_DISABLE_MODELS_FETCH",
    "OPENCODE_MODELS_PATH",
    "OPENCODE_MODELS_URL",
];

/// All other `OPENCODE_` variables stay out as well, those of later versions too: [`environment`] sees to it.
const STRIPPED: &[Stripped] = &[
    widens("OPENCODE_PERMISSION", "is merged after every other setting and gives tools back (measured)"),
    widens("OPENCODE_CONFIG*", "holds or names settings, which the launcher gives (measured)"),
    widens("OPENCODE_AUTH_CONTENT", "replaces the person's sign-ins (by name, in the program)"),
    widens("OPENCODE_TUI_CONFIG", "names settings that load plugins (by name, in the program)"),
    widens("OPENCODE_PLUGIN_*", "concerns plugins (by name, in the program)"),
    widens("OPENCODE_ENABLE_*", "switches tools on (by name, in the program)"),
    widens("OPENCODE_EXPERIMENTAL*", "switches tools and features on (by name, in the program)"),
    widens("OPENCODE_AUTO_SHARE", "makes sessions public (by name, in the program)"),
    widens("OPENCODE_DB", "keeps sessions elsewhere (by name, in the program)"),
    widens("OPENCODE_TEST_*", "moves the person's home and the organisation's settings (by name, in the program)"),
    widens("OPENCODE_FAKE_VCS", "misleads about the folder (by name, in the program)"),
    widens("OPENCODE_CLIENT", "switches tools on by the client's name (by name, in the program)"),
    widens("OPENCODE_PURE", "the mode decides on plugins (by the program's help)"),
    widens("OPENCODE_DISABLE_PROJECT_CONFIG", "the launcher decides on it (measured)"),
    widens("OPENCODE_SERVER_*", "opens or names a server (by the program's help)"),
    widens("OPENCODE_GIT_BASH_PATH", "replaces the shell (by name, in the program)"),
    widens("OPENCODE_CONSOLE_TOKEN", "signs in to an organisation, whose settings count (by name, in the program)"),
    widens("BUN_*", "concerns the runtime that the program is made with (documented by Bun)"),
    disturbs("OPENCODE", "says that the app runs in OpenCode (measured)"),
    disturbs("OPENCODE_DISABLE_*", "switches parts off that a run may need (by name, in the program)"),
    disturbs("OPENCODE_ALWAYS_*", "concerns updates (by name, in the program)"),
    disturbs("OPENCODE_AUTO_HEAP_SNAPSHOT", "writes files (by name, in the program)"),
    disturbs("OPENCODE_LOG_LEVEL", "the launcher reads the log (measured)"),
    disturbs("OPENCODE_PRINT_LOGS", "the launcher reads the log (measured)"),
    disturbs("OPENCODE_PID", "says that the app runs in OpenCode (measured)"),
    disturbs("OPENCODE_WORKSPACE_ID", "names a workspace of OpenCode's (by name, in the program)"),
    // It takes this for the folder to work in, before the real one (measured).
    disturbs("PWD", "is the app's own folder, which OpenCode would work in (measured)"),
    disturbs("OLDPWD", "is a folder of the app's"),
];

/// The variable that OpenCode takes settings from.
const CONFIG: &str = "OPENCODE_CONFIG_CONTENT";

const SET: &[(&str, &str)] = &[
    // Else every run unpacks a library of 5.6 MB into the folder for temporary files, and leaves it there.
    ("OPENCODE_DISABLE_FFF", "1"),
    ("OPENCODE_DISABLE_PROJECT_CONFIG", "1"),
    ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
];

/// The changes against the host's environment, with the run's settings.
pub(super) fn environment(
    request: &Request,
    context: &Context<'_>,
    settings: Vec<Arg>,
) -> Result<BTreeMap<String, EnvChange>, Error> {
    let windows = context.host.os == Os::Windows;
    let changes = TABLE.changes(request, context)?;
    let stays_out = |name: &str| {
        let own = name.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("OPENCODE"));
        own && !TABLE.passes(name, Mode::Safe, windows)
    };
    if let Some(name) = request.env.keys().find(|name| stays_out(name)) {
        let reason = "it is not known to leave the mode as it is".to_owned();
        return Err(Error::Forbidden { argument: name.clone(), reason });
    }
    let mut env = changes.asked(request);
    let inherited = context.host.vars.keys().filter_map(|name| name.to_str());
    for name in inherited.filter(|name| stays_out(name)).chain(["PWD", "OLDPWD"]) {
        env.insert(name.to_owned(), EnvChange::Remove);
    }
    // Last, so that no request takes them away.
    let plain = |value: &str| EnvChange::Set(EnvValue::Plain(value.to_owned()));
    env.extend(SET.iter().map(|(name, value)| ((*name).to_owned(), plain(value))));
    if request.mode == Mode::Safe {
        env.insert("OPENCODE_PURE".into(), plain("1"));
    }
    env.insert(CONFIG.into(), EnvChange::Joined(settings));
    Ok(env)
}
