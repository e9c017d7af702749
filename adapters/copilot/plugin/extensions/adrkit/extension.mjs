// What the Copilot CLI loads. The only file that imports its SDK: as a whole, so that a CLI without workflows, whose SDK
// lacks `defineWorkflow`, still gets the tools.

import * as sdk from "@github/copilot-sdk/extension";
import { register } from "./register.mjs";
import { createJoin } from "./rejoin.mjs";
import { createReview, meta } from "./review.mjs";
import { createSessionDir } from "./session-dir.mjs";
import { createTools } from "./tools.mjs";

const sessionDir = createSessionDir();

await register({
  joinSession: createJoin(sdk.joinSession),
  onEvent: sessionDir.onEvent,
  workflows: () => [sdk.defineWorkflow({ meta, run: createReview({ sessionDir }) })],
  tools: () => createTools({ sessionDir }),
  // Never to stdout: that is the channel to the CLI, and a stray line on it ends the extension.
  log: (line) => process.stderr.write(`${line}\n`),
});
