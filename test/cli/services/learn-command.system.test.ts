import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runCauseway, type Outcome } from "../../support/causeway-process.ts";
import { closedPort } from "../../support/closed-port.ts";
import { TerminalProcess } from "../../support/terminal-process.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";
import { harOf } from "../../document/har.ts";

vi.setConfig({ testTimeout: 60_000 });

let causeway: TestInstance;
let folder: string;

beforeAll(async () => {
  causeway = await startTestInstance({ file: { limits: { max_body_mib: 1 } } });
  folder = await mkdtemp(join(tmpdir(), "causeway-captures-"));
});

afterAll(async () => {
  await causeway.close();
  await rm(folder, { recursive: true });
});

function environment(): Record<string, string> {
  return { CAUSEWAY_URL: causeway.url, CAUSEWAY_ADMIN_TOKEN: causeway.adminToken };
}

function run(words: readonly string[], input?: string): Promise<Outcome> {
  const options = { environment: environment(), ...(input !== undefined && { input }) };
  return runCauseway(["services", ...words], options);
}

async function file(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

/** The text of a file with these entries. */
function capture(entries: readonly unknown[]): string {
  return JSON.stringify({ log: { version: "1.2", pages: [], entries } });
}

/** Users with an answer of this many bytes. */
function users(count: number, bytes = 10): unknown[] {
  const exchanges = Array.from({ length: count }, (_, id) => {
    return {
      url: `https://api.example.com/users/${id}`,
      responseBody: { id, text: "x".repeat(bytes) },
    };
  });
  return harOf(exchanges).log.entries;
}

async function known(id: string): Promise<Record<string, unknown>> {
  const path = `/v1/admin/services/${id}`;
  const { status, body } = await causeway.call("GET", path, { token: causeway.adminToken });
  return status === 404 ? {} : (body as Record<string, unknown>);
}

describe("causeway services learn", () => {
  it("[learned.shell] learns from a file in parts that every server takes, and says what is known then", async () => {
    const path = await file("users.har", `\u{feff}${capture(users(60, 50_000))}`);
    const { code, stdout, stderr } = await run(["learn", "users", path]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "learning from users.har …\n" });
    expect(stdout).toMatch(/^id +users\n/);
    expect(await known("users")).toMatchObject({ captures: 3, observations: 60 });
  });

  it("learns from standard input, and prints JSON", async () => {
    const { code, stdout } = await run(["learn", "piped", "-", "--json"], capture(users(3)));
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ object: "service", id: "piped", observations: 3 });
  });

  it("sends a capture without entries as well", async () => {
    expect(await run(["learn", "empty", await file("e.har", capture([]))])).toMatchObject({
      code: 0,
    });
    expect(await known("empty")).toMatchObject({ captures: 1, observations: 0 });
  });

  it("counts an equal entry once, however often the file is given", async () => {
    const path = await file("twice.har", capture(users(5)));
    await run(["learn", "twice", path]);
    await run(["learn", "twice", path]);
    expect(await known("twice")).toMatchObject({ captures: 2, observations: 5 });
  });

  it("sends no large body of which nothing is learned, and leaves out what the server cannot take", async () => {
    const [logo] = harOf([{ url: "https://api.example.com/logo" }]).log.entries;
    const content = { mimeType: "image/png", text: "i".repeat(3 << 20) };
    const image = { ...logo, response: { ...logo?.response, content } };
    const entries = [...users(1), image, ...users(1, 2 << 20), ...users(2)];
    const { code, stdout, stderr } = await run([
      "learn",
      "large",
      await file("l.har", capture(entries)),
    ]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(/^id +large\n/) });
    expect(stderr).toMatch(/\nleft out: log\.entries\[2\], larger than limits\.max_body_mib .*\n$/);
    // Of the users two are equal.
    expect(await known("large")).toMatchObject({ observations: 3 });
  });

  it("[learned.shell] shows in a terminal how much of the file was learned from", async () => {
    const path = await file("shown.har", capture(users(40, 50_000)));
    const terminal = TerminalProcess.open(["services", "learn", "shown", path], environment());
    await terminal.shows("learning from shown.har  [------------------------]   0 %");
    await terminal.shows(" of 2.0 MB  20 requests");
    await terminal.shows("[########################] 100 %");
    expect((await terminal.ended()).code).toBe(0);
    expect(terminal.stdout).toContain("\r\u001b[Kid ");
  });
});

describe("a capture that cannot be read", () => {
  const one = JSON.stringify(users(1)[0]);
  const head = '{"log":{"version":"1.2","entries":[';

  it.each([
    ["no JSON", "<html></html>", "cannot be read before any entry: what stands there is no JSON"],
    ["an empty file", "", "breaks off before any entry, at byte 0"],
    ["another document", '{"openapi": "3.1.0"}', "is no HAR: it has no list log.entries"],
    ["entries that are no list", '{"log":{"entries":{}}}', "is no HAR: it has no list log.entries"],
    [
      "an entry that is no object",
      `${head}7]}}`,
      "log.entries[0] is no JSON object: expected an object (byte 35)",
    ],
  ])("is refused, and nothing is learned: %s", async (_what, content, message) => {
    const { code, stdout, stderr } = await run(["learn", "bad", await file("bad.har", content)]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(`bad.har ${message}\nNothing was learned from it.\n`);
    expect(await known("bad")).toEqual({});
  });

  it.each([
    [
      "breaks off",
      `${head}${one},${one.slice(0, -9)}`,
      /breaks off behind log\.entries\[0\], at byte \d+/,
    ],
    [
      "breaks off behind an entry",
      `${head}${one}`,
      /breaks off behind log\.entries\[0\], at byte \d+/,
    ],
    [
      "goes on with something else",
      `${head}${one}]}} {`,
      /cannot be read behind log\.entries\[0\]: what stands there is no JSON/,
    ],
    [
      "has an entry that is broken",
      `${head}${one},${one.replace('"time":1', '"time":01')}]}}`,
      /log\.entries\[1\] is no JSON object: expected a comma or a closing brace \(byte \d+\)/,
    ],
  ])("is learned from up to where it %s, which is told", async (what, content, message) => {
    const id = what.replaceAll(" ", "-");
    const { code, stderr } = await run(["learn", id, await file("half.har", content)]);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr).toContain("\n1 entry before it, in 1 part, was learned from.");
    expect(await known(id)).toMatchObject({ observations: 1 });
  });

  it("names the entry that the server refuses by its place in the file", async () => {
    const entries = [...users(30, 50_000), { request: {} }];
    const { code, stderr } = await run(["learn", "refused", await file("r.har", capture(entries))]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/invalid_request \(log\.entries\[30\]\.re\w+\): /);
    expect(stderr).toMatch(/\n20 entries before it, in 1 part, were learned from\./);
    expect(await known("refused")).toMatchObject({ captures: 1, observations: 20 });
  });
});

describe("a command that cannot be carried out", () => {
  it.each([
    [["learn", "x", "/nowhere/a.har"], "ENOENT"],
    [["learn", "x", "."], ". is a folder"],
    [["learn", "x"], "missing required argument 'file'"],
  ])("ends with 2 and says why: %j", async (words, message) => {
    const { code, stderr } = await run(words);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it("tells an id that is none", async () => {
    const { code, stderr } = await run(["learn", "../x", await file("id.har", capture(users(1)))]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^learning .*\ninvalid_request \(service_id\): /);
  });

  it("says what to set without an operator token, and where no server is", async () => {
    const path = await file("nobody.har", capture(users(1)));
    const url = { CAUSEWAY_URL: causeway.url, CAUSEWAY_ADMIN_TOKEN: "cwa_junk" };
    const refused = await runCauseway(["services", "learn", "x", path], { environment: url });
    expect(refused.stderr).toContain("Set CAUSEWAY_ADMIN_TOKEN to the operator token");
    const nowhere = { ...url, CAUSEWAY_URL: `http://127.0.0.1:${await closedPort()}` };
    const unheard = await runCauseway(["services", "learn", "x", path], { environment: nowhere });
    expect(unheard).toMatchObject({ code: 1 });
    expect(unheard.stderr).toContain("cannot be reached");
  });
});
