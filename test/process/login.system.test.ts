import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { CausewayProcess, runCauseway, type Outcome } from "../support/causeway-process.ts";
import { closedPort } from "../support/closed-port.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let server: ServerProcess;
/** Where the user's settings lie. */
let home: string;

beforeAll(async () => {
  server = await startServer();
  await server.createUser("ada@example.org");
  home = join(server.dataDirectory, "home");
});

afterAll(() => server.end());

beforeEach(() => rm(home, { recursive: true, force: true }));

/** Runs a command as the user of `home`, at the server unless the environment says another. */
function run(words: string, environment: Record<string, string> = {}): Promise<Outcome> {
  const settings = { CAUSEWAY_URL: server.url, XDG_CONFIG_HOME: home, ...environment };
  return runCauseway(words.split(" "), { environment: settings });
}

/** As whoever owns the machine: with the data directory. */
function runAsOwner(words: string, environment: Record<string, string> = {}): Promise<Outcome> {
  return run(words, { CAUSEWAY_DATA_DIR: server.dataDirectory, ...environment });
}

const file = () => join(home, "causeway", "profiles.json");

async function profiles() {
  return JSON.parse(await readFile(file(), "utf8")) as {
    readonly current?: string;
    readonly profiles: Record<string, Record<string, string>>;
  };
}

/** The code of the newest message in the outbox. */
async function mailedCode(): Promise<string> {
  const outbox = join(server.dataDirectory, "outbox");
  const newest = (await readdir(outbox)).toSorted().at(-1) ?? "";
  const [code = ""] =
    /^\d{8}$/m.exec((await readFile(join(outbox, newest), "utf8")).replaceAll("\r", "")) ?? [];
  return code;
}

async function loginByMail(more = ""): Promise<Outcome> {
  await run(`login --email ada@example.org${more}`);
  return run(`login --email ada@example.org --code ${await mailedCode()}${more}`);
}

describe("a newcomer", () => {
  it("is told to sign in, does, and lists keys", async () => {
    const refused = await runAsOwner("keys list");
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/\nSign in, then try again: npx causeway login\n$/);
    expect(await runAsOwner("login")).toMatchObject({
      code: 0,
      stdout: `Signed in as owner@localhost at ${server.url} (profile "default" of ${file()}).\n`,
      stderr: "",
    });
    const list = await runAsOwner("keys list");
    expect(list).toMatchObject({ code: 0, stdout: expect.stringContaining("first key") });
  });

  it("without a data directory is told to name an address", async () => {
    const refused = await run("keys list");
    expect(refused.stderr).toContain("\nSign in: npx causeway login --email <address>\n");
    const login = await run("login");
    expect(login.code).toBe(1);
    expect(login.stderr).toMatch(/^Say who signs in: npx causeway login --email <address>\n/);
  });

  it("is told that a caller key of the environment stands in the way", async () => {
    const key = (await readFile(join(server.dataDirectory, "first-key"), "utf8")).trim();
    const refused = await runAsOwner("keys list", { CAUSEWAY_KEY: key });
    expect(refused.stderr).toContain("unset it and sign in: npx causeway login\n");
    const login = await runAsOwner("login", { CAUSEWAY_KEY: key });
    expect(login).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("CAUSEWAY_KEY is set"),
    });
    expect((await runAsOwner("keys list", { CAUSEWAY_KEY: key })).stderr).toMatch(/unset it\.\n$/);
  });
});

describe("causeway login by mail", () => {
  it("asks for the code, and takes it with the next command as well", async () => {
    const asked = await run("login --email ada@example.org");
    expect(asked).toMatchObject({ code: 1, stdout: "" });
    expect(asked.stderr).toMatch(
      /^If ada@example\.org may sign in, .*\nCode: \nNo code was given\. /,
    );
    const words = `login --email ada@example.org --code ${await mailedCode()}`;
    expect((await run(words)).stdout).toContain(`Signed in as ada@example.org at ${server.url} `);
    expect(JSON.parse((await run("me show --json")).stdout)).toMatchObject({
      email: "ada@example.org",
    });
  });

  it("reads the code where it asks for it", async () => {
    const words = ["login", "--email", "ada@example.org"];
    const fifo = join(server.dataDirectory, "typed");
    const environment = { CAUSEWAY_URL: server.url, XDG_CONFIG_HOME: home };
    const waiting = `mkfifo "${fifo}" && exec "${process.execPath}" bin/causeway.js "$@" <> "${fifo}"`;
    const command: [string, ...string[]] = ["sh", "-c", waiting, "sh"];
    const child = CausewayProcess.start(words, { environment, command });
    await child.logLine(/is on its way/);
    await writeFile(fifo, `${await mailedCode()}\n`);
    expect(await child.ended()).toMatchObject({ code: 0 });
    expect(child.stdout).toContain("Signed in as ada@example.org");
  });

  it("tells a wrong code as the server does, and keeps nothing", async () => {
    const { code, stderr } = await run("login --email ada@example.org --code 00000000");
    expect(code).toBe(1);
    expect(stderr).toMatch(/^invalid_request \(code\): /);
    expect((await profiles()).profiles).toEqual({});
  });

  it("needs the address beside a code", async () => {
    const { code, stderr } = await run("login --code 12345678");
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("--email") });
  });
});

describe("the session", () => {
  it("lies in a file of its user's own, and is never printed", async () => {
    const outcomes = [
      await runAsOwner("login"),
      await runAsOwner("profiles list --json"),
      await runAsOwner("profiles list"),
    ];
    const { session = "" } = (await profiles()).profiles["default"] ?? {};
    expect(session).toMatch(/^cws_/);
    for (const { stdout, stderr } of outcomes) expect(stdout + stderr).not.toContain("cws_");
    const modes = [file(), join(home, "causeway")].map(
      async (path) => (await stat(path)).mode & 0o777,
    );
    expect(await Promise.all(modes)).toEqual([0o600, 0o700]);
  });

  it("is closed again where others could read it", async () => {
    await mkdir(join(home, "causeway"), { recursive: true, mode: 0o755 });
    await writeFile(file(), '{"profiles": {}}', { mode: 0o644 });
    await runAsOwner("login");
    const modes = [file(), join(home, "causeway")].map(
      async (path) => (await stat(path)).mode & 0o777,
    );
    expect(await Promise.all(modes)).toEqual([0o600, 0o700]);
  });

  it("that has ended is told, with what to do", async () => {
    await loginByMail();
    const token = (await profiles()).profiles["default"]?.["session"];
    await server.call("POST", "/v1/sign_out", { token });
    const { code, stderr } = await run("keys list");
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /The session of the profile has ended\. Sign in again: npx causeway login --email ada@example\.org\n$/,
    );
  });
});

describe("profiles", () => {
  it("are named, listed, switched and ended", async () => {
    await runAsOwner("login");
    const second = await loginByMail(" --profile work");
    expect(second.stderr).toContain(
      "Use it with --profile work, or always: npx causeway profiles use work",
    );
    const whose = async (words: string, environment = {}) =>
      JSON.parse((await run(`me show --json${words}`, environment)).stdout).email;
    expect(await whose("")).toBe("owner@localhost");
    expect(await whose(" --profile work")).toBe("ada@example.org");
    expect(await whose("", { CAUSEWAY_PROFILE: "work" })).toBe("ada@example.org");
    expect(await whose(" --profile default", { CAUSEWAY_PROFILE: "work" })).toBe("owner@localhost");

    expect((await run("profiles use work")).stdout).toContain(`${server.url} as ada@example.org`);
    expect(await whose("")).toBe("ada@example.org");
    const list = JSON.parse((await run("profiles list --json")).stdout);
    expect(list.data).toMatchObject([
      { name: "default", current: false, email: "owner@localhost", url: server.url },
      { name: "work", current: true, email: "ada@example.org", url: server.url },
    ]);

    const token = (await profiles()).profiles["work"]?.["session"];
    expect((await run("logout")).stdout).toContain('the profile "work" is gone');
    expect((await server.call("GET", "/v1/me", { token })).status).toBe(401);
    expect(Object.keys((await profiles()).profiles)).toEqual(["default"]);
  });

  it("give the address too, which the environment overrides", async () => {
    const tools = server.toolsUrl;
    await runAsOwner(`login --url ${server.url} --tools-url ${tools}`, { CAUSEWAY_URL: "" });
    const elsewhere = { CAUSEWAY_URL: "", CAUSEWAY_DATA_DIR: "" };
    expect((await run("keys list", elsewhere)).code).toBe(0);
    expect((await run("eol node 24", elsewhere)).stdout).toContain("Node.js (nodejs)");
    const closed = `http://127.0.0.1:${await closedPort()}`;
    const { stderr } = await run("keys list", { CAUSEWAY_URL: closed });
    expect(stderr).toContain(`${closed} cannot be reached`);
  });

  it("that are not there are refused with those that are", async () => {
    await runAsOwner("login");
    for (const [words, environment] of [
      ["keys list --profile play", {}],
      ["keys list", { CAUSEWAY_PROFILE: "play" }],
      ["logout --profile play", {}],
      ["profiles use play", {}],
    ] as const) {
      const { code, stderr } = await run(words, environment);
      expect({ words, code, stderr }).toEqual({
        words,
        code: 1,
        stderr:
          'There is no profile "play"; there are default.\n' +
          "Make it with `npx causeway login --profile play`.\n",
      });
    }
  });

  it("are not taken over by a login at another server", async () => {
    await runAsOwner("login");
    const { code, stderr } = await run("login --url https://other.example --email ada@example.org");
    expect(code).toBe(1);
    expect(stderr).toContain(
      `The profile "default" is of ${server.url}, not of https://other.example.`,
    );
  });

  it("have names that are words", async () => {
    const { code, stderr } = await runAsOwner("login --profile ../x");
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^"\.\.\/x" cannot/),
    });
  });

  it.each(["", "{", '{"profiles": {"default": {"url": 7}}}', '{"profiles": []}{'])(
    "that cannot be read are named: %j",
    async (text) => {
      await mkdir(join(home, "causeway"), { recursive: true });
      await writeFile(file(), text);
      const { code, stderr } = await run("keys list");
      expect({ code, stderr }).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`${file()}: is not what`),
      });
    },
  );

  it("that cannot be reached are named before anybody signs in", async () => {
    await writeFile(home, "");
    const { code, stderr } = await runAsOwner("login");
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${file()}: cannot be read (ENOTDIR)`),
    });
  });
});

describe("causeway logout", () => {
  it("says so when nobody has signed in", async () => {
    expect(await run("logout")).toMatchObject({
      code: 1,
      stderr: "Nobody has signed in; see npx causeway profiles list.\n",
    });
  });

  it("keeps the profile when its server cannot be reached, and ends with 1", async () => {
    const away = await profileOfServerAway();
    const { code, stdout, stderr } = await run("logout");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("cannot be reached");
    expect(stderr).toContain("npx causeway logout --local --profile default");
    expect(await profiles()).toEqual(away);
  });

  it("deletes the profile alone with --local, and names the key that stays valid", async () => {
    await profileOfServerAway();
    const { code, stderr } = await run("logout --local");
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("npx causeway keys revoke key_x\n"),
    });
    expect(await profiles()).toEqual({ profiles: {} });
  });

  it("keeps the key of an ended session, which the next session revokes", async () => {
    await runAsOwner("login");
    await run("profiles create-key");
    const { session = "", key } = (await profiles()).profiles["default"] ?? {};
    const { id } = key as unknown as { id: string };
    await server.call("POST", "/v1/sign_out", { token: session });
    expect((await run("logout")).code).toBe(1);
    expect((await profiles()).profiles["default"]).toMatchObject({ key: { id } });
    await runAsOwner("login");
    expect(await isRevoked(id)).toBe(false);
    expect((await run("logout")).code).toBe(0);
    expect(await isRevoked(id)).toBe(true);
  });

  async function profileOfServerAway() {
    const url = `http://127.0.0.1:${await closedPort()}`;
    await mkdir(join(home, "causeway"), { recursive: true });
    const key = { id: "key_x", secret: "cwk_x" };
    const profile = { url, email: "ada@example.org", session: "cws_x", key };
    const file = { current: "default", profiles: { default: profile } };
    await writeFile(join(home, "causeway", "profiles.json"), JSON.stringify(file));
    return file;
  }
});

describe("a login over a profile of the same server", () => {
  it("ends the earlier session and keeps the key of the same user", async () => {
    await runAsOwner("login");
    await run("profiles create-key");
    const before = (await profiles()).profiles["default"] ?? {};
    expect(await runAsOwner("login")).toMatchObject({ code: 0, stderr: "" });
    const after = (await profiles()).profiles["default"] ?? {};
    expect(after["key"]).toEqual(before["key"]);
    const statusOf = async (token = "") => (await server.call("GET", "/v1/me", { token })).status;
    expect(await statusOf(before["session"])).toBe(401);
    expect(await statusOf(after["session"])).toBe(200);
  });

  it("revokes the earlier key when another user signs in", async () => {
    await runAsOwner("login");
    await run("profiles create-key");
    const { key } = (await profiles()).profiles["default"] ?? {};
    const { id } = key as unknown as { id: string };
    expect(await loginByMail()).toMatchObject({ code: 0, stderr: "" });
    expect((await profiles()).profiles["default"]).not.toHaveProperty("key");
    expect(await isRevoked(id)).toBe(true);
  });

  it("names the earlier key when it cannot be revoked", async () => {
    await runAsOwner("login");
    await run("profiles create-key");
    const { key, session = "" } = (await profiles()).profiles["default"] ?? {};
    const { id } = key as unknown as { id: string };
    await server.call("POST", "/v1/sign_out", { token: session });
    expect(await loginByMail()).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`npx causeway keys revoke ${id}\n`),
    });
  });
});

/** Whether a key of the machine's owner is revoked. */
async function isRevoked(id: string): Promise<boolean> {
  const token = server.adminToken;
  const users = await server.call("GET", "/v1/admin/users", { token });
  const { id: owner } = users.body.data.find(
    ({ email }: { email: string }) => email === "owner@localhost",
  );
  const keys = await server.call("GET", `/v1/admin/users/${owner}/keys?limit=100`, { token });
  const key = keys.body.data.find((row: { id: string }) => row.id === id);
  return key.revoked_at !== null;
}
