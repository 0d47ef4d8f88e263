import { join } from "node:path";
import type { CommandClient } from "./client.ts";
import { countCommand, noteName, promptsOf, type Session } from "./session.ts";

/** Codex with a provider of its own; a model that it does not know edits files by commands. */
export const codex: CommandClient = {
  kind: "command",
  name: "Codex",
  packages: { manager: "npm", names: ["@openai/codex"] },
  proof: "file and result",
  speaks: ["responses"],
  prompts: (session) =>
    promptsOf(session, {
      write: call(`echo one > ${noteName}`),
      edit: call(`sed -i.old s/one/two/ ${noteName}`),
      count: call(countCommand),
    }),
  files: (session) => ({ ".codex/config.toml": configuration(session) }),
  environment: ({ lane }) => ({ CAUSEWAY_KEY: lane.key }),
  command: (_session, { folder }, { prompt, isResumed }) => ({
    words: [
      join(folder, "node_modules/.bin/codex"),
      "exec",
      ...(isResumed ? ["resume", "--last"] : []),
      "--skip-git-repo-check",
      "--dangerously-bypass-approvals-and-sandbox",
      "-",
    ],
    input: prompt,
  }),
};

/** The same over one connection, and with thoughts that it sends back. */
export const codexOverWebSocket: CommandClient = {
  ...codex,
  name: "Codex, WebSocket, effort medium",
  files: (session) => ({
    ".codex/config.toml": `model_reasoning_effort = "medium"\n${configuration(session)}supports_websockets = true\n`,
  }),
};

function configuration({ lane, url }: Session): string {
  return `model = "${lane.model}"
model_provider = "causeway"

[model_providers.causeway]
name = "causeway"
base_url = "${url}/v1"
env_key = "CAUSEWAY_KEY"
wire_api = "responses"
`;
}

function call(cmd: string): string {
  return `call exec_command ${JSON.stringify({ cmd })}`;
}
