/** The commands of docs/generated-clients.md, in an empty folder, as a reader types them. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { repository } from "../../scripts/run-tool.ts";
import { guideScript } from "./guide-script.ts";
import { usePolyglotWorld } from "./polyglot-world.ts";

const world = usePolyglotWorld();

/** Follows a section in an empty folder; what it prints, and the folder. */
async function follow(heading: string, more: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "causeway-guide-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const environment = { CAUSEWAY: repository, ...more };
  const said = await world.run("bash", ["-c", guideScript(heading)], environment, folder);
  return { said, folder };
}

describe.skipIf(inject("goJourney") === "")("the guide for Go", () => {
  it("[packages.go] [packages.python] makes a first typed call and reads a refusal", async () => {
    const { said } = await follow("## Go");
    const docs = `${world.url}/docs/errors#invalid_request`;
    expect(said).toBe(`Typed from Go TEAM_ROLE_OWNER\ninvalid_request name ${docs}\n`);
  });
});

describe.skipIf(inject("python") === "")("the guide for Python", () => {
  it("makes a first typed call and reads a refusal", async () => {
    const { said } = await follow("## Python");
    const docs = `${world.url}/docs/errors#invalid_request`;
    expect(said).toBe(`Typed from Python OWNER\ninvalid_request name ${docs}\n`);
  });
});

describe("the guide for any other language", () => {
  it("generates from the compiled contract alone", async () => {
    const binaries = join(repository, "node_modules/.bin");
    const PATH = [binaries, process.env["PATH"] ?? ""].join(delimiter);
    const { folder } = await follow("## Any other language", { PATH });
    const files = await readdir(join(folder, "generated"), { recursive: true });
    expect(files.length).toBeGreaterThan(30);
  });
});
