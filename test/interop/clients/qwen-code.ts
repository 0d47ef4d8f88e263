import { join } from "node:path";
import type { CommandClient } from "./client.ts";
import { countCommand, noteName, promptsOf } from "./session.ts";

/** Qwen Code over chat. */
export const qwenCode: CommandClient = {
  kind: "command",
  name: "Qwen Code",
  packages: { manager: "npm", names: ["@qwen-code/qwen-code"] },
  proof: "file and result",
  speaks: ["chat"],
  prompts: (session) => {
    const path = join(session.directory, noteName);
    const edit = { file_path: path, old_string: "one", new_string: "two" };
    const run = { command: countCommand, is_background: false };
    return promptsOf(session, {
      write: `call write_file ${JSON.stringify({ file_path: path, content: "one\n" })}`,
      edit: `call edit ${JSON.stringify(edit)}`,
      count: `call run_shell_command ${JSON.stringify(run)}`,
    });
  },
  files: () => ({}),
  environment: ({ lane, url }) => ({
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: lane.key,
    OPENAI_MODEL: lane.model,
  }),
  command: (_session, { folder }, { prompt, isResumed }) => ({
    words: [
      join(folder, "node_modules/.bin/qwen"),
      "--auth-type",
      "openai",
      "--yolo",
      ...(isResumed ? ["--continue"] : []),
    ],
    input: prompt,
  }),
};
