/** What programs of libraries share: the tools, and running the sessions that come on standard input. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { promisify } from "node:util";

const text = (...names) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
  required: names,
  additionalProperties: false,
});

/** The tools of a session, which work in its folder. */
export function toolsOf({ directory }) {
  return [
    {
      name: "write_file",
      description: "Writes a file.",
      parameters: text("path", "content"),
      run: async ({ path, content }) => {
        await writeFile(join(directory, path), content);
        return "written";
      },
    },
    {
      name: "edit_file",
      description: "Replaces a text in a file.",
      parameters: text("path", "old", "new"),
      run: async ({ path, old, new: replacement }) => {
        const file = join(directory, path);
        await writeFile(file, (await readFile(file, "utf8")).replace(old, replacement));
        return "edited";
      },
    },
    {
      name: "run_command",
      description: "Runs a command of the shell.",
      parameters: text("command"),
      run: async ({ command }) => {
        const { stdout } = await promisify(execFile)("sh", ["-c", command], { cwd: directory });
        return stdout;
      },
    },
  ];
}

/** Runs them one after the other, and prints a line of JSON for each: what was said, or the error. */
export async function eachSession(run) {
  for (const session of await json(process.stdin)) {
    const line = await run(session).then(
      (said) => ({ id: session.id, said }),
      (error) => ({ id: session.id, error: String(error?.stack ?? error).slice(0, 600) }),
    );
    process.stdout.write(`${JSON.stringify(line)}\n`);
  }
}
