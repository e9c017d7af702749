//! What every adapter of [`ALL`] must bring and keep to. A new one is held to it with no edit here.

use super::golden::recordings;
use super::permissions::{Capability, Gives};
use super::version::is_at_least;
use super::{ALL, Adapter};

/// How many recordings of the real program each agent has at least.
const RECORDINGS: usize = 20;

/// The adapters that are held to the contract: all of the crate, and the toy that shows how one is made.
pub(crate) fn held() -> impl Iterator<Item = &'static dyn Adapter> {
    assert!(!ALL.is_empty());
    ALL.iter().copied().chain([&super::toy::Toy as &dyn Adapter])
}

fn each(check: impl Fn(&dyn Adapter, &str)) {
    for adapter in held() {
        check(adapter, adapter.spec().id.as_str());
    }
}

#[test]
fn no_two_agents_have_an_id_a_name_or_a_program_in_common() {
    let mut known: Vec<&str> = Vec::new();
    for spec in held().map(|adapter| adapter.spec()) {
        let own: Vec<&str> = [spec.id.as_str(), spec.name].into_iter().chain(spec.programs.iter().copied()).collect();
        for word in &own {
            assert!(!known.contains(word), "`{word}` is of two agents");
        }
        known.extend(own);
    }
}

#[test]
fn every_agent_says_how_to_get_it_and_how_to_sign_in() {
    each(|adapter, id| {
        let spec = adapter.spec();
        for (what, command) in
            [("install", spec.install_command), ("update", spec.update_command), ("sign in", spec.login_command)]
        {
            assert!(command.contains(' ') && command.trim() == command, "{id}: `{command}` does not {what}");
        }
        assert!(spec.install_url.starts_with("https://"), "{id}: {}", spec.install_url);
        let name =
            |name: &&&str| name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
        assert!(!spec.programs.is_empty() && spec.auth_variables.iter().all(|variable| name(&variable)), "{id}");
        let identity = regex::Regex::new(spec.identity).expect("the identity is a pattern");
        assert_eq!(identity.captures_len(), 2, "{id}: group 1 of the identity is the version");
    });
}

#[test]
fn no_agent_was_tested_with_less_than_its_floors() {
    each(|adapter, id| {
        let spec = adapter.spec();
        for floor in [spec.floor.safe, spec.floor.power_user] {
            assert!(is_at_least(spec.tested, floor), "{id}: {floor} to {}", spec.tested);
        }
    });
}

#[test]
fn every_agent_answers_every_capability_in_order() {
    each(|adapter, id| {
        let rows: Vec<Capability> = adapter.spec().permissions.iter().map(|row| row.capability).collect();
        let (shared, own) = rows.split_at_checked(Capability::ALL.len()).unwrap_or((&rows, &[]));
        assert_eq!(shared, Capability::ALL, "{id}");
        assert!(own.iter().all(|row| matches!(row, Capability::Own(_))), "{id}: {own:?}");
        for row in adapter.spec().permissions {
            for cell in [&row.safe, &row.power_user] {
                assert!(!cell.how.contains(['|', '\n']) && !cell.how.ends_with('.'), "{id}: {row:?}");
                assert!(cell.gives != Gives::Partly || !cell.how.is_empty(), "{id} does not say how much: {row:?}");
            }
        }
    });
}

#[test]
fn every_source_of_every_agent_has_a_version_and_a_date() {
    each(|adapter, id| {
        let sources = adapter.spec().sources;
        assert!(!sources.is_empty(), "{id}");
        for (at, source) in sources.iter().enumerate() {
            assert!(sources[..at].iter().all(|other| other.name != source.name), "{id}: {source:?} stands twice");
            let date = source.date.strip_prefix("20").filter(|rest| rest.as_bytes().get(2) == Some(&b'-'));
            assert!(date.is_some_and(|rest| rest.len() >= 5), "{id}: {source:?} has no date");
            assert!(source.version.contains(|c: char| c.is_ascii_digit()), "{id}: {source:?} has no version");
            for words in [source.what, source.how] {
                assert!(words.len() > 4 && !words.contains(['|', '\n']) && !words.ends_with('.'), "{id}: {source:?}");
            }
        }
    });
}

#[test]
fn no_safe_mode_gives_a_shell_or_what_lies_outside_the_vault() {
    each(|adapter, id| {
        for row in adapter.spec().permissions {
            let closed = [Capability::Shell, Capability::WriteOutside, Capability::VaultMcp, Capability::VaultHooks];
            if closed.contains(&row.capability) {
                assert_eq!(row.safe.gives, Gives::No, "{id}: {row:?}");
            }
        }
    });
}

#[test]
fn every_agent_has_recordings_whose_events_were_reviewed() {
    // The toy is no program that could be recorded.
    for adapter in ALL {
        let id = adapter.spec().id.as_str();
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(id);
        let snapshots: Vec<String> = std::fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{id} has no snapshots in `{}`: {error}", folder.display()))
            .map(|entry| entry.expect("a readable folder").file_name().to_string_lossy().into_owned())
            .collect();
        let reviewed = |name: &str| snapshots.iter().any(|snapshot| snapshot.ends_with(&format!("_{name}.snap")));
        let count = recordings(*adapter).iter().filter(|(name, _)| reviewed(name)).count();
        assert!(count >= RECORDINGS, "{id} has {count} recordings with a snapshot, and {RECORDINGS} are due");
    }
}

#[test]
fn every_agent_explains_a_missing_sign_in() {
    each(|adapter, id| {
        let rules = adapter.spec().rules.iter().flat_map(|rules| rules.iter());
        let codes: Vec<_> = rules.map(|rule| rule.code).collect();
        assert!(
            codes.contains(&crate::guidance::Code::NotSignedIn),
            "{id} has no rule for a missing sign-in: {codes:?}"
        );
    });
}
