//! One test for each pinned version of Copilot, so that they run side by side and a failure names its version.

/// Makes `name::v1_0_102` of an async function that takes a version, and so on for each version given.
macro_rules! on_versions {
    ([$($test:ident = $version:literal),*] $name:ident) => {
        mod $name { $(
            #[tokio::test]
            async fn $test() {
                if !crate::support::machine::skipped() { super::$name($version).await; }
            }
        )* }
    };
}

/// On all of them. The oldest is below the floor of Safe mode: `Machine::request` asks in the tightest mode that a version has.
macro_rules! on_every_version {
    ($($name:ident),* $(,)?) => { $(
        crate::support::versions::on_versions!([v1_0_102 = "1.0.102", v1_0_80 = "1.0.80", v1_0_69 = "1.0.69"] $name);
    )* };
}

/// On those that have Safe mode.
macro_rules! on_every_safe_version {
    ($($name:ident),* $(,)?) => { $(
        crate::support::versions::on_versions!([v1_0_102 = "1.0.102", v1_0_80 = "1.0.80"] $name);
    )* };
}

/// On those that are too old for Safe mode.
macro_rules! on_versions_below_safe {
    ($($name:ident),* $(,)?) => { $( crate::support::versions::on_versions!([v1_0_69 = "1.0.69"] $name); )* };
}

/// On the newest, for what does not depend on the version.
macro_rules! on_newest {
    ($($name:ident),* $(,)?) => { $( crate::support::versions::on_versions!([v1_0_102 = "1.0.102"] $name); )* };
}

/// On the newest and on the oldest that takes plugins and workflows.
macro_rules! on_workflow_versions {
    ($($name:ident),* $(,)?) => { $(
        crate::support::versions::on_versions!([v1_0_102 = "1.0.102", v1_0_92 = "1.0.92"] $name);
    )* };
}

pub(crate) use {
    on_every_safe_version, on_every_version, on_newest, on_versions, on_versions_below_safe, on_workflow_versions,
};
