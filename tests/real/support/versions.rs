//! One test for each pinned version, so that they run side by side and a failure names its version.

/// Makes `name::v1_0_102`, `name::v1_0_80`, `name::v1_0_69` of an async function that takes a version.
macro_rules! on_every_version {
    ($($name:ident),* $(,)?) => { $(
        mod $name {
            use crate::support::machine::skipped;

            #[tokio::test]
            async fn v1_0_102() {
                if !skipped() { super::$name("1.0.102").await; }
            }

            #[tokio::test]
            async fn v1_0_80() {
                if !skipped() { super::$name("1.0.80").await; }
            }

            #[tokio::test]
            async fn v1_0_69() {
                if !skipped() { super::$name("1.0.69").await; }
            }
        }
    )* };
}

/// Makes one test of the newest version, for what does not depend on the version.
macro_rules! on_newest {
    ($($name:ident),* $(,)?) => { $(
        mod $name {
            #[tokio::test]
            async fn v1_0_102() {
                if !crate::support::machine::skipped() { super::$name("1.0.102").await; }
            }
        }
    )* };
}

pub(crate) use {on_every_version, on_newest};
