//! What the toy may do in each mode. It is none, so nothing of this was verified on a real program.

use crate::adapters::permissions::Known::NotVerified;
use crate::adapters::permissions::{Capability, Permission, no, row, yes};

pub(super) static PERMISSIONS: &[Permission] = &[
    row(Capability::ReadVault, yes(NotVerified, "`read`"), yes(NotVerified, "")),
    row(Capability::WriteVault, yes(NotVerified, "`edit`"), yes(NotVerified, "")),
    row(Capability::WriteHidden, no(NotVerified, ""), yes(NotVerified, "")),
    row(Capability::ReadOutside, no(NotVerified, ""), yes(NotVerified, "")),
    row(Capability::WriteOutside, no(NotVerified, ""), yes(NotVerified, "")),
    row(Capability::Temporary, no(NotVerified, ""), yes(NotVerified, "")),
    row(Capability::Shell, no(NotVerified, "`--tools` names none"), yes(NotVerified, "")),
    row(Capability::Network, no(NotVerified, ""), yes(NotVerified, "")),
    row(Capability::OwnMcp, yes(NotVerified, "`--servers`"), yes(NotVerified, "")),
    row(Capability::PersonsMcp, no(NotVerified, ""), no(NotVerified, "")),
    row(Capability::VaultMcp, no(NotVerified, ""), no(NotVerified, "")),
    row(Capability::VaultHooks, no(NotVerified, ""), no(NotVerified, "")),
    row(Capability::PersonsHooks, no(NotVerified, ""), no(NotVerified, "")),
    row(Capability::SubAgents, no(NotVerified, ""), no(NotVerified, "")),
    row(Capability::Instructions, no(NotVerified, ""), no(NotVerified, "")),
    row(Capability::Environment, no(NotVerified, "an allow-list"), yes(NotVerified, "")),
];
