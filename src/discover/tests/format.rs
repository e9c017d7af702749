use proptest::prelude::*;

use super::native;
use crate::discover::format::Format;
use crate::env::{Arch, Os};

#[test]
fn d22_the_first_bytes_tell_the_system_and_the_processor() {
    for os in [Os::Linux, Os::MacOs, Os::Windows] {
        for arch in [Arch::X64, Arch::Arm64] {
            let format = Format::of(&native(os, arch));
            assert_eq!(format, Format::Native { os, arch: Some(arch), linker: None });
        }
    }
    let universal = [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 2, 1, 0, 0, 7];
    assert_eq!(Format::of(&universal), Format::Native { os: Os::MacOs, arch: None, linker: None });
    assert_eq!(Format::of(b"#!/usr/bin/env node\nx"), Format::Script("/usr/bin/env node".into()));
    assert_eq!(Format::of(b"#! /bin/sh"), Format::Script("/bin/sh".into()));
    assert_eq!(Format::of(b"echo hello\n"), Format::Text);
    assert_eq!(Format::of(b""), Format::Unknown);
    assert_eq!(Format::of(&[0x93, 0x00, 0xfe, 0x10]), Format::Unknown);
    // A Java class begins as a universal program does.
    assert_eq!(Format::of(&[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 65]), Format::Unknown);
}

#[test]
fn d22_foreign_is_only_what_nothing_translates() {
    let foreign = |os, arch, here, processor| Format::of(&native(os, arch)).is_foreign(here, processor);
    assert!(foreign(Os::Linux, Arch::Arm64, Os::Linux, Arch::X64));
    assert!(foreign(Os::MacOs, Arch::X64, Os::Linux, Arch::X64));
    assert!(foreign(Os::Windows, Arch::X64, Os::Linux, Arch::X64));
    assert!(foreign(Os::Linux, Arch::Arm64, Os::MacOs, Arch::Arm64));
    assert!(!foreign(Os::Linux, Arch::X64, Os::Linux, Arch::X64));
    assert!(!foreign(Os::MacOs, Arch::X64, Os::MacOs, Arch::Arm64));
    assert!(!foreign(Os::MacOs, Arch::Arm64, Os::MacOs, Arch::X64));
    assert!(!foreign(Os::Windows, Arch::X64, Os::Windows, Arch::Arm64));
    assert!(!Format::Text.is_foreign(Os::Linux, Arch::X64));
}

#[test]
fn the_dynamic_linker_is_read_from_the_program_header() {
    let mut head = native(Os::Linux, Arch::X64);
    head.resize(256, 0);
    head[32] = 64; // where the table begins
    head[54] = 56; // the size of an entry
    head[56] = 1; // how many
    head[64] = 3; // names the linker
    head[64 + 8] = 128; // where
    head[64 + 32] = 8; // how long
    head[128..136].copy_from_slice(b"/lib/ld\0");
    let Format::Native { linker, .. } = Format::of(&head) else { panic!("native") };
    assert_eq!(linker.as_deref(), Some("/lib/ld"));
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(mut head in proptest::collection::vec(any::<u8>(), 0..300), elf in any::<bool>()) {
        if elf && head.len() >= 6 {
            head[..6].copy_from_slice(b"\x7fELF\x02\x01");
        }
        let _ = Format::of(&head).describe();
    }
}
