//! Texts that only Codex CLI needs.

use crate::guidance::{
    Text,
    Todo::{Choose, Open, Retry, Run, Set},
};

pub(super) static TEXTS: &[Text] = &[
    Text {
        key: "codex_subscription",
        title: "{agent} needs a plan",
        message: "The sign-in worked, but the plan of this account does not include {agent}.",
        steps: &[
            Open("https://chatgpt.com/explore/plus"),
            Choose("Choose a plan there. If you have another account with a plan, sign in with that one."),
            Run("{login}"),
        ],
    },
    Text {
        key: "codex_not_signed_in",
        title: "Sign in to {agent}",
        message: "{agent} is not signed in yet, so the service did not answer. Signing in happens once, in {agent} itself; \
                  {app} never sees the password. A key in `OPENAI_API_KEY` is not used: {agent} reads `CODEX_API_KEY`.",
        steps: &[
            Choose("Open a terminal: the program named Terminal (macOS, Linux) or PowerShell (Windows)."),
            Run("{login}"),
            Choose("Follow the instructions that appear, then come back to {app} and ask again."),
        ],
    },
    Text {
        key: "codex_key_missing",
        title: "The key of the model's provider is missing",
        message: "{agent} is set up to use a provider whose key is in the environment variable {variable|named in its \
                  settings}, and {app} was started without it.",
        steps: &[
            Set("{variable}"),
            Choose("Set the variable where programs get their environment from, start {app} again, and ask again."),
        ],
    },
    Text {
        key: "codex_quota",
        title: "The allowance of {agent} is used up",
        message: "The plan or the account behind {agent} has no allowance left.[ It comes back on {until}.] Asking again \
                  does not help until it is renewed or raised.",
        steps: &[
            Open("https://chatgpt.com/codex/settings/usage"),
            Choose("With a key of the API, see the plan and the billing details of its account instead."),
            Retry,
        ],
    },
    Text {
        key: "codex_sandbox",
        title: "This computer keeps {agent} from its sandbox",
        message: "{agent} runs commands and writes files inside a sandbox, and the system did not let it make one, so that \
                  nothing was run or written.[ It said: {detail}.] On Linux the sandbox needs user namespaces, which some \
                  systems and containers switch off.",
        steps: &[
            Choose("Ask who manages this computer to allow user namespaces for programs of users."),
            Run("codex doctor"),
            Open("https://developers.openai.com/codex/agent-approvals-security"),
        ],
    },
    Text {
        key: "codex_settings",
        title: "The settings of {agent} cannot be read",
        message: "There is a mistake in a settings file of {agent}[: {detail}]. It does not start before that is corrected.",
        steps: &[
            Choose("Open `config.toml` in the folder `.codex` of your home folder and correct or remove the setting."),
            Retry,
        ],
    },
    Text {
        key: "codex_no_repository",
        title: "{agent} does not work in this folder",
        message: "{agent} works only in Git repositories and trusted folders, unless it is told otherwise.",
        steps: &[Choose("Look for an update of {app}: it tells {agent} so."), Run("{update}")],
    },
];
