// The real Copilot CLI for tests, without a login and without a model: found by a variable, with a home of its own.
//
// `ADRKIT_TEST_COPILOT` names the CLI's native binary (`@github/copilot-<os>-<arch>/copilot` of the npm package). Where it is
// not set, the tests are skipped and say so.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

export const binary = process.env.ADRKIT_TEST_COPILOT;
export const skip = binary ? false : "ADRKIT_TEST_COPILOT does not name a Copilot CLI";

/** A home for the CLI; `bundle` is the folder it unpacks itself into. Call once for a file: unpacking takes a second. */
export function unpack() {
  const home = mkdtempSync(join(tmpdir(), "adrkit-real-"));
  process.on("exit", () => rmSync(home, { recursive: true, force: true }));
  const cache = join(home, "cache");
  const env = { PATH: process.env.PATH, HOME: home, XDG_CACHE_HOME: cache };
  execFileSync(resolve(binary), ["--version"], { env });
  const platform = join(cache, "copilot/pkg", readdirSync(join(cache, "copilot/pkg"))[0]);
  return { home, env, bundle: join(platform, readdirSync(platform)[0]) };
}

/** Waits until `ask` answers with something true. */
export async function until(ask, what, limit = 20_000) {
  const end = Date.now() + limit;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`timed out: ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** A session of the real CLI, driven through the SDK that it brings along. */
export async function session({ bundle, env, plugin, root }) {
  const { CopilotClient, RuntimeConnection } = await import(pathToFileURL(join(bundle, "copilot-sdk/index.js")));
  // Never contacted: no model turn happens.
  const provider = "http://127.0.0.1:1/v1";
  const client = new CopilotClient({
    connection: RuntimeConnection.forStdio({ path: resolve(binary) }),
    workingDirectory: root,
    logLevel: "error",
    useLoggedInUser: false,
    env: { ...env, COPILOT_OFFLINE: "true", COPILOT_PROVIDER_BASE_URL: provider, COPILOT_MODEL: "mock" },
  });
  const permissions = [];
  const opened = await client.createSession({
    model: "mock",
    provider: { type: "openai", baseUrl: provider },
    workingDirectory: root,
    pluginDirectories: [plugin],
    requestExtensions: true,
    onPermissionRequest: (request) => {
      permissions.push(request);
      return { kind: "approve-once" };
    },
  });
  const tools = async () => {
    await opened.rpc.tools.initializeAndValidate();
    return (await opened.rpc.tools.getCurrentMetadata()).tools ?? [];
  };
  return {
    permissions,
    tools,
    ready: () => until(async () => (await tools()).some((tool) => tool.name === "adr_lint"), "the tools"),
    execute: (name, args) => opened.rpc.tools.execute({ name, arguments: args }),
    changeDirectory: (workingDirectory) => opened.rpc.metadata.setWorkingDirectory({ workingDirectory }),
    async close() {
      await opened.disconnect();
      await client.stop();
    },
  };
}

/** A model on this machine that speaks the streaming chat-completions protocol: `turns` are its answers in order. */
export async function model(turns) {
  const requests = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => {
      if (!request.url.endsWith("/chat/completions")) return response.writeHead(404).end("{}");
      const asked = JSON.parse(body);
      requests.push(asked);
      // The CLI may ask for side jobs of its own; only a request with tools is a turn.
      const turn = asked.tools?.length ? (turns.shift() ?? { text: "done" }) : { text: "title" };
      const delta = turn.call
        ? { tool_calls: [{ index: 0, id: `call_${requests.length}`, type: "function", function: { name: turn.call, arguments: JSON.stringify(turn.args ?? {}) } }] }
        : { content: turn.text };
      const chunk = (choice) => `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "mock", choices: [{ index: 0, ...choice }] })}\n\n`;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(chunk({ delta: { role: "assistant", ...delta }, finish_reason: null }));
      response.end(`${chunk({ delta: {}, finish_reason: turn.call ? "tool_calls" : "stop" })}data: [DONE]\n\n`);
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${server.address().port}/v1`;
  return { url, requests, close: () => new Promise((done) => (server.closeAllConnections(), server.close(done))) };
}

/** Runs the CLI to its end. */
export function copilot(args, { env, cwd, limit = 60_000 }) {
  return new Promise((done, fail) => {
    const child = spawn(resolve(binary), args, { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (part) => (stdout += part));
    child.stderr.on("data", (part) => (stderr += part));
    const timer = setTimeout(() => child.kill("SIGTERM"), limit);
    child.on("error", fail);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      const events = stdout.split("\n").filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
      done({ code, signal, stdout, stderr, events });
    });
  });
}

/**
 * Plays the CLI's side towards the extension: the CLI's own bootstrap and SDK run the extension, and this end answers. It
 * tests the extension, not the CLI. Frames are JSON-RPC with a `Content-Length` header.
 */
export function stubHost({ bundle, env, extension, root, agent = () => ({}), onJoin = () => {} }) {
  const sessionId = "00000000-0000-4000-8000-000000000001";
  const child = spawn(process.execPath, [join(bundle, "preloads/extension_bootstrap.mjs")], {
    cwd: root,
    stdio: ["pipe", "pipe", "pipe"],
    env: {
      ...env,
      COPILOT_EXTENSION_PARENT_PID: String(process.pid),
      COPILOT_SDK_PATH: join(bundle, "copilot-sdk"),
      EXTENSION_PATH: extension,
      SESSION_ID: sessionId,
    },
  });
  const host = { root, joined: false, joins: [], logs: [], agents: [], stderr: "" };
  child.stderr.on("data", (part) => (host.stderr += part));
  const waiting = new Map();
  let next = 1;
  const send = (message) => {
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
    child.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    child.stdin.write(body);
  };
  const request = (method, params) =>
    new Promise((resolved, rejected) => {
      waiting.set(next, { resolved, rejected });
      send({ id: next++, method, params });
    });
  const answers = {
    connect: () => ({ ok: true, protocolVersion: 3, version: "stub" }),
    ping: () => ({ message: "pong", timestamp: Date.now(), protocolVersion: 3 }),
    "session.resume": (params) => {
      host.joins.push(params);
      onJoin(params, host);
      // The SDK knows the session only once it has read this answer.
      setTimeout(() => (host.joined = true), 50);
      return { sessionId, workspacePath: null, capabilities: {} };
    },
    "session.workflow.agent": async (params) => {
      host.agents.push(params);
      return agent(params);
    },
    "session.workflow.journal.get": () => ({ hit: false }),
    "session.workflow.journal.put": () => ({ accepted: true }),
    "session.workflow.log": (params) => {
      host.logs.push(...params.lines);
      return { accepted: true };
    },
  };
  const receive = async (message) => {
    if (message.method === undefined) {
      const { resolved, rejected } = waiting.get(message.id);
      waiting.delete(message.id);
      return message.error ? rejected(Object.assign(new Error(message.error.message), message.error)) : resolved(message.result);
    }
    if (message.id === undefined) return;
    try {
      send({ id: message.id, result: (await answers[message.method]?.(message.params)) ?? {} });
    } catch (error) {
      send({ id: message.id, error: { code: error.code ?? -32603, message: error.message, data: error.data } });
    }
  };
  let buffered = Buffer.alloc(0);
  child.stdout.on("data", (part) => {
    buffered = Buffer.concat([buffered, part]);
    for (;;) {
      const end = buffered.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(buffered.subarray(0, end).toString())[1]);
      if (buffered.length < end + 4 + length) return;
      const message = JSON.parse(buffered.subarray(end + 4, end + 4 + length));
      buffered = buffered.subarray(end + 4 + length);
      receive(message);
    }
  });
  let run = 0;
  return Object.assign(host, {
    child,
    exited: new Promise((done) => child.once("exit", (code, signal) => done({ code, signal }))),
    event: (type, data) =>
      send({
        method: "session.event",
        params: { sessionId, event: { id: `e${next++}`, type, data, timestamp: new Date().toISOString(), parentId: null } },
      }),
    /** Starts the workflow; `stop` aborts it as the CLI does. */
    start(args, name = "adr-review") {
      const common = { sessionId, runId: `run-${++run}`, executionToken: `token-${run}` };
      const result = request("workflow.execute", { ...common, name, args });
      return { result, stop: () => request("workflow.abort", common) };
    },
    stop() {
      child.kill("SIGTERM");
      return this.exited;
    },
  });
}

export const exists = existsSync;
export const makeFolder = (path) => mkdirSync(path, { recursive: true });
