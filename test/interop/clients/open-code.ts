import { join } from "node:path";
import type { Dialect } from "../strict-environment.ts";
import type { CommandClient } from "./client.ts";
import { countCommand, noteName, promptsOf, type Session } from "./session.ts";

const providers: Readonly<Record<Dialect, string>> = {
  chat: "@ai-sdk/openai-compatible",
  messages: "@ai-sdk/anthropic",
  responses: "@ai-sdk/openai",
};

/** OpenCode, which chooses the dialect by its provider. */
export const openCode: CommandClient = {
  kind: "command",
  name: "OpenCode",
  packages: { manager: "npm", names: ["opencode-ai"] },
  proof: "file and result",
  speaks: ["chat", "messages", "responses"],
  prompts: (session) => {
    const path = join(session.directory, noteName);
    const edit = { filePath: path, oldString: "one", newString: "two" };
    return promptsOf(session, {
      write: `call write ${JSON.stringify({ filePath: path, content: "one\n" })}`,
      edit: `call edit ${JSON.stringify(edit)}`,
      count: `call bash ${JSON.stringify({ command: countCommand, description: "Counts" })}`,
    });
  },
  files: (session) => ({ ".config/opencode/opencode.json": configuration(session) }),
  environment: ({ lane }) => ({ CAUSEWAY_KEY: lane.key }),
  command: (_session, { folder }, { prompt, isResumed }) => ({
    words: [
      join(folder, "node_modules/.bin/opencode"),
      "run",
      ...(isResumed ? ["--continue"] : []),
    ],
    input: prompt,
  }),
};

function configuration({ lane, url, dialect }: Session): string {
  const provider = {
    npm: providers[dialect],
    name: "Causeway",
    options: { baseURL: `${url}/v1`, apiKey: "{env:CAUSEWAY_KEY}" },
    models: { [lane.model]: { name: lane.model } },
  };
  return JSON.stringify({ model: `causeway/${lane.model}`, provider: { causeway: provider } });
}
