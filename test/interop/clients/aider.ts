import { join } from "node:path";
import type { CommandClient } from "./client.ts";
import { firstWords, lastWords, noteName, type Session } from "./session.ts";

/**
 * aider over chat. It has no tools: the model's answers hold the files, and aider runs
 * the command that tests them and tells the model what it says.
 */
export const aider: CommandClient = {
  kind: "command",
  name: "aider",
  packages: { manager: "pip", names: ["aider-chat"] },
  proof: "file",
  speaks: ["chat"],
  prompts: ({ id }) => [`Session ${id}.\n${fileSaid("one")}`, `Session ${id}.\nsay ${lastWords}`],
  files: (session) => ({ [checkOf(session)]: check }),
  environment: ({ lane, url }, { folder }) => ({
    OPENAI_API_BASE: `${url}/v1`,
    OPENAI_API_KEY: lane.key,
    PYTHONPATH: folder,
  }),
  command: (session, _installed, { prompt, isResumed }) => ({
    words: [
      "python3",
      "-m",
      "aider",
      `--model=openai/${session.lane.model}`,
      "--yes-always",
      "--auto-test",
      `--test-cmd=sh ${checkOf(session)}`,
      ...(isResumed ? ["--restore-chat-history"] : []),
      `--message=${prompt}`,
      noteName,
    ],
  }),
};

function checkOf({ home }: Session): string {
  return join(home, "check.sh");
}

/** Fails until the note is edited; what it prints is the script of the model's next answer. */
const check = `grep -q two ${noteName} && exit
cat <<'END'
${fileSaid("two")}
say ${firstWords}
END
exit 1
`;

/** An answer that makes the note of one line. */
function fileSaid(line: string): string {
  return [noteName, "```", line, "```"].map((words) => `say ${words}`).join("\n");
}
