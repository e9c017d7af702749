//! Texts about the computer: installation, files, network and certificates.

use super::{
    Text,
    Todo::{Choose, Open, Retry, Run, Set},
};

pub(super) static TEXTS: &[Text] = &[
    Text {
        key: "not_installed",
        title: "{agent} is not installed",
        message: "{app} could not find {agent} on this computer.[ It looked for {program_name} in {searched}.] If it is \
                  installed, {app} has a setting for where it is.",
        steps: &[
            Choose("Open a terminal: the program named Terminal (macOS, Linux) or PowerShell (Windows)."),
            Run("{install}"),
            Open("{install_url}"),
            Choose("Start {app} again when the installation is done."),
            Choose(
                "If it is installed: {app} asked {shell}, which knows where programs are, and got no answer within {limit}. \
                 Something in the file {shell_file} takes longer; whoever set it up can move that out.",
            ),
        ],
    },
    Text {
        key: "chosen_path",
        title: "The place chosen for {agent} cannot be used",
        message: "{app} was told to use {agent} at {path}, which cannot be used: {line}.",
        steps: &[
            Choose(
                "In {app}, choose the program {program_name} itself, by its full path, or leave the choice to {app}.",
            ),
            Choose("Left to itself, {app} would use {other}."),
        ],
    },
    Text {
        key: "sandboxed",
        title: "{app} is not allowed to look for {agent}",
        message: "{app} was installed in a closed-off form ({sandbox}) that hides the other programs of this computer, so it \
                  cannot find or start {agent}, even if that is installed.",
        steps: &[Choose(
            "Install the version of {app} that is not packaged as {sandbox}, for example from its website.",
        )],
    },
    Text {
        key: "broken_install",
        title: "{agent} does not start",
        message: "{agent} was found[ at {path}], but it does not work[: {line}]. Installing it again usually helps.",
        steps: &[Run("{install}"), Open("{install_url}"), Retry],
    },
    Text {
        key: "package_missing",
        title: "{agent} is only half installed",
        message: "A part of {agent} is missing for this kind of computer. This happens when it was installed without its \
                  extra parts, or copied from another computer.",
        steps: &[Run("{install}"), Open("{install_url}"), Retry],
    },
    Text {
        key: "install_prompt",
        title: "{agent} is not installed yet",
        message: "What was found[ at {path}] is only a small helper that offers to install {agent}; it is not {agent} itself.",
        steps: &[
            Choose("Open a terminal: the program named Terminal (macOS, Linux) or PowerShell (Windows)."),
            Run("{install}"),
            Open("{install_url}"),
        ],
    },
    Text {
        key: "not_executable",
        title: "{agent} may not be started",
        message: "{agent} was found[ at {path}], but this computer does not allow starting it.",
        steps: &[
            Run("chmod +x {path_quoted}"),
            Run("{install}"),
            Choose("If that does not help, a security program or an administrator may be blocking it."),
        ],
    },
    Text {
        key: "wrong_architecture",
        title: "This {agent} is for another kind of computer",
        message: "{agent} was found[ at {path}], but it was made for another kind of processor or system[: {line}].",
        steps: &[Run("{install}"), Open("{install_url}")],
    },
    Text {
        key: "interpreter_missing",
        title: "{agent} needs Node.js",
        message: "{agent} needs another program, {interpreter|Node.js}, to run, and {app} cannot find that on this computer.",
        steps: &[
            Open("https://nodejs.org/en/download"),
            Choose(
                "Install the version marked LTS, then start {app} again. If it is installed already, start {app} \
                    once from a terminal, or tell {app} where {agent} is.",
            ),
        ],
    },
    Text {
        key: "interpreter_too_old",
        title: "{agent} needs a newer Node.js",
        message: "{agent} needs Node.js {needed|of a newer version}[, and this computer has {found}].",
        steps: &[
            Open("https://nodejs.org/en/download"),
            Choose("Install the version marked LTS, then start {app} again."),
        ],
    },
    Text {
        key: "version_too_old",
        title: "Update {agent}",
        message: "{agent} on this computer is version {found|of an older kind}; {app} needs {needed|a newer one} or \
                  newer, because older ones lack what keeps your notes safe.",
        steps: &[Run("{update}"), Run("{install}"), Retry],
    },
    Text {
        key: "service_dropped_version",
        title: "Update {agent}",
        message: "The service no longer works with this version of {agent}[ ({version})].",
        steps: &[Run("{update}"), Run("{install}"), Retry],
    },
    Text {
        key: "version_too_new",
        title: "{agent} is newer than {app} knows",
        message: "{agent} refused how {app} started it[: {detail}]. This computer has version {found|of it that is newer}; \
                  {app} was tested with {tested}.",
        steps: &[
            Choose("Look for an update of {app}."),
            Choose("Until then, version {tested} of {agent} works."),
            Run("{install_tested}"),
        ],
    },
    Text {
        key: "vault_missing",
        title: "The folder is gone",
        message: "The folder {path} does not exist any more. It may have been moved, renamed or deleted, or its drive is \
                  not connected.",
        steps: &[Choose("Open the folder again in {app}, or put it back where it was.")],
    },
    Text {
        key: "vault_not_a_folder",
        title: "That is not a folder",
        message: "{path} is a file. {agent|The agent} works in a folder.",
        steps: &[Choose("Choose the folder that holds your notes.")],
    },
    Text {
        key: "vault_unreadable",
        title: "The folder cannot be read",
        message: "{app} may not read the folder {path}.[ The computer said: {line}.]",
        steps: &[
            Choose(
                "Allow {app} to use the folder: on macOS in System Settings, Privacy & Security, Files and Folders; \
                    on Windows and Linux in the properties of the folder, Permissions.",
            ),
            Retry,
        ],
    },
    Text {
        key: "disk_full",
        title: "The disk is full",
        message: "{agent} could not write its own files, because there is no space left on the disk.",
        steps: &[Choose("Make room, for example by emptying the trash: about 1 GB is enough."), Retry],
    },
    Text {
        key: "no_private_files",
        title: "There is no place for temporary files",
        message: "{app} could not write the private files of a run for {agent}.[ The computer said: {line}.]",
        steps: &[
            Choose(
                "Make sure that the folder for temporary files (`TMPDIR`, or `TEMP` on Windows) is there and may be written, \
                 and that the disk has room.",
            ),
            Retry,
        ],
    },
    Text {
        key: "npm_folder_unwritable",
        title: "{agent} could not be installed or updated",
        message: "npm, the program that installs {agent}, may not write to {path|its folder}. That folder belongs to the whole \
                  computer. With a folder of your own, npm needs no permission and no password.",
        steps: &[
            Choose("Open a terminal: the program named Terminal (macOS, Linux) or PowerShell (Windows)."),
            Run("npm config set prefix ~/.local"),
            Run("{install}"),
            Choose("Start {app} again. It finds {agent} in the new place by itself."),
            Open("https://docs.npmjs.com/resolving-eacces-permissions-errors-when-installing-packages-globally"),
        ],
    },
    Text {
        key: "home_unwritable",
        title: "{agent} cannot keep its own files",
        message: "{agent} may not write[ to {path}], where it keeps its own files.",
        steps: &[
            Choose(
                "Allow writing to your home folder[, in particular to {path}], or ask whoever looks after this computer.",
            ),
            Retry,
        ],
    },
    Text {
        key: "network",
        title: "{agent} cannot reach its service",
        message: "The connection[ to {address}] failed. The computer may be offline, or a firewall, a VPN or a proxy is in \
                  the way.[ These proxy settings reached {agent}: {network_variables}.]",
        steps: &[
            Choose(
                "See whether a web page opens in the browser. In an office network, ask which proxy to use and put its \
                    address into the next variable.",
            ),
            Set("HTTPS_PROXY"),
            Retry,
        ],
    },
    Text {
        key: "dns",
        title: "{agent} cannot find its service on the internet",
        message: "The name[ {address}] could not be looked up. Most often the computer is offline; a VPN or a firewall can \
                  also be the reason.[ These proxy settings reached {agent}: {network_variables}.]",
        steps: &[Choose("See whether a web page opens in the browser."), Set("HTTPS_PROXY"), Retry],
    },
    Text {
        key: "proxy",
        title: "The proxy of your network refused {agent}",
        message: "A proxy (the gateway of an office network) wants a name and a password, or does not let {agent} through.\
                  [ These proxy settings reached {agent}: {network_variables}.]",
        steps: &[
            Choose("Ask whoever looks after the network for the proxy address, and put it into the next variable."),
            Set("HTTPS_PROXY"),
            Retry,
        ],
    },
    Text {
        key: "provider_unreachable",
        title: "Your model server does not answer",
        message: "{agent} is set up to use a model server of your own[ at {address}], and nothing answers there.",
        steps: &[
            Choose("Start the model server, or correct its address in the next variable."),
            Set("COPILOT_PROVIDER_BASE_URL"),
            Retry,
        ],
    },
    Text {
        key: "server_trouble",
        title: "The service has trouble at the moment",
        message: "The service that answers for {agent} reported an error of its own[ ({status})], even after {agent} had \
                  tried several times. This usually passes by itself.",
        steps: &[Retry, Choose("If it lasts, try another model, or ask again later.")],
    },
    Text {
        key: "github_trouble",
        title: "GitHub has trouble at the moment",
        message: "GitHub answered {agent} with an error of its own[ ({status})]. This usually passes by itself.",
        steps: &[
            Retry,
            Choose("If it lasts, see whether GitHub reports an outage."),
            Open("https://www.githubstatus.com"),
        ],
    },
    Text {
        key: "answer_cut",
        title: "The connection broke in the middle of the answer",
        message: "The service began to answer, but what came was incomplete or could not be read, even after {agent} had \
                  tried several times. A weak connection, a proxy or a model server that does not speak the expected \
                  language can be the reason.",
        steps: &[Retry, Choose("If it lasts, try another network, or another model.")],
    },
    Text {
        key: "tls",
        title: "A certificate is not trusted",
        message: "The connection is protected with a certificate that {agent} does not know. In office networks this is \
                  normal: the network uses a certificate of its own.[ These settings reached {agent}: \
                  {network_variables}.]",
        steps: &[
            Choose(
                "Ask whoever looks after the network for its root certificate as a .pem file, and put the path of the \
                    file into the next variable.",
            ),
            Set("NODE_EXTRA_CA_CERTS"),
            Choose("See also that the date and time of this computer are right."),
            Retry,
        ],
    },
];
