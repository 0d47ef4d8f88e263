import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { runCauseway, type Outcome } from "../support/causeway-process.ts";
import { closedPort } from "../support/closed-port.ts";
import { startLoopbackServer } from "../support/loopback-server.ts";
import { startTestInstance, type TestInstance, type TestUser } from "../support/test-instance.ts";

vi.setConfig({ testTimeout: 60_000 });

describe("a command line that is not understood", () => {
  it.each([
    [[], "Usage: causeway [options] [command]"],
    [["upstreams"], "Usage: causeway upstreams [options] [command]"],
    [["nonsense"], "error: unknown command 'nonsense'\nSee: causeway --help\n"],
    [
      ["upstreams", "lst"],
      "error: unknown command 'lst'\n(Did you mean list?)\nSee: causeway upstreams --help\n",
    ],
    [
      ["upstreams", "list", "--bad"],
      "error: unknown option '--bad'\nSee: causeway upstreams list --help\n",
    ],
    [
      ["keys", "revoke"],
      "error: missing required argument 'id'\nSee: causeway keys revoke --help\n",
    ],
    [["serve", "--bad"], "error: unknown option '--bad'\nSee: causeway serve --help\n"],
    [["upstreams", "list", "--limit", "99999999999"], "out of range"],
  ])("the words %j end with 2 and say where help is", async (words, message) => {
    const { code, stdout, stderr } = await runCauseway(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(message);
  });
});

it.each([
  'vendors link openai --login {"access_token":"hunter2",}',
  'vendors link openai --login {"access_token":["hunter2"]}',
  "upstreams create --label a --base-url http://a.example --headers x-api-key:hunter2",
  "conformance --model m --base-url http://ada:hunter2@a.example",
  "conformance --model m --base-url http//ada:hunter2@a.example",
])("ends with 2 without quoting the secret of: %s", async (words) => {
  const { code, stdout, stderr } = await runCauseway(words.split(" "));
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^error: --/);
  expect(stderr).not.toContain("hunter2");
});

it("prints the version of the package, and ends with 0", async () => {
  const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };
  expect(await runCauseway(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
});

describe("--help", () => {
  it("lists every noun with its verbs, and ends with 0", async () => {
    const { code, stdout, stderr } = await runCauseway(["--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/upstreams +list, create, update, delete, probe\n/);
    expect(stdout).toContain("CAUSEWAY_URL");
  });

  it("describes operations in the words of the contract", async () => {
    const { stdout } = await runCauseway(["upstreams", "--help"]);
    expect(stdout).toMatch(/create \[options\] +Registers an endpoint and probes it\n/);
  });
});

describe("a server that cannot be used", () => {
  const list = (url: string) =>
    runCauseway(["upstreams", "list"], {
      environment: { CAUSEWAY_URL: url, CAUSEWAY_KEY: "cwk_x" },
    });

  it("is named, with what to do, when it does not listen", async () => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    const { code, stderr } = await list(url);
    expect(code).toBe(1);
    expect(stderr).toContain(`${url} cannot be reached: connect ECONNREFUSED`);
    expect(stderr).toContain("Start the server with `causeway serve`");
  });

  it("is named when it is another server", async () => {
    const { origin } = await startLoopbackServer((_, response) => {
      response.writeHead(404, { "content-type": "text/html" }).end("<html></html>");
    });
    const { code, stderr } = await list(origin);
    expect(code).toBe(1);
    expect(stderr).toContain(`${origin} does not answer as a Causeway server does`);
  });

  it("is no address at all", async () => {
    const { code, stderr } = await list("nonsense");
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'CAUSEWAY_URL: must be an http or https address such as http://127.0.0.1:8080, not "nonsense"\n',
    });
  });
});

describe("a client of the server", () => {
  let causeway: TestInstance;
  let user: TestUser;
  beforeAll(async () => {
    causeway = await startTestInstance({ own: true });
    user = await causeway.createUser("ada@example.org");
  });
  afterAll(() => causeway.close());

  function run(words: readonly string[], token = user.session): Promise<Outcome> {
    const environment = {
      CAUSEWAY_URL: causeway.url,
      CAUSEWAY_KEY: token,
      CAUSEWAY_ADMIN_TOKEN: causeway.adminToken,
    };
    return runCauseway(words, { environment });
  }

  it("[start.cli] makes, changes and lists", async () => {
    const words = ["keys", "create", "--name", "robot", "--scopes", "endpoints:read", "--json"];
    const { key, secret } = JSON.parse((await run(words)).stdout);
    expect(key).toMatchObject({ object: "key", name: "robot", scopes: ["endpoints:read"] });
    expect((await causeway.call("GET", "/v1/upstreams", { token: secret })).status).toBe(200);
    const budget = ["--budget", '{"limit_usd": 5, "window": "day"}'];
    const limited = await run(["keys", "update", key.id, ...budget, "--json"]);
    expect(JSON.parse(limited.stdout).budget).toMatchObject({ limit_usd: 5, window: "day" });
    const free = await run(["keys", "update", key.id, "--no-budget", "--no-scopes", "--json"]);
    expect(JSON.parse(free.stdout)).toMatchObject({ budget: null, scopes: [], name: "robot" });
    const { stdout } = await run(["keys", "list"]);
    expect(stdout).toMatch(/^id +name .*\nkey_\w+ +robot /);
    expect(stdout).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
  });

  it("reads a login from stdin, where no list of processes shows it", async () => {
    const environment = { CAUSEWAY_URL: causeway.url, CAUSEWAY_KEY: user.session };
    const piped = `printf %s '{"access_token": "a"}' | "${process.execPath}" bin/causeway.js "$@"`;
    const words = ["vendors", "link", "openai", "--login", "-"];
    const command: [string, ...string[]] = ["sh", "-c", piped, "sh"];
    const { stderr } = await runCauseway(words, { environment, command });
    expect(stderr).toContain("The vendor `openai` takes `api_key`, not `login`.");
  });

  it("prints as JSON what REST answers", async () => {
    const { stdout } = await run(["me", "show", "--json"]);
    const { body } = await causeway.call("GET", "/v1/me", { token: user.session });
    expect(JSON.parse(stdout)).toEqual(body);
  });

  it("uses the operator token for operator methods", async () => {
    const { code, stdout } = await run(["users", "list", "--limit", "1"]);
    expect(code).toBe(0);
    expect(stdout).toContain("ada@example.org");
  });

  it("tells a refusal with its code and where to read about it", async () => {
    const { code, stdout, stderr } = await run(["keys", "revoke", "key_nobody"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(
      /^not_found.*\nSee http:\/\/127\.0\.0\.1:\d+\/docs\/errors#not_found\n$/,
    );
  });

  it("says which variable holds the credential when it is refused", async () => {
    const { code, stderr } = await run(["upstreams", "list"], "cwk_junk");
    expect(code).toBe(1);
    expect(stderr).toMatch(/^unauthorized: /);
    expect(stderr).toContain(
      "Set CAUSEWAY_KEY to a caller key (cwk_…) or a session token (cws_…).",
    );
    const ofPeople = await run(["keys", "list"], "cwk_junk");
    expect(ofPeople.stderr).toContain("Set CAUSEWAY_KEY to a session token (cws_…).");
  });
});
