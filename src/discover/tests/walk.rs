use std::path::PathBuf;

use super::{FakeDisk, host};
use crate::discover::Verdict;
use crate::discover::walk::{Step, extensions, walk};
use crate::env::{HostEnv, Os};

fn hits(steps: Vec<Step>) -> Vec<String> {
    let hits = steps.into_iter().filter(|step| step.refused.is_none());
    hits.map(|step| step.path.to_string_lossy().into_owned()).collect()
}

fn verdicts(steps: &[Step]) -> Vec<(&str, Option<Verdict>)> {
    let verdict = |step: &Step| step.refused.as_ref().map(|(verdict, _)| *verdict);
    steps.iter().map(|step| (step.path.to_str().expect("text"), verdict(step))).collect()
}

fn windows(vars: &[(&str, &str)], files: &[&str], program: &str) -> Vec<Step> {
    walk(&FakeDisk::with(Os::Windows, files), &host(Os::Windows, vars), &[PathBuf::from(r"C:\npm")], program)
}

#[test]
fn d02_on_windows_a_file_without_extension_and_a_ps1_are_passed_over() {
    let files = [r"C:\npm\copilot", r"C:\npm\copilot.ps1", r"C:\npm\copilot.cmd"];
    let steps = windows(&[("PATHEXT", ".COM;.EXE;.BAT;.CMD;.PS1")], &files, "copilot");
    assert_eq!(verdicts(&steps), [(r"C:\npm\copilot.cmd", None), (r"C:\npm\copilot", Some(Verdict::NotExecutable))]);
}

#[test]
fn d02_on_windows_a_program_comes_before_a_batch_file() {
    let files = [r"C:\npm\copilot.bat", r"C:\npm\copilot.cmd", r"C:\npm\copilot.exe"];
    let order = [r"C:\npm\copilot.exe", r"C:\npm\copilot.cmd", r"C:\npm\copilot.bat"];
    assert_eq!(hits(windows(&[("PATHEXT", ".BAT;.CMD;.EXE")], &files, "copilot")), order);
}

#[test]
fn d19_pathext_may_be_unset_lower_case_or_have_empty_entries() {
    let all = [".exe", ".com", ".cmd", ".bat"];
    let of = |vars: &[(&str, &str)]| extensions(&host(Os::Windows, vars));
    assert_eq!(of(&[]), all);
    assert_eq!(of(&[("PATHEXT", "")]), all);
    assert_eq!(of(&[("PATHEXT", ".JS;.PS1")]), all);
    assert_eq!(of(&[("PATHEXT", ".exe;;.Cmd;")]), [".exe", ".cmd"]);
    assert_eq!(of(&[("pathext", "; .CMD ;.EXE")]), [".exe", ".cmd"]);
    assert_eq!(extensions(&host(Os::Linux, &[("PATHEXT", ".EXE")])), Vec::<String>::new());
    assert_eq!(hits(windows(&[], &[r"C:\npm\tool.cmd"], "tool")), [r"C:\npm\tool.cmd"]);
    // A name with an extension that does not count still gets those that do.
    assert_eq!(
        hits(windows(&[], &[r"C:\npm\script.py", r"C:\npm\script.py.cmd"], "script.py")),
        [r"C:\npm\script.py.cmd"]
    );
    assert_eq!(hits(windows(&[], &[r"C:\npm\tool.exe"], "tool.exe")), [r"C:\npm\tool.exe"]);
    assert_eq!(hits(windows(&[], &[r"C:\NPM\Tool.EXE"], "tool")), [r"C:\npm\tool.exe"]);
}

#[test]
fn d09_d10_what_is_no_program_is_told_and_passed_over() {
    let disk = FakeDisk::new(Os::Linux)
        .folder("/d1/copilot")
        .plain("/d2/copilot", "")
        .link("/d3/copilot", "/gone")
        .link("/d4/copilot", "/d1/copilot")
        .locked("/d5/copilot")
        .file("/d6/copilot", "#!/bin/sh\n");
    let folders: Vec<PathBuf> = (1..=7).map(|n| PathBuf::from(format!("/d{n}"))).collect();
    let steps = walk(&disk, &host(Os::Linux, &[]), &folders, "copilot");
    assert_eq!(
        verdicts(&steps),
        [
            ("/d1/copilot", Some(Verdict::NotAFile)),
            ("/d2/copilot", Some(Verdict::NotExecutable)),
            ("/d3/copilot", Some(Verdict::Missing)),
            ("/d4/copilot", Some(Verdict::NotAFile)),
            ("/d5/copilot", Some(Verdict::Missing)),
            ("/d6/copilot", None),
            ("/d7/copilot", Some(Verdict::Missing)),
        ]
    );
}

#[test]
fn a_name_is_never_taken_for_a_path() {
    let disk = FakeDisk::with(Os::Linux, &["/d/copilot", "/copilot"]);
    let host: HostEnv = host(Os::Linux, &[]);
    assert_eq!(hits(walk(&disk, &host, &[PathBuf::from("/d")], "copilot")), ["/d/copilot"]);
    assert_eq!(hits(walk(&disk, &host, &[], "copilot")), Vec::<String>::new());
}
