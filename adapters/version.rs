//! Comparing the agents' version numbers, and the flags that begin with one.

use semver::{Prerelease, Version};

/// Whether a version is `since` or newer. A pre-release counts as the release it leads to.
///
/// A number that cannot be read counts as new: discovery proved which agent it is, and newer releases are more likely
/// to be spelled in a new way than older ones.
pub(crate) fn has(version: &str, since: (u64, u64, u64)) -> bool {
    let Ok(mut version) = Version::parse(version) else { return true };
    version.pre = Prerelease::EMPTY;
    version >= Version::new(since.0, since.1, since.2)
}

/// Whether a version is a floor of the table or newer. One that cannot be read is not: nothing is known of it.
pub(crate) fn is_at_least(version: &str, floor: &str) -> bool {
    let (Ok(mut version), Ok(floor)) = (Version::parse(version), Version::parse(floor)) else { return false };
    version.pre = Prerelease::EMPTY;
    version >= floor
}

/// A flag and the first version measured to take it.
#[derive(Debug)]
pub(crate) struct Flag {
    pub(crate) name: &'static str,
    since: (u64, u64, u64),
}

impl Flag {
    /// A flag that versions from `since` on take.
    pub(crate) const fn new(name: &'static str, since: (u64, u64, u64)) -> Flag {
        Flag { name, since }
    }

    /// Whether a version has it.
    pub(crate) fn is_in(&self, version: &str) -> bool {
        has(version, self.since)
    }
}
