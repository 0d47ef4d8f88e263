import { join } from "node:path";
import type { CommandClient } from "./client.ts";
import { countCommand, noteName, promptsOf } from "./session.ts";

/** Claude Code, printing its answer. */
export const claudeCode: CommandClient = {
  kind: "command",
  name: "Claude Code",
  packages: { manager: "npm", names: ["@anthropic-ai/claude-code"] },
  proof: "file and result",
  speaks: ["messages"],
  prompts: (session) => {
    const path = join(session.directory, noteName);
    const edit = { file_path: path, old_string: "one", new_string: "two" };
    return promptsOf(session, {
      write: `call Write ${JSON.stringify({ file_path: path, content: "one\n" })}`,
      edit: `call Edit ${JSON.stringify(edit)}`,
      count: `call Bash ${JSON.stringify({ command: countCommand, description: "Counts" })}`,
    });
  },
  files: () => ({}),
  environment: ({ lane, url }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_AUTH_TOKEN: lane.key,
    ANTHROPIC_MODEL: lane.model,
    ANTHROPIC_SMALL_FAST_MODEL: lane.model,
  }),
  command: (_session, { folder }, { prompt, isResumed }) => ({
    words: [
      join(folder, "node_modules/.bin/claude"),
      "--print",
      "--permission-mode",
      "acceptEdits",
      "--allowedTools",
      "Bash,Write,Edit",
      ...(isResumed ? ["--continue"] : []),
    ],
    input: prompt,
  }),
};
