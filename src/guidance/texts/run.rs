//! Texts about one run: its arguments, its tools, its limits and its end.

use super::{
    Text,
    Todo::{Choose, Retry, Run},
};

pub(super) static TEXTS: &[Text] = &[
    // The first is the one for everything else.
    Text {
        key: "unknown",
        title: "{agent} stopped",
        message: "{agent} stopped[ with exit code {exit_code}] before it was done, and the reason is not one that {app} \
                  knows. What it said last is shown below.",
        steps: &[
            Retry,
            Choose(
                "If it happens again, start {agent} once in a terminal with the next command: it may ask something.",
            ),
            Run("{program_name}"),
            Choose("When you report the problem, include the lines below, the version and the path."),
        ],
    },
    Text {
        key: "no_answer",
        title: "{agent} ended without an answer",
        message: "{agent} ended[ with exit code {exit_code}] without an answer and without a reason. Perhaps it is not \
                  signed in, or its version is too old[ (this one is {version})].",
        steps: &[Choose("See in a terminal whether it is signed in."), Run("{login}"), Run("{update}"), Retry],
    },
    Text {
        key: "empty_answer",
        title: "The answer was empty",
        message: "{agent} asked its model, and the answer that came back was empty.",
        steps: &[Retry, Choose("If it happens again, choose another model or put the question in other words.")],
    },
    Text {
        key: "cut_short",
        title: "{agent} ended in the middle of its answer",
        message: "{agent} ended before its answer was complete, without a reason.",
        steps: &[Retry, Choose("If it happens again, update {agent} with the next command."), Run("{update}")],
    },
    Text {
        key: "folder_not_trusted",
        title: "{agent} does not trust this folder yet",
        message: "{agent} works only in folders that you have marked as trusted. Trust also lets settings in the folder \
                  start programs, so do this only for folders whose content is your own.",
        steps: &[
            Choose(
                "Open the folder once with {agent} in a terminal, with the next command, and answer the question about trust.",
            ),
            Run("{program_name}"),
            Retry,
        ],
    },
    Text {
        key: "session_not_found",
        title: "The conversation cannot be continued",
        message: "{agent} does not know the conversation[ {session}] any more. It may have been deleted, or belongs to \
                  another account.",
        steps: &[Choose("Start a new conversation in {app}.")],
    },
    Text {
        key: "session_damaged",
        title: "The conversation cannot be continued",
        message: "{agent} cannot read the file in which it keeps this conversation. It may be damaged, for example by a \
                  power cut, or written by another version of {agent}.",
        steps: &[Choose("Start a new conversation in {app}.")],
    },
    Text {
        key: "arguments_rejected",
        title: "{agent} did not understand {app}",
        message: "{agent} refused how {app} started it[: {detail}].[ This computer has version {version}; {app} was tested \
                  with {tested}.] One of the two probably needs an update.",
        steps: &[Run("{update}"), Choose("Look for an update of {app} too."), Retry],
    },
    Text {
        key: "workflow_rejected",
        title: "{agent} did not start the workflow",
        message: "{agent} refused the workflow[: {detail}].",
        steps: &[Choose("Correct the workflow's name or arguments in {app}, or name the plugin that brings it.")],
    },
    Text {
        key: "request_refused",
        title: "This cannot be asked of {agent|the agent}",
        message: "{app} asked for something that cannot be done: {detail}.",
        steps: &[Choose("Change the setting in {app} and ask again.")],
    },
    Text {
        key: "not_understood",
        title: "The service did not understand {agent}",
        message: "The service that answers for {agent} could not make sense of what {agent} sent. Often a newer version of {agent} \
                  can; sometimes one model or one long conversation is the reason.",
        steps: &[
            Choose("Update {agent} with the next command, and ask again."),
            Run("{update}"),
            Choose("If it happens again, choose another model, or start a new conversation."),
        ],
    },
    Text {
        key: "already_running",
        title: "An answer is still on its way",
        message: "{app} asked again under a name that is in use: {detail}. This is a fault in {app}, not in anything you did.",
        steps: &[
            Choose("Wait for the answer that is on its way, or stop it, and ask again."),
            Choose("If it happens again, tell the makers of {app}."),
        ],
    },
    Text {
        key: "prompt_too_long",
        title: "The question is too long",
        message: "The question, together with the conversation so far, is longer than the model can take.[ It has {size} \
                  units; the limit is {limit}.]",
        steps: &[Choose("Shorten the text, ask in several parts, or start a new conversation.")],
    },
    Text {
        key: "prompt_empty",
        title: "The question is empty",
        message: "{agent} was started without a question.",
        steps: &[Choose("Write a question and ask again.")],
    },
    Text {
        key: "mcp_failed",
        title: "The tools of {server|an app} could not be used",
        message: "{agent} could not start or reach a helper program, the MCP server {server|that was set up}, so its tools \
                  are missing.[ Reason: {detail}.]",
        steps: &[
            Choose(
                "Start {app} again. If somebody added this server by hand, ask them to see that its command is right and \
                 that it starts in a terminal.",
            ),
            Retry,
        ],
    },
    Text {
        key: "mcp_configuration",
        title: "The list of helper programs cannot be read",
        message: "{agent} could not read the list of its helper programs (MCP servers)[: {detail}].",
        steps: &[Choose("Correct the entry in the settings, or remove it, then ask again.")],
    },
    Text {
        key: "permission_denied",
        title: "{agent} was not allowed to do it",
        message: "{count|Some} {actions|actions} of {agent} {were|were} refused, and it ended without an answer.[ First: \
                  {first}.] In {app} nobody can be asked while it works, so what is not allowed beforehand is refused.",
        steps: &[Choose(
            "Ask for something that stays within the folder, or choose the mode that allows more, if you trust the content.",
        )],
    },
    Text {
        key: "some_denied",
        title: "Some actions were refused",
        message: "{count|Some} {actions|actions} {were|were} refused[; first: {first}].",
        steps: &[Choose("If the answer is incomplete, choose the mode that allows more, if you trust the content.")],
    },
    Text {
        key: "permission_bypassed",
        title: "{agent} was stopped: it did more than allowed",
        message: "{agent}[ {version}] did what the mode of this run does not allow, so {app} stopped it.[ What happened: {detail}.]",
        steps: &[Choose(
            "Look at what changed in the folder. A setting of {agent} itself, or in the folder, may allow more than \
                    {app} does: remove it before you ask again.",
        )],
    },
    Text {
        key: "agent_crashed",
        title: "{agent} crashed",
        message: "{agent} ended by itself because of an error in it[ ({signal_name})].",
        steps: &[Retry, Choose("If it happens again, update {agent} with the next command."), Run("{update}")],
    },
    Text {
        key: "agent_killed",
        title: "{agent} was ended from outside",
        message: "Something on this computer ended {agent}[ ({signal_name})]: often because memory ran low, or the computer was shutting \
                  down.",
        steps: &[Choose("Close other programs that need much memory."), Retry],
    },
    Text {
        key: "out_of_memory",
        title: "{agent} ran out of memory",
        message: "{agent} needed more memory than it could get.",
        steps: &[Choose("Close other programs, start a new conversation, or ask about fewer or smaller files."), Retry],
    },
    Text {
        key: "timed_out",
        title: "It took too long",
        message: "{agent} was not done after {limit|the time allowed}, so {app} stopped it.[ The reason is probably this: \
                  {reason}.][ The last thing it said: {line}.]",
        steps: &[Retry, Choose("Ask for less at once, or allow more time.")],
    },
    Text {
        key: "idle",
        title: "{agent} went silent",
        message: "{agent} gave no sign of life for {limit|a long time}, so {app} stopped it.[ The reason is probably this: \
                  {reason}.][ The last thing it said: {line}.]",
        steps: &[
            Retry,
            Choose("See whether the internet connection works and whether {agent} is signed in."),
            Run("{login}"),
        ],
    },
    Text {
        key: "internal",
        title: "{app} cannot run {agent|the agent} right now",
        message: "{app} is not ready: {detail}. This is a fault in {app}, not in anything you did.",
        steps: &[Choose("Start {app} again. If it happens again, tell the makers of {app}.")],
    },
];
