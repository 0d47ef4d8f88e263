/** What `npm run check` and `npm run gen:go`, `gen:python` say on a machine whose toolchain will not do. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";

/** Runs the script with a program on the PATH that says only how old it is. */
async function generateWith(
  [part, program, version]: readonly [string, string, string],
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ code: number; stderr: string }> {
  const folder = await mkdtemp(join(tmpdir(), "causeway-toolchain-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, program), `#!/bin/sh\necho "${version}"\n`, { mode: 0o755 });
  const { CI: _, PATH = "", ...others } = process.env;
  const env = { ...others, ...environment, PATH: [folder, PATH].join(delimiter) };
  const script = ["scripts/generate.ts", part, ...words];
  return promisify(execFile)(process.execPath, script, { env }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
  );
}

const oldToolchains = [
  [["go", "go", "go version go1.19.8 linux/amd64"], "gen/go needs a newer Go than 1.19.8: install"],
  [["python", "python3", "Python 3.9.2"], "gen/python needs a newer Python than 3.9.2: install"],
] as const;

describe.each(oldToolchains)("a machine with the toolchain %j", (toolchain, message) => {
  it("[packages.unchanged] that is too old is said by the check, which passes", async () => {
    const { code, stderr } = await generateWith(toolchain, ["--check"]);
    expect(stderr).toContain(message);
    expect(stderr).toContain(`Not checked: ${toolchain[0]}.`);
    expect(code).toBe(0);
  });

  it("[packages.unchanged] that is too old fails the check in continuous integration", async () => {
    const { code, stderr } = await generateWith(toolchain, ["--check"], { CI: "true" });
    expect(stderr).toContain(message);
    expect(code).toBe(1);
  });

  it("that is too old fails generating", async () => {
    const { code, stderr } = await generateWith(toolchain, []);
    expect(stderr).toContain(message);
    expect(code).toBe(1);
  });
});
