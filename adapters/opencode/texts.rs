//! Texts about what only OpenCode has.

use crate::guidance::{
    Text,
    Todo::{Choose, Run},
};

pub(super) static TEXTS: &[Text] = &[
    Text {
        key: "opencode_model_missing",
        title: "The model {model|that was chosen} is not available",
        message: "{agent} knows no model {model|of that name}. Its name may be wrong, or its provider is not set up on this \
                  computer: {agent} lists only the models of providers that you are signed in to.",
        steps: &[
            Choose("See which models there are."),
            Run("opencode models"),
            Choose("Where the provider is missing, sign in to it."),
            Run("{login}"),
            Choose("Or choose another model in {app}."),
        ],
    },
    Text {
        key: "answer_ended_early",
        title: "The answer is not complete",
        message: "The model ended its answer before it was done: it came to the longest that it may be, or a filter of its \
                  provider stopped it.",
        steps: &[Choose("Ask for the rest, or put the question in smaller parts.")],
    },
];
