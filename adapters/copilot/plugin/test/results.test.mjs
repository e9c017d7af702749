// What a tool answers: the exit code as data, fixed messages, nothing that leaks, nothing that writes.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { run } from "../extensions/adrkit/cli.mjs";
import { Failure, MAX_RESULT_BYTES, MESSAGES, scrub, scrubAll, serialise, usageMessage } from "../extensions/adrkit/text.mjs";
import { codeOf, contentOf, recorded, workspace } from "./support/workspace.mjs";

const play = (command, what) => ({ env: { FAKE_ADR: JSON.stringify({ [command]: what }) } });
const WRITING = ["new", "accept", "migrate"];

test("checklist 28: exit 0 and exit 1 with a report are a success that carries the exit code", async (t) => {
  const space = workspace(t);
  const finding = { rule: "broken", severity: "error", message: "x" };
  for (const exit of [0, 1]) {
    const answer = await space.tool("adr_lint", play("lint", { exit, report: { findings: [finding] } }))({});
    assert.equal(answer.resultType, "success");
    assert.deepEqual(contentOf(answer), { exitCode: exit, report: { checked: 31, findings: [finding] } });
  }
  const explained = contentOf(await space.tool("adr_explain")({ path: "packages/cli/src/index.ts" }));
  assert.deepEqual(explained, { exitCode: 0, report: recorded("explain") });
});

test("checklist 29: exit 2 is a failure with the command's own message, of at most 2 KiB, without stack frames", async (t) => {
  const space = workspace(t);
  const missing = await space.tool("adr_lint")({ dir: "nowhere" });
  assert.equal(missing.resultType, "failure");
  assert.equal(codeOf(missing), "usage-exit");
  assert.match(missing.textResultForLlm, /Exit code: 2/);
  assert.match(missing.textResultForLlm, /Corpus directory not found: "nowhere"/);

  const stderr = `Error: bad\n    at main (/opt/secret/adr.js:1:1)\r\n\tat b\r  at c\n${"ü".repeat(4000)}`;
  const long = await space.tool("adr_lint", play("lint", { exit: 2, stdout: "", stderr }))({});
  const detail = long.textResultForLlm.slice(long.textResultForLlm.indexOf("\n") + 1);
  assert.ok(Buffer.byteLength(detail) <= 2048 && Buffer.byteLength(detail) > 2000);
  assert.ok(detail.startsWith("Error: bad\nü") && detail.endsWith("ü") && !detail.includes("secret"));
  // A report on exit 2 is not a success.
  assert.equal((await space.tool("adr_lint", play("lint", { exit: 2 }))({})).resultType, "failure");
  assert.equal(usageMessage("\u001b[31mError:\u001b[0m x\u0007\u009b"), "Error: x");
});

test("checklist 30: no report, another exit code or a crash is a fixed text with the exit code, and no stderr", async (t) => {
  const space = workspace(t);
  const stderr = "TypeError: boom\n    at /opt/secret/adr.js:1:1\n";
  const cases = [
    [{ exit: 0, stdout: "", stderr }, 0],
    [{ exit: 1, stdout: "not json", stderr }, 1],
    [{ exit: 0, stdout: "null" }, 0],
    [{ exit: 0, stdout: "[]" }, 0],
    [{ exit: 0, stdout: '"text"' }, 0],
    [{ exit: 1, stdout: '{"checked":1' }, 1],
    [{ exit: 3, stderr }, 3],
    [{ exit: 139, stdout: "{}", stderr }, 139],
  ];
  for (const [what, code] of cases) {
    const answer = await space.tool("adr_lint", play("lint", what))({});
    assert.deepEqual(answer, { resultType: "failure", textResultForLlm: `no-report: ${MESSAGES["no-report"]} Exit code: ${code}.` });
  }
});

test("checklist 31: what keeps a process from ending by itself has a fixed message each", async (t) => {
  const space = workspace(t);
  const failed = async (work) => work.then(() => assert.fail("it ended"), (error) => error.code);
  const node = process.execPath;
  const notAProgram = join(space.top, "plain");
  writeFileSync(notAProgram, "\u0000", { mode: 0o644 });
  assert.equal(await failed(run(notAProgram, [], { cwd: space.root })), "cannot-start");
  assert.equal(codeOf(await space.tool("adr_lint", { env: { ADRKIT_CLI: notAProgram } })({})), "cannot-start");
  assert.equal(codeOf(await space.tool("adr_lint", play("lint", { signal: "SIGKILL" }))({})), "killed-by-signal");
  assert.equal(await failed(run(node, ["-e", "process.stdout.write('x'.repeat(5000))"], { cwd: space.root, maxBuffer: 1000 })), "output-too-large");
  // Thrown at once by Node, before any callback.
  assert.equal(await failed(run(node, ["-e", "", "x".repeat(4 << 20)], { cwd: space.root })), "command-line-too-long");
  assert.equal(await failed(run(node, ["-e", ""], { cwd: space.root, signal: AbortSignal.abort() })), "aborted");
  for (const code of ["cannot-start", "output-too-large", "command-line-too-long", "killed-by-signal", "aborted"]) {
    assert.equal(new Failure(code).text(), `${code}: ${MESSAGES[code]}`);
  }
});

test("checklist 31: more than 64 MiB of output is told, not read on", async (t) => {
  const space = workspace(t);
  const answer = await space.tool("adr_lint", play("lint", { fill: 64 * 1024 * 1024 + 1 }))({});
  assert.equal(codeOf(answer), "output-too-large");
});

test("checklist 31: more changed files than fit on a command line is told", async (t) => {
  const space = workspace(t);
  for (let index = 0; index < 40; index += 1) {
    const folder = Array.from({ length: 15 }, (_, depth) => `${index}-${depth}-${"x".repeat(200)}`).join("/");
    for (let file = 0; file < 22; file += 1) space.write(`${folder}/${file}`);
  }
  assert.equal(codeOf(await space.tool("adr_check")({})), "command-line-too-long");
  const { result } = await space.review({});
  assert.equal(result.status, "usage-error");
  assert.match(result.notes.join("\n"), /command-line-too-long/);
});

test("checklist 32: no failure holds an exception's text, a stack, an install path or a refused value", async (t) => {
  const space = workspace(t);
  const cases = [
    ["adr_explain", { path: "/secret/value" }, {}],
    ["adr_check", { base: "secret value" }, {}],
    ["adr_check", { base: "secret-base" }, {}],
    ["adr_check", { paths: ["secret/../x"] }, {}],
    ["adr_lint", { secretkey: "secret" }, {}],
    ["adr_lint", {}, { ADRKIT_CLI: "/opt/secret/adr" }],
    ["adr_lint", {}, { FAKE_ADR: JSON.stringify({ lint: { exit: 7, stderr: "secret\n at x" } }) }],
    ["adr_lint", {}, { FAKE_ADR: JSON.stringify({ lint: { exit: 0, stdout: "secret" } }) }],
    ["adr_lint", {}, { FAKE_ADR_REPORTS: "/opt/secret" }],
  ];
  for (const [name, args, env] of cases) {
    const { resultType, textResultForLlm, ...rest } = await space.tool(name, { env })(args);
    assert.equal(resultType, "failure");
    assert.deepEqual(rest, {}, "no second field that could carry it");
    assert.match(textResultForLlm, /^[a-z-]+: [A-Z]/);
    assert.ok(!/secret|^\s+at |node:|ENOENT|Error|\/opt|\/tmp/m.test(textResultForLlm), textResultForLlm);
  }
});

test("checklist 33: every string of a report is scrubbed of the writing commands before it is serialised", async (t) => {
  const space = workspace(t);
  const separators = [" ", "  ", "\n", "\t", "\r\n", "\u00a0", "\u200b", "\u200d", "\u2060", "\ufeff", " \u200b\n", "\u00ad"];
  const texts = WRITING.flatMap((word) => separators.map((gap) => `Run adr${gap}${word} now`));
  const report = { findings: texts.map((message) => ({ message })), nested: { [`adr ${"new"}`]: [["adr\nnew"]] } };
  const answer = await space.tool("adr_lint", play("lint", { report }))({});
  const content = contentOf(answer);
  for (const { message } of content.report.findings) assert.equal(message, "Run [removed] now");
  assert.deepEqual(content.report.nested, { "[removed]": [["[removed]"]] });
  assert.ok(!/adr(\\n|\\t|[\s\p{Cf}])+(new|accept|migrate)/u.test(answer.textResultForLlm));

  const usage = await space.tool("adr_lint", play("lint", { exit: 2, stdout: "", stderr: `Usage:\n  adr  ${"new"} <title>\n  adr check <files>\n` }))({});
  assert.match(usage.textResultForLlm, /\[removed\] <title>\n {2}adr check <files>/);
});

test("checklist 33: what only resembles a writing command is kept, and scrubbing makes no new one", () => {
  for (const text of ["adr check", "adr explain x", "adr newest", "adr accepted", "adr-new", "adr", "new", "padr new", "adr: new"]) {
    assert.equal(scrub(text), text);
  }
  assert.equal(scrub(`adr adr ${"new"} ${"new"}`), "adr [removed] new");
  assert.equal(scrub(`adr ${"new"}; adr ${"accept"} 1; ADR ${"Migrate"}`), "[removed]; [removed] 1; [removed]", "all of them");
  const odd = JSON.parse('{"__proto__":{"a":1},"b":[null,1,true]}');
  assert.equal(JSON.stringify(scrubAll(odd)), JSON.stringify(odd));
});

test("checklist 34: a report over the limit is cut on purpose, stays JSON, and says what is missing", async (t) => {
  const space = workspace(t);
  const record = (index) => ({ recordId: String(index), title: "t".repeat(40), bucket: "governing", firedMatchers: [{ type: "path", pattern: "src/**" }] });
  const governing = Array.from({ length: 400 }, (_, index) => record(index));
  const report = { governing, governedBy: governing, history: [record(1000)], findings: [] };
  const answer = await space.tool("adr_check", play("check", { report, exit: 1 }))({ paths: ["a"] });
  assert.ok(Buffer.byteLength(answer.textResultForLlm) <= 20_480);
  const content = contentOf(answer);
  assert.equal(content.exitCode, 1);
  assert.equal(content.report.governing.length + content.truncated.omitted.governing, 400);
  assert.ok(content.report.governing.length > 50, "most of the room is used");
  assert.deepEqual(content.report.governing[0], record(0));
  assert.deepEqual([content.truncated.omitted.governedBy, content.report.governedBy], [400, undefined]);
  assert.deepEqual(content.report.history, report.history);
  assert.equal(content.report.ok, true, "small fields stay whole");
});

test("checklist 34: any report fits, whatever is large in it, and a report that fits is not touched", () => {
  const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`key${index}`, index]));
  const deep = { a: [] };
  for (let index = 0, at = deep.a; index < 300; index += 1) at.push(at = ["x".repeat(100)]);
  const reports = [
    { message: "ü".repeat(50_000) },
    { message: "\u0000".repeat(50_000) },
    { list: ["x".repeat(50_000)] },
    { list: Array.from({ length: 30_000 }, () => 1) },
    { a: { b: { c: Array.from({ length: 3000 }, (_, index) => ({ text: `text ${index}` })) } } },
    wide,
    deep,
    { ["k".repeat(30_000)]: 1 },
  ];
  for (const report of reports) {
    const text = serialise({ exitCode: 0, report, note: "kept" });
    assert.ok(Buffer.byteLength(text) <= MAX_RESULT_BYTES, Object.keys(report)[0].slice(0, 20));
    const content = JSON.parse(text);
    assert.equal(content.exitCode, 0);
    assert.match(content.truncated.note, /report/);
  }
  const fits = { exitCode: 0, report: { text: "x".repeat(MAX_RESULT_BYTES - 100) } };
  assert.equal(serialise(fits), JSON.stringify(fits));
});

test("checklist 33: a cut makes no writing command of a longer word", () => {
  const word = `adr ${"new"}est`;
  for (let before = 2030; before <= 2048; before += 1) {
    const told = usageMessage(`${"x".repeat(before)} ${word} ${"y".repeat(50)}`);
    assert.equal(scrub(told), told);
    assert.ok(Buffer.byteLength(told) <= 2048);
  }
  for (let before = 0; before < 12; before += 1) {
    const text = serialise({ exitCode: 0, report: { message: "z".repeat(before) + `${word} `.repeat(5000) } });
    assert.equal(scrub(text), text);
    assert.ok(Buffer.byteLength(text) <= MAX_RESULT_BYTES);
  }
});

test("checklist 32: a report nested beyond measure is a failure of its own, in a tool and in a review", async (t) => {
  const space = workspace(t);
  for (const depth of [600, 6000, 200_000]) {
    const what = play("lint", { stdout: `{"checked":1,"findings":${"[".repeat(depth)}${"]".repeat(depth)}}` });
    // Through a file, since an environment variable has its limit.
    if (depth > 6000) {
      const script = join(space.top, "deep.js");
      writeFileSync(script, `process.stdout.write('{"findings":' + "[".repeat(${depth}) + "]".repeat(${depth}) + "}")`);
      what.env = { ADRKIT_CLI: script };
    }
    assert.match(codeOf(await space.tool("adr_lint", what)({})), /^(unexpected-report|no-report)$/);
    assert.equal((await space.review({ files: ["a"] }, what)).result.status, "usage-error");
  }
});

test("checklist 32: what nobody foresaw is told by the fixed text alone", async (t) => {
  const space = workspace(t);
  const dir = () => {
    throw new Error("secret at /opt/secret");
  };
  const answer = await space.tool("adr_lint", { dir })({});
  assert.deepEqual(answer, { resultType: "failure", textResultForLlm: `cannot-start: ${MESSAGES["cannot-start"]}` });
});

test("checklist 34: the limit lies below the 20 KiB from which the CLI spools an answer to a file", () => {
  assert.ok(MAX_RESULT_BYTES < 20_480);
});
