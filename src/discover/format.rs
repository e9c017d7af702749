//! What kind of program a file is, from its first bytes. Pure.

use crate::env::{Arch, Os};

/// A program's format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// For the kernel, made for this system and processor; `None` where the processor is unknown or there are several.
    Native {
        /// The system.
        os: Os,
        /// The processor.
        arch: Option<Arch>,
        /// The dynamic linker that it names (Linux).
        linker: Option<String>,
    },
    /// A script with the interpreter its first line names.
    Script(String),
    /// Text without such a line, which a shell might run.
    Text,
    /// Nothing that could be run.
    Unknown,
}

impl Format {
    /// Reads the first 4 KiB of a file.
    pub(crate) fn of(head: &[u8]) -> Format {
        if let Some(line) = head.strip_prefix(b"#!") {
            let end = line.iter().position(|&byte| byte == b'\n').unwrap_or(line.len());
            return Format::Script(String::from_utf8_lossy(&line[..end]).trim().to_owned());
        }
        let native = |os, arch| Format::Native { os, arch, linker: None };
        match head {
            [0x7f, b'E', b'L', b'F', ..] => {
                let machine = number16(head, 18, head.get(5) == Some(&2));
                let arch = match machine {
                    Some(62) => Arch::X64,
                    Some(183) => Arch::Arm64,
                    _ => Arch::Other,
                };
                Format::Native { os: Os::Linux, arch: Some(arch), linker: linker(head) }
            }
            // Mach-O of 64 bits, little-endian; then one for several processors, or a Java class, told apart by its size.
            [0xcf, 0xfa, 0xed, 0xfe, cpu, ..] => native(
                Os::MacOs,
                Some(match cpu {
                    7 => Arch::X64,
                    12 => Arch::Arm64,
                    _ => Arch::Other,
                }),
            ),
            [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 1..=9, ..] => native(Os::MacOs, None),
            [b'M', b'Z', ..] => {
                let header = number16(head, 0x3c, false).map(usize::from);
                let machine = header.and_then(|at| number16(head, at + 4, false));
                native(
                    Os::Windows,
                    machine.map(|machine| match machine {
                        0x8664 => Arch::X64,
                        0xaa64 => Arch::Arm64,
                        _ => Arch::Other,
                    }),
                )
            }
            [] => Format::Unknown,
            _ if head.contains(&0) || std::str::from_utf8(&head[..head.len().min(256)]).is_err() && !texty(head) => {
                Format::Unknown
            }
            _ => Format::Text,
        }
    }

    /// Whether it is surely for another kind of machine than this.
    ///
    /// Only where nothing translates: macOS and Windows run each other's processors, in either direction.
    pub(crate) fn is_foreign(&self, os: Os, arch: Arch) -> bool {
        match self {
            Format::Native { os: other, .. } if *other != os => true,
            Format::Native { arch: Some(other), .. } => os == Os::Linux && arch != Arch::Other && *other != arch,
            _ => false,
        }
    }

    /// What it is, in words.
    pub(crate) fn describe(&self) -> String {
        match self {
            Format::Native { os, arch, .. } => {
                let os = match os {
                    Os::Linux => "Linux",
                    Os::MacOs => "macOS",
                    Os::Windows => "Windows",
                };
                let arch = match arch {
                    Some(Arch::X64) => " on x86-64",
                    Some(Arch::Arm64) => " on 64-bit ARM",
                    Some(Arch::Other) => " on another processor",
                    None => "",
                };
                format!("a program for {os}{arch}")
            }
            Format::Script(interpreter) => format!("a script for `{interpreter}`"),
            Format::Text => "a text".into(),
            Format::Unknown => "no program".into(),
        }
    }
}

fn texty(head: &[u8]) -> bool {
    // A script in another encoding than UTF-8 is still mostly ASCII.
    head.iter().filter(|byte| byte.is_ascii()).count() * 10 >= head.len() * 9
}

fn number16(head: &[u8], at: usize, big: bool) -> Option<u16> {
    let bytes = [*head.get(at)?, *head.get(at + 1)?];
    Some(if big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
}

/// The dynamic linker of a little-endian 64-bit ELF file, where its header and name lie in the first bytes.
fn linker(head: &[u8]) -> Option<String> {
    if head.get(4..6) != Some(&[2, 1]) {
        return None;
    }
    let number = |at: usize| Some(u64::from_le_bytes(head.get(at..at.checked_add(8)?)?.try_into().ok()?));
    let table = usize::try_from(number(32)?).ok()?;
    let (size, count) = (usize::from(number16(head, 54, false)?), usize::from(number16(head, 56, false)?));
    for index in 0..count {
        let entry = table.checked_add(index.checked_mul(size)?)?;
        if head.get(entry..entry.checked_add(4)?)? == [3, 0, 0, 0] {
            let start = usize::try_from(number(entry.checked_add(8)?)?).ok()?;
            let length = usize::try_from(number(entry.checked_add(32)?)?).ok()?;
            let name = head.get(start..start.checked_add(length)?)?;
            return Some(String::from_utf8_lossy(name).trim_end_matches('\0').to_owned());
        }
    }
    None
}
