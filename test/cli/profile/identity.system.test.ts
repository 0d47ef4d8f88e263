import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { runCauseway, type Outcome } from "../../support/causeway-process.ts";
import { closedPort } from "../../support/closed-port.ts";
import { startServer, type ServerProcess } from "../../support/server-process.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let server: ServerProcess;
let home: string;
let firstKey: string;
/** Sessions of the machine's owner and of a user. */
let sessions: { readonly owner: string; readonly ada: string };

beforeAll(async () => {
  server = await startServer();
  home = join(server.dataDirectory, "home");
  firstKey = (await readFile(join(server.dataDirectory, "first-key"), "utf8")).trim();
  const { session: ada } = await server.createUser("ada@example.org");
  await run("login");
  const { profiles } = await profileFile();
  sessions = { owner: profiles["default"]?.["session"] as string, ada };
});

afterAll(() => server.end());

beforeEach(async () => {
  await rm(home, { recursive: true, force: true });
  await mkdir(join(home, "causeway"), { recursive: true });
  const { url } = server;
  const profiles = {
    default: { url, email: "owner@localhost", session: sessions.owner },
    ada: { url, email: "ada@example.org", session: sessions.ada },
  };
  await writeFile(profilePath(), JSON.stringify({ current: "default", profiles }), { mode: 0o600 });
});

const profilePath = () => join(home, "causeway", "profiles.json");

async function profileFile() {
  return JSON.parse(await readFile(profilePath(), "utf8")) as {
    readonly profiles: Record<string, Record<string, unknown>>;
  };
}

/** Runs a command on the machine of the server, with its data directory. */
function run(words: string, environment: Record<string, string> = {}): Promise<Outcome> {
  const settings = {
    CAUSEWAY_URL: server.url,
    CAUSEWAY_DATA_DIR: server.dataDirectory,
    XDG_CONFIG_HOME: home,
    ...environment,
  };
  return runCauseway(words.split(" "), { environment: settings, input: "" });
}

const createKey = "npx causeway profiles create-key --profile ada";

describe("a profile without a caller key", () => {
  it.each([
    ["models list"],
    ["chat custom/x/y --message hi"],
    ["threads list"],
    ["conformance --model custom/x/y"],
  ])("is not replaced by the first key of the machine in %s", async (words) => {
    const named = await run(`--profile ada ${words}`);
    const byVariable = await run(words, { CAUSEWAY_PROFILE: "ada" });
    await run("profiles use ada");
    const current = await run(words);
    for (const { code, stdout, stderr } of [named, byVariable, current]) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain(`Create one: ${createKey}\n`);
    }
  });

  it("is not replaced by CAUSEWAY_KEY where it is named", async () => {
    const environment = { CAUSEWAY_KEY: firstKey };
    const named = await run("--profile ada models list", environment);
    expect(named).toMatchObject({ code: 1, stderr: expect.stringContaining(createKey) });
    const me = await run("--profile ada me show --json", environment);
    expect(JSON.parse(me.stdout)).toMatchObject({ email: "ada@example.org" });
    await run("profiles use ada");
    expect((await run("models list", environment)).code).toBe(0);
  });

  it("gets one by the command that the error names, and calls as its user", async () => {
    expect((await run(createKey.replace("npx causeway ", ""))).code).toBe(0);
    const { key } = (await profileFile()).profiles["ada"] as { key: { id: string } };
    expect((await run("--profile ada models list")).code).toBe(0);
    const { stderr } = await run("--profile ada chat custom/none/x --message hi");
    expect(stderr).toMatch(/^no_custom_upstream: /);
    const keys = JSON.parse((await run("--profile ada keys list --json")).stdout);
    expect(keys.data).toEqual(
      expect.arrayContaining([expect.objectContaining({ id: key.id, scopes: ["gateway:invoke"] })]),
    );
    const shown = await run("profiles list --json");
    expect(shown.stdout).toContain(key.id);
    expect(shown.stdout).not.toContain("cwk_");
  });

  it("is the machine owner's, whose first key it is", async () => {
    expect((await run("models list")).code).toBe(0);
    expect((await run("--profile default models list")).code).toBe(0);
  });
});

describe("the key of a profile", () => {
  it("is revoked when another is created, and at sign-out", async () => {
    const signedIn = await server.createUser();
    const profiles = {
      eve: { url: server.url, email: "eve@example.org", session: signedIn.session },
    };
    await writeFile(profilePath(), JSON.stringify({ current: "eve", profiles }), { mode: 0o600 });
    const secret = async () =>
      ((await profileFile()).profiles["eve"] as { key: { secret: string } }).key.secret;
    const statusOf = async (token: string) =>
      (await server.call("GET", "/v1/models", { token })).status;
    await run("profiles create-key");
    const first = await secret();
    await run("profiles create-key");
    const second = await secret();
    expect([await statusOf(first), await statusOf(second)]).toEqual([403, 200]);
    expect((await run("logout")).code).toBe(0);
    expect(await statusOf(second)).toBe(403);
  });

  it("is sent to no other server", async () => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    const { code, stderr } = await run("--profile ada models list", { CAUSEWAY_URL: url });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `The profile "ada" is of ${server.url}, and this command goes to ${url}.\n` +
        "Go to the server of the profile: unset CAUSEWAY_URL\n",
    );
  });
});

describe("an operator command", () => {
  it("does not take the token of the machine for a profile of somebody else", async () => {
    const named = await run("--profile ada users list");
    await run("profiles use ada");
    const current = await run("users list");
    for (const { code, stdout, stderr } of [named, current]) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain(
        `export CAUSEWAY_ADMIN_TOKEN=$(cat ${join(server.dataDirectory, "admin-token")})\n`,
      );
    }
    const given = { CAUSEWAY_ADMIN_TOKEN: server.adminToken };
    expect((await run("--profile ada users list", given)).code).toBe(0);
    expect((await run("--profile default users list")).code).toBe(0);
  });

  it("does not sign the machine's owner in over the profile of somebody else", async () => {
    const before = await readFile(profilePath(), "utf8");
    const { code, stderr } = await run("login --profile ada");
    expect(code).toBe(1);
    expect(stderr).toContain("npx causeway login --email ada@example.org --profile ada\n");
    expect(JSON.parse(await readFile(profilePath(), "utf8"))).toEqual(JSON.parse(before));
    expect(await readdir(join(home, "causeway"))).toEqual(["profiles.json"]);
  });
});
