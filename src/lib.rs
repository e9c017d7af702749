//! Finds, runs, streams, stops and explains the AI coding agents a person already has.
//!
//! A desktop app embeds this crate to hand a person's question to GitHub Copilot CLI (or another agent that the person
//! has installed) in a folder of theirs, the *vault*, and to show the answer as it is written.
//!
//! The way of a question: a [`Request`] says what is wanted; [`Launcher::plan`] finds the agent and decides the exact
//! command as data, a [`Plan`]; [`Launcher::start`] runs it in a process tree of its own; the [`Run`] yields one stream
//! of [`Event`]s that begins with `Init` and ends with `Done`, always. Whatever goes wrong ends as [`Guidance`]: what
//! happened and what the person can do about it.
//!
//! The crate keeps no credential, changes no file of the agent, and never changes the host's own environment.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[path = "../adapters/mod.rs"]
mod adapters;

#[cfg(feature = "bench-internals")]
#[doc(hidden)]
pub mod bench_internals;
mod builder;
pub mod discover;
mod env;
mod error;
mod event;
pub mod guidance;
mod launcher;
mod lines;
mod plan;
mod plugin;
mod process;
mod redact;
mod request;
mod run;
mod supervise;
mod survey;
mod validate;
mod watch;
mod workflow;

pub use adapters::custom::{CustomAgent, CustomAgentError};
pub use builder::LauncherBuilder;
pub use env::{Arch, HostEnv, Os};
pub use error::Error;
pub use event::{Event, EventKind, NoticeLevel, Outcome, Status, Usage};
pub use guidance::{Code, Guidance, Step};
pub use launcher::Launcher;
pub use plan::{Arg, EnvChange, Plan, PrivateFile, Stdin};
pub use plugin::{ExportedPlugin, Plugin, adrkit_path, export_adrkit};
pub use request::{AgentId, EnvValue, McpServer, Mode, Request};
pub use run::Run;
pub use workflow::{Gate, WorkflowOutcome, WorkflowRequest};

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
