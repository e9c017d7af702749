//! `classify`: guidance for a stderr that was captured elsewhere.

use std::borrow::Cow;
use std::io::Read;

use agent_launcher::{AgentId, HostEnv};
use clap::Args;

use super::HostArgs;
use super::card::card;
use super::exit::Exit;
use super::output::{Refusal, finish, pretty};
use super::style::Style;

/// How much of stdin is looked at: an agent's last words stand at the end, and no real one is longer.
const LIMIT: usize = 1024 * 1024;

/// Flags of `classify`.
#[derive(Debug, Args)]
pub(super) struct ClassifyArgs {
    /// The agent whose stderr it is.
    #[arg(long, value_name = "ID")]
    agent: String,
    /// The code it exited with.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    exit_code: Option<i32>,
    /// Prints the guidance as an object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    host: HostArgs,
}

pub(super) fn run(args: &ClassifyArgs, host: &HostEnv, style: &Style) -> Exit {
    let bytes = match tail(std::io::stdin()) {
        Ok(bytes) => bytes,
        Err(error) => return Refusal::usage(format!("stdin cannot be read: {error}")).report(args.json, style),
    };
    let stderr = decoded(&bytes);
    let launcher = match args.host.launcher(host, None) {
        Ok(launcher) => launcher,
        Err(refusal) => return refusal.report(args.json, style),
    };
    match launcher.classify(&AgentId::new(&args.agent), args.exit_code, &stderr) {
        Ok(guidance) if args.json => finish(&pretty(&guidance), style),
        Ok(guidance) => finish(&card(&guidance, style.out_color), style),
        Err(error) => Refusal::from(error).report(args.json, style),
    }
}

/// As text. Windows PowerShell writes what it captures in UTF-16, with a mark at the beginning.
fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    let units: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return String::from_utf8_lossy(bytes),
    };
    let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|pair| units([pair[0], pair[1]])).collect();
    Cow::Owned(String::from_utf16_lossy(&units))
}

/// The end of all that can be read. Read to the end, as a writer may not bear a reader that leaves.
fn tail(mut stdin: impl Read) -> std::io::Result<Vec<u8>> {
    let mut kept = Vec::new();
    loop {
        let chunk = u64::try_from(LIMIT).unwrap_or(u64::MAX);
        if stdin.by_ref().take(chunk).read_to_end(&mut kept)? == 0 {
            return Ok(kept);
        }
        kept.drain(..kept.len().saturating_sub(LIMIT));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_powershell_captured_is_read_as_text() {
        let text = "Error: é\r\n";
        let bytes = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
            std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(order).collect()
        };
        assert_eq!(decoded(&bytes(u16::to_le_bytes)), text);
        assert_eq!(decoded(&bytes(u16::to_be_bytes)), text);
        assert_eq!(decoded(text.as_bytes()), text);
        assert_eq!(decoded(&[0xff, 0xfe, 0x41]), "");
    }
}
