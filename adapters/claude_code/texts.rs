//! Texts about the account of Claude Code.

use crate::guidance::{
    Text,
    Todo::{Choose, Open, Retry, Run, Set},
};

pub(super) static TEXTS: &[Text] = &[
    Text {
        key: "claude_not_signed_in",
        title: "Sign in to {agent}",
        message: "{agent} is not signed in yet, so it cannot answer. Signing in happens once, in {agent} itself; {app} never \
                  sees the password.[ A key was found in the variable {variables}, but {agent} did not accept it as a \
                  sign-in.] A sign-in that is set up in the settings of a folder (such as an apiKeyHelper in \
                  .claude/settings.json) does not count here, since such settings can start programs.",
        steps: &[
            Choose("Open a terminal: the program named Terminal (macOS, Linux) or PowerShell (Windows)."),
            Run("{login}"),
            Choose("Follow the instructions that appear, then come back to {app} and ask again."),
            Choose(
                "If your organization gave you a key or an apiKeyHelper, put it into your own settings of {agent} (the \
                 file .claude/settings.json in your home folder), or the key into the next variable.",
            ),
            Set("ANTHROPIC_API_KEY"),
        ],
    },
    Text {
        key: "claude_policy",
        title: "Your organization does not allow this sign-in",
        message: "Your organization has switched off the way in which {agent} is signed in.[ The sign-in came from the \
                  environment variable {variable}.]",
        steps: &[
            Choose("Sign in the way that your organization allows, or ask its administrator."),
            Run("{login}"),
            Set("{variable}"),
        ],
    },
    Text {
        key: "claude_credit",
        title: "The credit of the account is used up",
        message: "The account whose key {agent} uses has too little credit left.[ The key came from the environment variable \
                  {variable}.]",
        steps: &[
            Open("https://platform.claude.com/settings/billing"),
            Choose("Add credit there, or sign in with an account that has a plan, with the next command."),
            Run("{login}"),
            Retry,
        ],
    },
    Text {
        key: "claude_git_bash",
        title: "{agent} needs Git for Windows",
        message: "On Windows, {agent} works with a part of Git for Windows, and did not find it on this computer.",
        steps: &[
            Open("https://git-scm.com/downloads/win"),
            Choose("Install it and keep what it suggests, then start {app} again."),
            Choose(
                "If it is installed already, put the place of its bash.exe into the next variable, and start {app} again.",
            ),
            Set("CLAUDE_CODE_GIT_BASH_PATH"),
        ],
    },
    Text {
        key: "claude_usage_limit",
        title: "The allowance of {agent} is used up",
        message: "The requests that the plan includes are used up for now.[ They come back on {until}.] Asking again does not \
                  help until then.",
        steps: &[
            Open("https://claude.ai/settings/usage"),
            Choose("See there how much is used and when it is renewed, or choose a larger plan."),
        ],
    },
];
