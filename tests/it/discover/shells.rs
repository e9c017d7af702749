use std::path::Path;
use std::time::Duration;

use agent_launcher::discover::{ShellStatus, Via};

use super::{GOOD, Machine, asked, found, search, verdict};

/// A machine of bash with these lines in `.bashrc`, and the agent in `~/tools`, which only they put on the `PATH`.
fn bash(rc: &str) -> Machine {
    let machine = Machine::new().shell("/bin/bash");
    machine.file("home/.bashrc", rc);
    machine.file("home/.bash_profile", ". ~/.bashrc\n");
    machine.script("home/tools/copilot", GOOD);
    machine
}

#[tokio::test]
async fn e03_a_path_that_only_the_rc_file_of_interactive_shells_sets_is_used() {
    // As Ubuntu's: it returns at once where the shell is not interactive, and nvm's lines are at its end.
    let machine = bash("case $- in *i*) ;; *) return;; esac\nexport PATH=\"$HOME/tools:$PATH\"\n");
    let search = machine.search().await;
    found(&search, &machine.at("home/tools/copilot"), Via::LoginShell);
    asked(&search, ShellStatus::Ok);
    assert_eq!(search.login_shell.shell.as_deref(), Some(Path::new("/bin/bash")));
    assert!(search.path.contains(&machine.at("home/tools")));
}

#[tokio::test]
async fn e03_a_bashrc_that_no_login_start_file_reads_is_read() {
    let machine = Machine::new().shell("/bin/bash");
    machine.file("home/.bashrc", "case $- in *i*) ;; *) return;; esac\nexport PATH=\"$HOME/tools:$PATH\"\n");
    let copilot = machine.script("home/tools/copilot", GOOD);
    found(&machine.search().await, &copilot, Via::LoginShell);
}

#[tokio::test]
async fn e03_where_the_shell_tells_nothing_the_places_are_still_looked_in() {
    let machine = Machine::new().shell("shells/mute");
    machine.script("shells/mute", "sleep 60");
    let copilot = machine.script("home/.nvm/versions/node/v22.1.0/bin/copilot", GOOD);
    let launcher = machine.builder().login_shell_limit(Duration::from_millis(200)).build();
    let search = search(&launcher).await;
    found(&search, &copilot, Via::Nvm);
    asked(&search, ShellStatus::TimedOut);
}

#[test]
#[cfg(feature = "cli")]
fn e04_an_app_in_the_background_of_a_terminal_is_not_stopped() {
    // `script` gives a terminal; `set -m` puts the command in a group of its own, which is not the terminal's foreground.
    let machine =
        bash("stty -a </dev/tty >/dev/null 2>&1; read -t 1 -r x </dev/tty; export PATH=\"$HOME/tools:$PATH\"\n");
    let command = format!(
        "set -m; '{}' doctor copilot --json >'{}' 2>&1 </dev/tty & wait $!; echo $? >'{}'",
        env!("CARGO_BIN_EXE_agent-launcher"),
        machine.at("doctor.json").display(),
        machine.at("code").display()
    );
    let mut script = std::process::Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .env_clear()
        .env("HOME", &machine.home)
        .env("PATH", "/usr/bin:/bin")
        .env("SHELL", "/bin/bash")
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("`script` of util-linux");
    let begin = std::time::Instant::now();
    while script.try_wait().unwrap().is_none() {
        assert!(begin.elapsed() < Duration::from_secs(30), "stopped: {:#?}", machine.processes());
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(std::fs::read_to_string(machine.at("code")).unwrap(), "0\n");
    let text = std::fs::read_to_string(machine.at("doctor.json")).unwrap();
    let doctor: serde_json::Value = serde_json::from_str(&text).expect(&text);
    assert_eq!(doctor["login_shell"]["status"], "ok", "{text}");
    assert_eq!(doctor["chosen"], machine.at("home/tools/copilot").to_str().unwrap());
}

#[tokio::test]
async fn e05_a_start_file_that_asks_gets_no_answer_and_goes_on() {
    let machine = bash("printf 'Update? [Y/n] '; read -r x; export PATH=\"$HOME/tools:$PATH\"\n");
    let search = machine.search().await;
    found(&search, &machine.at("home/tools/copilot"), Via::LoginShell);
}

#[tokio::test]
async fn e05_a_start_file_that_becomes_another_program_is_not_waited_for() {
    let machine = bash("case $- in *i*) exec \"$HOME/tmux\";; esac\nexport PATH=\"$HOME/tools:$PATH\"\n");
    // One that ends at once, as tmux does without a terminal: the shell is asked again, not interactively.
    machine.script("home/tmux", "echo 'open terminal failed: not a terminal' >&2; exit 1");
    let answered = machine.search().await;
    found(&answered, &machine.at("home/tools/copilot"), Via::LoginShell);
    // One that stays.
    machine.script("home/tmux", "sleep 60");
    let place = machine.script("home/.bun/bin/copilot", GOOD);
    let launcher = machine.builder().login_shell_limit(Duration::from_millis(300)).build();
    let search = search(&launcher).await;
    found(&search, &place, Via::Bun);
    asked(&search, ShellStatus::TimedOut);
    assert_eq!(machine.processes(), []);
}

#[tokio::test]
async fn e05_plugins_are_told_not_to_update_and_not_to_start_tmux() {
    let machine = bash("env >\"$HOME/seen\"\nexport PATH=\"$HOME/tools:$PATH\"\n");
    machine.search().await;
    let seen = std::fs::read_to_string(machine.at("home/seen")).unwrap();
    for line in ["DISABLE_AUTO_UPDATE=true", "ZSH_TMUX_AUTOSTART=false"] {
        assert!(seen.lines().any(|seen| seen == line), "{seen}");
    }
}

#[tokio::test]
async fn e05_a_slow_start_file_is_named_where_nothing_is_found() {
    let machine = bash("sleep 60\n");
    let launcher = machine.builder().login_shell_limit(Duration::from_millis(300)).build();
    let guidance = search(&launcher).await.guidance.unwrap();
    assert_eq!(guidance.params["shell_file"], "~/.bashrc");
    assert!(format!("{:?}", guidance.steps).contains("~/.bashrc"), "{:#?}", guidance.steps);
}

#[tokio::test]
async fn e07_nushell_is_spoken_to_in_its_own_language() {
    let machine = Machine::new().shell("shells/nu");
    // It takes `-l -e`, no combined flags and no `&&`, and calls programs with `^`.
    let body = r#"[ "$1" = -l ] && [ "$2" = -e ] || { echo "unknown flag $1" >&2; exit 1; }
case "$3" in *'&&'*) echo 'parse error' >&2; exit 1;; "^"/*) ;; *) exit 1;; esac
PATH="TOOLS:$PATH" exec /bin/sh -c "${3#^}""#;
    machine.script("shells/nu", &body.replace("TOOLS", machine.at("tools").to_str().unwrap()));
    let copilot = machine.script("tools/copilot", GOOD);
    let search = machine.search().await;
    found(&search, &copilot, Via::LoginShell);
    assert_eq!(search.login_shell.shell, Some(machine.at("shells/nu")));
}

#[tokio::test]
async fn e07_a_shell_that_fails_gives_way_to_the_next() {
    for shell in ["shells/xonsh", "shells/elvish"] {
        let machine = Machine::new().shell(shell);
        machine.script(shell, "echo 'SyntaxError' >&2; exit 1");
        machine.file("home/.bashrc", "");
        machine.file("home/.bash_profile", "export PATH=\"$HOME/tools:$PATH\"\n");
        machine.file("home/.profile", "export PATH=\"$HOME/tools:$PATH\"\n");
        machine.file("home/.zshenv", "export PATH=\"$HOME/tools:$PATH\"\n");
        let copilot = machine.script("home/tools/copilot", GOOD);
        let search = machine.search().await;
        found(&search, &copilot, Via::LoginShell);
        asked(&search, ShellStatus::Ok);
        assert_ne!(search.login_shell.shell, Some(machine.at(shell)));
    }
}

#[tokio::test]
async fn e08_a_shell_whose_path_is_a_list_keeps_its_order() {
    let machine = Machine::new().shell("shells/fish");
    // fish joins its list with spaces where it is echoed, with colons for programs.
    let body = "shift; echo \"/one two /usr/bin\"; PATH='TOOLS:/one two:/usr/bin' exec /bin/sh -c \"$1\"";
    machine.script("shells/fish", &body.replace("TOOLS", machine.at("tools").to_str().unwrap()));
    let copilot = machine.script("tools/copilot", GOOD);
    let search = machine.search().await;
    found(&search, &copilot, Via::LoginShell);
    assert_eq!(search.path[..3], [machine.at("tools"), "/one two".into(), "/usr/bin".into()]);
}

#[tokio::test]
async fn e09_banners_escapes_and_a_false_path_are_passed_over() {
    let machine = bash(
        "echo 'PATH=/evil'; echo 'TY=not a tty'; printf '\\033]0;title\\007\\033[31mred\\033[0m\\n__MARK__\\0PATH=/evil\\0__MARK__'\n\
         export PATH=\"$HOME/tools:$PATH\"\ntrap 'printf \"\\0PATH=/evil\\0\"' EXIT\n",
    );
    let search = machine.search().await;
    found(&search, &machine.at("home/tools/copilot"), Via::LoginShell);
    assert!(!search.path.contains(&"/evil".into()), "{:?}", search.path);
}

#[tokio::test]
async fn e10_values_with_newlines_escapes_and_functions_corrupt_nothing() {
    let machine = bash(
        "export X=$'a\\nPATH=/evil' E=$'\\033[31m' HTTPS_PROXY=$'http://p\\x1b'\nf() { echo \"PATH=/evil\"; }; export -f f\n\
         export PATH=\"$HOME/tools:$PATH\"\n",
    );
    let before: Vec<_> = std::env::vars_os().collect();
    let search = machine.search().await;
    found(&search, &machine.at("home/tools/copilot"), Via::LoginShell);
    assert!(!search.path.contains(&"/evil".into()), "{:?}", search.path);
    assert_eq!(search.binary.unwrap().login_env, [("HTTPS_PROXY".into(), "http://p\u{1b}".into())]);
    assert_eq!(before, std::env::vars_os().collect::<Vec<_>>());
}

#[tokio::test]
async fn what_a_shell_prints_is_a_path_only_where_it_is_absolute_and_a_file() {
    let machine = Machine::new().shell("shells/odd");
    let body = "shift; PATH='copilot is aliased to:tools:./x:FOLDER:TOOLS' exec /bin/sh -c \"$1\"";
    let (folder, tools) = (machine.at("folder"), machine.at("tools"));
    machine.script(
        "shells/odd",
        &body.replace("FOLDER", folder.to_str().unwrap()).replace("TOOLS", tools.to_str().unwrap()),
    );
    std::fs::create_dir_all(folder.join("copilot")).unwrap();
    let copilot = machine.script("tools/copilot", GOOD);
    let search = machine.search().await;
    found(&search, &copilot, Via::LoginShell);
    assert_eq!(verdict(&search, &folder.join("copilot")).0, agent_launcher::discover::Verdict::NotAFile);
    assert!(search.candidates.iter().all(|candidate| candidate.path.is_absolute()));
}

/// A real shell of this machine, where it is installed; the CI script installs both.
async fn real(name: &str, rc: &str, text: &str) {
    let places = ["/usr/bin", "/bin", "/usr/local/bin", "/opt/homebrew/bin"];
    let Some(shell) = places.iter().map(|folder| Path::new(folder).join(name)).find(|shell| shell.exists()) else {
        eprintln!("{name} is not installed: nothing was tested");
        return;
    };
    let machine = Machine::new().shell(shell.to_str().unwrap());
    machine.file(rc, text);
    let copilot = machine.script("home/tools/copilot", GOOD);
    let search = machine.search().await;
    found(&search, &copilot, Via::LoginShell);
    assert_eq!(search.login_shell.shell, Some(shell));
}

#[tokio::test]
async fn e03_the_real_zsh_tells_what_its_rc_file_sets() {
    let text = "autoload -U compinit\nexport PATH=\"$HOME/tools:$PATH\"\necho welcome; alias env=false; read -r x\n";
    real("zsh", "home/.zshrc", text).await;
}

#[tokio::test]
async fn e08_the_real_fish_tells_what_its_config_sets() {
    let text = "set -gx PATH $HOME/tools $PATH\necho welcome $PATH\nalias printf=echo_nothing\n";
    real("fish", "home/.config/fish/config.fish", text).await;
}
