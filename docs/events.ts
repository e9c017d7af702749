// The events of a run, as `agent-launcher ask --json` prints them: one object a line.
// Generated from the library's types; `UPDATE=1 cargo test --all-features --test wire` renews it.
// Kinds, codes and fields may be added: ignore those that you do not know.

/**
 * One event of a run.
 *
 * In JSON the three parts are one flat object: `{"kind":"TextDelta","stream_id":"panel-3","seq":4,"text":"Hello"}`.
 */
export type Event = {
  /** The run's stream id. */
  stream_id: string,
  /** 0, 1, 2 and so on within the run, without a gap. */
  seq: number, } & EventKind;

/**
 * What happened in a run. New kinds may be added; an app ignores those that it does not know.
 *
 * Fields may be added too: match with `..`, as in `EventKind::TextDelta { text, .. }`.
 */
export type EventKind =
  | { "kind": "Init",
  /** The agent's id. */
  agent: string,
  /** The session's id, to continue it later; `null` while the agent has not told it (then `Done` has it). */
  session_id: string | null,
  /** The agent's version, where known. */
  agent_version?: string,
  /** The model asked for or told, where known. */
  model?: string,
  /** How much the agent may do. */
  mode: "safe" | "power_user",
  /**
   * The agent's own tools that the mode gives; those of the request's MCP servers come on top. Absent where the mode
   * names none, and the agent offers what it has. A `Notice` follows where the agent itself says otherwise.
   */
  tools?: Array<string>, }
  | { "kind": "TextDelta",
  /** The piece. */
  text: string, }
  | { "kind": "TextRetracted",
  /** The text to cut off. */
  text: string, }
  | { "kind": "ThinkingDelta",
  /** The piece. */
  text: string, }
  | { "kind": "ToolStart",
  /** The tool's name as the agent gives it. */
  tool_name: string,
  /** Joins it to its `ToolDone`. */
  tool_id: string,
  /** The tool's arguments, as JSON text. */
  input?: string, }
  | { "kind": "ToolDone",
  /** Joins it to its `ToolStart`. */
  tool_id: string,
  /** Whether it did what it was asked. */
  ok: boolean,
  /** What it answered, or why it failed; JSON text where structured. */
  output?: string,
  /** Whether it was refused. */
  denied?: boolean, }
  | { "kind": "McpStatus",
  /** The server's name. */
  server: string,
  /** `pending`, `connected`, `failed`, or a word of the agent's own. */
  status: string,
  /** Why, where it failed. */
  detail?: string, }
  | { "kind": "Usage" } & Usage
  | { "kind": "Notice",
  /** How much it matters. */
  level: NoticeLevel,
  /** The text, for people. */
  message: string, }
  | { "kind": "Unrecognized",
  /** The line. */
  line: string, }
  | { "kind": "Error",
  /** One sentence for people. */
  message: string,
  /** What happened and what to do. */
  guidance: Guidance, }
  | { "kind": "Done",
  /** How it ended. */
  outcome: Outcome, };

/** How much a notice matters. */
export type NoticeLevel = "info" | "warning";

/** The end of a run in full. */
export type Outcome = {
  /** How it ended. */
  status: Status,
  /** The exit code of the agent, where it exited. */
  exit_code?: number,
  /** The signal that ended the agent, where one did (unix). */
  signal?: number,
  /**
   * The session's id, to continue it later. A run that was stopped before the agent began to work may have left no
   * session behind; to continue it then fails as `session_not_found`.
   */
  session_id?: string,
  /** What the run used, where the agent told. */
  usage?: Usage,
  /** How many tool calls were refused. */
  denied_tools: number,
  /** From start to end, in milliseconds. */
  elapsed_ms: number,
  /** The last lines the agent wrote to stderr, secrets masked; at most 4 KiB. */
  stderr_tail: string,
  /** How the workflow ended, where the run is one. */
  workflow?: WorkflowOutcome, };

/** How a run ended. */
export type Status = "completed" | "failed" | "cancelled" | "timed_out";

/** What a run used. Agents tell different parts; what is not told is absent. */
export type Usage = {
  /** Tokens the model read. */
  input_tokens?: number,
  /** Tokens the model wrote. */
  output_tokens?: number,
  /** What it cost, in US dollars. */
  cost_usd?: number,
  /** Copilot's premium requests. */
  premium_requests?: number,
  /** Time spent waiting for the model, in milliseconds. */
  api_ms?: number,
  /** Time the session took, in milliseconds. */
  session_ms?: number,
  /** Lines added to files. */
  lines_added?: number,
  /** Lines removed from files. */
  lines_removed?: number,
  /** Files changed. */
  files_modified?: Array<string>,
  /** Whatever else the agent counted, by its own names. */
  other?: { [key in string]: number }, };

/** How a workflow ended: in `Done`, beside the outcome of the run. */
export type WorkflowOutcome = {
  /**
   * What the agent said of the workflow's run: `completed`, `error`, `cancelled`, `halted`, `paused`… Absent where the
   * agent said nothing.
   */
  run_status?: string,
  /** What the workflow's result says of itself in its `status`, where it does. */
  result_status?: string,
  /** The verdict. */
  gate: Gate,
  /** The workflow's result, where it gave one. */
  result?: unknown, };

/** The verdict on a workflow. Only `ok` means that all is well. */
export type Gate = "ok" | "findings" | "incomplete" | "usage_error" | "failed";

/** What happened and what to do, for a person. */
export type Guidance = {
  /** The cause, for programs. */
  code: Code,
  /** A few words, such as "Sign in to GitHub Copilot". */
  title: string,
  /** What happened, in plain words. */
  message: string,
  /** What to do, in order. */
  steps: Array<Step>,
  /** The few lines of the agent that decided, secrets masked. */
  evidence: Array<string>,
  /** The name of the text, stable across releases, for an app that translates. */
  key: string,
  /** What the text was filled in with. */
  params: { [key in string]: string }, };

/** One thing to do. */
export type Step =
  | { "kind": "run",
  /** The command. */
  command: string, }
  | { "kind": "open",
  /** The address. */
  url: string, }
  | { "kind": "set",
  /** Its name. */
  variable: string, }
  | { "kind": "retry",
  /** Not before this many milliseconds have passed. */
  after_ms?: number, }
  | { "kind": "choose",
  /** The words. */
  text: string, };

/** The cause of a failure. Codes may be added. */
export type Code = "not_installed" | "broken_install" | "not_executable" | "wrong_architecture" | "interpreter_missing" | "version_unsupported" | "not_signed_in" | "token_rejected" | "token_lacks_permission" | "subscription_required" | "policy_blocked" | "folder_not_trusted" | "rate_limited" | "quota_exhausted" | "model_unavailable" | "network" | "tls" | "mcp_failed" | "session_not_found" | "arguments_rejected" | "prompt_too_long" | "vault_missing" | "vault_unreadable" | "agent_crashed" | "no_answer" | "permission_denied" | "permission_bypassed" | "timed_out" | "idle" | "unknown";
