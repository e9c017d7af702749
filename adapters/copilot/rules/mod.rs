//! What the sentences and error events of GitHub Copilot CLI mean, as data.
//!
//! The more specific stands first, within a table and among the tables. "simulated" marks texts of the real CLI in
//! answer to a simulated GitHub.

mod account;
mod limits;
mod model;
mod policy;
mod service;
mod start;
mod workflow;

use crate::guidance::Rule;

pub(super) static RULES: &[&[Rule]] =
    &[workflow::RULES, limits::RULES, account::RULES, policy::RULES, model::RULES, start::RULES, service::RULES];
