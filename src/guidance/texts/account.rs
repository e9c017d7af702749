//! Texts about the account: sign-in, tokens, plan, policy and allowance.

use super::{
    Text,
    Todo::{Choose, Open, Retry, Run, Set},
};

pub(super) static TEXTS: &[Text] = &[
    Text {
        key: "not_signed_in",
        title: "Sign in to {agent}",
        message: "{agent} is not signed in yet, so it cannot answer. Signing in happens once, in {agent} itself; \
                  {app} never sees the password.[ A token was found in the variable {variables}, but {agent} did not \
                  accept it as a sign-in.]",
        steps: &[
            Choose("Open a terminal: the program named Terminal (macOS, Linux) or PowerShell (Windows)."),
            Run("{login}"),
            Choose("Follow the instructions that appear, then come back to {app} and ask again."),
        ],
    },
    Text {
        key: "workflows_not_available",
        title: "Workflows need an account that has them",
        message: "{agent} runs workflows only where it is signed in, with an account whose Copilot plan is billed by AI \
                  credits.",
        steps: &[
            Run("{login}"),
            Choose("If you are signed in already: ask who manages the Copilot plan whether it includes workflows."),
        ],
    },
    Text {
        key: "sign_in_prompt",
        title: "Sign in to {agent} first",
        message: "{agent} asked to sign in, which is not possible from inside {app}. Sign in once in a terminal; after \
                  that {app} can use it.",
        steps: &[
            Choose("Open a terminal: the program named Terminal (macOS, Linux) or PowerShell (Windows)."),
            Run("{login}"),
            Choose("Follow the instructions that appear, then come back to {app} and ask again."),
        ],
    },
    Text {
        key: "sign_in_not_saved",
        title: "The sign-in could not be kept",
        message: "The sign-in worked, but {agent} found no safe place on this computer to keep it. A keychain (also \
                  called a keyring) is such a place.",
        steps: &[
            Choose("Install or unlock the keychain of this computer, such as GNOME Keyring, and sign in again."),
            Run("{login}"),
            Choose(
                "If there is no keychain, answer yes when {agent} asks whether it may keep the sign-in as plain text.",
            ),
        ],
    },
    Text {
        key: "token_rejected",
        title: "{agent} needs a new sign-in",
        message: "The sign-in that {agent} used was not accepted: it has expired, was withdrawn, or was not copied in \
                  full.[ It came from the environment variable {variable}.]",
        steps: &[
            Set("{variable}"),
            Choose(
                "Sign in again in a terminal[, or put a new token into {variable} first, since it is used before any other sign-in].",
            ),
            Run("{login}"),
            Retry,
        ],
    },
    Text {
        key: "classic_token",
        title: "This kind of token does not work with {agent}",
        message: "{agent} found a token of the older, \"classic\" kind (it begins with ghp_)[ in the environment variable \
                  {variable}]. It accepts only fine-grained tokens, or a sign-in of its own.",
        steps: &[
            Set("{variable}"),
            Choose(
                "Remove the classic token[ from {variable}], or replace it with a fine-grained one that has the \
                    permission \"Copilot Requests\".",
            ),
            Open("https://github.com/settings/personal-access-tokens/new"),
            Choose("Without a token, sign in with the next command."),
            Run("{login}"),
        ],
    },
    Text {
        key: "token_lacks_permission",
        title: "The token is not allowed to use {agent}",
        message: "The token is valid, but it may not use {agent}.[ It came from the environment variable {variable}.] A \
                  fine-grained token needs the account permission \"Copilot Requests\".",
        steps: &[
            Open("https://github.com/settings/personal-access-tokens"),
            Choose("Open the token, add the account permission \"Copilot Requests\", and save."),
            Set("{variable}"),
            Choose("Or sign in without a token, with the next command."),
            Run("{login}"),
        ],
    },
    Text {
        key: "sso_required",
        title: "Your organization asks for one more approval",
        message: "Your organization protects its data with single sign-on (SSO), and this sign-in has not been approved \
                  for it yet.[ It came from the environment variable {variable}.]",
        steps: &[
            Choose("Sign in again with the next command, and approve the organization when the browser asks."),
            Run("{login}"),
            Choose(
                "If you use a token instead: open the next address. Beside a classic token, choose \"Configure SSO\" and your \
                 organization; a fine-grained one is approved when it is made, so make a new one.",
            ),
            Open("https://github.com/settings/tokens"),
        ],
    },
    Text {
        key: "wrong_account",
        title: "Sign in with your organization's account",
        message: "Your organization allows {agent} only with one of its own accounts.",
        steps: &[Choose("Sign in with the account that your organization gave you."), Run("{login}")],
    },
    Text {
        key: "copilot_refused",
        title: "{agent} may not be used with this account",
        message: "The sign-in worked, but the service refused this request. Usually the account has no subscription to \
                  {agent}, or the organization has switched it off; sometimes the sign-in is too old.[ It came from the \
                  environment variable {variable}.]",
        steps: &[
            Open("https://github.com/settings/copilot"),
            Choose(
                "See there whether Copilot, and Copilot in the CLI, are on. If an organization manages them, ask its administrator.",
            ),
            Run("{login}"),
        ],
    },
    Text {
        key: "access_refused",
        title: "{agent} may not be used with this account",
        message: "The sign-in or key was accepted, but it does not allow this request[ (status {status})]. Often the plan \
                  or the key does not include it.[ It came from the environment variable {variable}.]",
        steps: &[
            Choose("See in the account of the service what the plan or the key allows, or ask whoever manages it."),
            Set("{variable}"),
            Run("{login}"),
        ],
    },
    Text {
        key: "subscription_required",
        title: "{agent} needs a subscription",
        message: "The sign-in worked, but this account has no subscription that includes {agent}.",
        steps: &[
            Open("https://github.com/features/copilot/plans"),
            Choose(
                "Choose a plan (there is a free one), or ask the administrator of your organization for a seat. \
                    If you have another account with a subscription, sign in with that one.",
            ),
            Run("{login}"),
        ],
    },
    Text {
        key: "trial_paused",
        title: "Trials are paused at the moment",
        message: "This account is on a trial of {agent}, and trials have been paused for now.",
        steps: &[
            Open("https://github.com/settings/copilot"),
            Choose("Choose a paid plan there, or go back to the free plan."),
            Retry,
        ],
    },
    Text {
        key: "policy_blocked",
        title: "A setting of your account or organization blocks {agent}",
        message: "The sign-in worked, but a policy does not allow {agent}: it is switched off for the account or the \
                  organization, or there is no subscription that includes it.",
        steps: &[
            Open("https://github.com/settings/copilot"),
            Choose(
                "Switch on \"Copilot in the CLI\" there. If an organization or enterprise manages it, ask its \
                    administrator to enable the policy \"Copilot CLI\".",
            ),
            Retry,
        ],
    },
    Text {
        key: "mcp_policy",
        title: "Your organization does not allow tools of other apps",
        message: "A policy of your organization switches off MCP servers that are not built in, so {agent} cannot use the \
                  tools of {app}. It can still read and edit notes.",
        steps: &[Choose("Ask the administrator of your organization to allow the policy \"MCP servers in Copilot\".")],
    },
    Text {
        key: "model_disabled",
        title: "Switch on the model {model|that was chosen}",
        message: "The model {model|that was chosen} has to be switched on once, in {agent} itself, before {app} can use it.",
        steps: &[
            Choose("Start {agent} in a terminal with the next command, and confirm the model."),
            Run("{program_name} --model {model}"),
            Choose("Or choose another model in {app}."),
        ],
    },
    Text {
        key: "model_policy",
        title: "The model {model|that was chosen} is not allowed",
        message: "Your plan or your organization does not include the model {model|that was chosen}.",
        steps: &[
            Choose("Choose another model in {app}, or leave the choice to {agent}."),
            Open("https://github.com/settings/copilot/features"),
        ],
    },
    Text {
        key: "model_unavailable",
        title: "The model {model|that was chosen} is not available",
        message: "{agent} does not offer the model {model|that was chosen} to this account. Names of models change often.",
        steps: &[Choose("Choose another model in {app}, or leave the choice to {agent}.")],
    },
    Text {
        key: "model_not_on_provider",
        title: "The model {model|that was chosen} is not on your model server",
        message: "{agent} is set up to use a model server of your own[ at {address}], and that server has no model named \
                  {model|as it was asked for}.",
        steps: &[
            Choose("Download or load the model on that server, or correct the name in the next variable."),
            Set("COPILOT_MODEL"),
        ],
    },
    Text {
        key: "model_missing",
        title: "Name the model to use",
        message: "{agent} is set up to use a model server of your own, but it was not said which model.",
        steps: &[Set("COPILOT_MODEL"), Choose("Put the name of a model that the server offers into that variable.")],
    },
    Text {
        key: "provider_missing",
        title: "Say where the model server is",
        message: "{agent} is set to work offline with a model server of your own, but its address is missing.",
        steps: &[
            Set("COPILOT_PROVIDER_BASE_URL"),
            Choose(
                "Put the address of the server into that variable, or remove COPILOT_OFFLINE to use the online service.",
            ),
        ],
    },
    Text {
        key: "provider_rejected",
        title: "Your model server did not accept the key",
        message: "{agent} is set up to use a model server of your own[ at {address}], and that server did not accept the \
                  key (or got none).",
        steps: &[
            Set("COPILOT_PROVIDER_API_KEY"),
            Choose(
                "Put the right key into that variable (or into COPILOT_PROVIDER_BEARER_TOKEN), and start {app} again.",
            ),
        ],
    },
    Text {
        key: "rate_limited",
        title: "A short break is needed",
        message: "{agent} has had many requests in a short time and asks to wait[ {wait}].[ The limit ends on {until}.] \
                  Nothing is wrong with the sign-in.",
        steps: &[Choose("Wait[ {wait}][ until {until}] and ask again, or choose another model."), Retry],
    },
    Text {
        key: "quota_exhausted",
        title: "The allowance of {agent} is used up",
        message: "The requests that the plan includes are used up.[ They come back on {until}.] Asking again does not help \
                  until the allowance is renewed or raised.",
        steps: &[
            Open("https://github.com/settings/copilot"),
            Choose("See there how much is used and when it is renewed, raise the budget, or choose a larger plan."),
        ],
    },
    Text {
        key: "allowance_used_up",
        title: "The allowance of {agent} is used up",
        message: "The requests or the credit that the account includes are used up.[ They come back on {until}.] Asking again \
                  does not help until the allowance is renewed or raised.",
        steps: &[Choose(
            "See in the account of {agent} how much is used and when it is renewed, or choose another model.",
        )],
    },
    Text {
        key: "session_limit",
        title: "This conversation has reached its spending limit",
        message: "A limit was set for what one conversation may spend, and it is reached.",
        steps: &[Choose("Start a new conversation, or raise the limit in {app}.")],
    },
    Text {
        key: "provider_payment",
        title: "Your model server asks for payment",
        message: "The model server answered that payment is required: its credit is used up.",
        steps: &[Choose("Add credit in the account of that model server, or choose another model.")],
    },
];
