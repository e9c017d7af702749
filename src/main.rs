//! The command `agent-launcher`: the library's first user, for people and for other programs.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
