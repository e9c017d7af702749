//! The verdict on a workflow, from what it said alone. Pure.
//!
//! An exit code has no say: Copilot 1.0.92 exits 0 whatever a workflow came to, and 1.0.102 exits 0 for a run that completed with
//! findings.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How a workflow ended: in `Done`, beside the outcome of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct WorkflowOutcome {
    /// What the agent said of the workflow's run: `completed`, `error`, `cancelled`, `halted`, `paused`… Absent where the
    /// agent said nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_status: Option<String>,
    /// What the workflow's result says of itself in its `status`, where it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result_status: Option<String>,
    /// The verdict.
    pub gate: Gate,
    /// The workflow's result, where it gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub result: Option<Value>,
}

/// The verdict on a workflow. Only `ok` means that all is well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Gate {
    /// The run completed, and its result says `ok`.
    Ok,
    /// The run completed, and its result says `findings`.
    Findings,
    /// The run completed, and its result says `incomplete`: not everything was judged.
    Incomplete,
    /// The run completed, and its result says `usage-error`: it could not do what it was asked.
    UsageError,
    /// Everything else: no result, a result without a known status, a run that did not complete.
    #[default]
    Failed,
}

impl WorkflowOutcome {
    /// The outcome of a run with this status and result.
    pub(crate) fn of(run_status: Option<String>, result: Option<Value>) -> WorkflowOutcome {
        let result_status = result.as_ref().and_then(|result| result.get("status")?.as_str()).map(str::to_owned);
        let gate = match (run_status.as_deref(), result_status.as_deref()) {
            (Some("completed"), Some("ok")) => Gate::Ok,
            (Some("completed"), Some("findings")) => Gate::Findings,
            (Some("completed"), Some("incomplete")) => Gate::Incomplete,
            (Some("completed"), Some("usage-error")) => Gate::UsageError,
            _ => Gate::Failed,
        };
        WorkflowOutcome { run_status, result_status, gate, result }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Checklist 56: the gate is the content. Every run status with every result.
    #[test]
    fn only_a_completed_run_whose_result_says_ok_is_ok() {
        let results = [
            (None, Gate::Failed),
            (Some(json!({"status": "ok"})), Gate::Ok),
            (Some(json!({"status": "findings"})), Gate::Findings),
            (Some(json!({"status": "incomplete"})), Gate::Incomplete),
            (Some(json!({"status": "usage-error"})), Gate::UsageError),
            (Some(json!({"status": "OK"})), Gate::Failed),
            (Some(json!({"status": true})), Gate::Failed),
            (Some(json!({"status": ["ok"]})), Gate::Failed),
            (Some(json!({})), Gate::Failed),
            (Some(json!("ok")), Gate::Failed),
            (Some(json!(["ok"])), Gate::Failed),
            (Some(Value::Null), Gate::Failed),
        ];
        for (result, gate) in results {
            assert_eq!(WorkflowOutcome::of(Some("completed".into()), result.clone()).gate, gate, "{result:?}");
            for status in
                [None, Some("error"), Some("cancelled"), Some("halted"), Some("paused"), Some("Completed"), Some("")]
            {
                let outcome = WorkflowOutcome::of(status.map(str::to_owned), result.clone());
                assert_eq!(outcome.gate, Gate::Failed, "{status:?} {result:?}");
            }
        }
    }

    #[test]
    fn it_reads_and_writes_as_the_contract_has_it() {
        let outcome = WorkflowOutcome::of(Some("completed".into()), Some(json!({"status": "usage-error", "n": 1})));
        let json = json!({"run_status": "completed", "result_status": "usage-error", "gate": "usage_error",
            "result": {"status": "usage-error", "n": 1}});
        assert_eq!(serde_json::to_value(&outcome).unwrap(), json);
        assert_eq!(serde_json::from_value::<WorkflowOutcome>(json).unwrap(), outcome);
        assert_eq!(serde_json::to_value(WorkflowOutcome::default()).unwrap(), json!({"gate": "failed"}));
    }
}
