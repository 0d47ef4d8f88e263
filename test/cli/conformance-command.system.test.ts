import { describe, expect, it } from "vitest";
import type { ConformanceReport } from "../../src/conformance/report.ts";
import { fakeModel } from "../conformance/fake-model.ts";
import { startModelApp } from "../gateway/model-app.ts";
import { runCauseway } from "../support/causeway-process.ts";
import { startFakeUpstream } from "../support/fake-upstream.ts";

async function startGateway() {
  const upstream = await startFakeUpstream(fakeModel);
  const app = await startModelApp();
  app.addEndpoint({ baseUrl: new URL(`${upstream.origin}/v1`) });
  return app;
}

const model = ["--model", "custom/acme/m"];

describe("causeway conformance", { timeout: 60_000 }, () => {
  it("[start.cli-conformance] prints a line for each case, its score, and ends with 0 when none failed", async () => {
    const { origin, token } = await startGateway();
    const words = ["--base-url", `${origin}/v1/`, "--key", token, "--only", "tool-call"];
    const { code, stdout } = await runCauseway(["conformance", ...model, ...words]);
    expect(stdout).toContain("chat: 4 of 4\n  pass  hello-whole\n  pass  tool-call-whole\n");
    expect(stdout).toContain("\n\nmessages: 4 of 4\n");
    expect(stdout).toMatch(/with custom\/acme\/m: 12 passed, 0 failed, 0 skipped\n$/);
    expect(code).toBe(0);
  });

  it("takes the own server and key from the environment, and prints JSON", async () => {
    const { origin, token } = await startGateway();
    const words = ["--dialect", "messages", "--only", "messages/error", "--json"];
    const environment = { CAUSEWAY_URL: origin, CAUSEWAY_KEY: token };
    const run = await runCauseway(["conformance", ...model, ...words], { environment });
    const report = JSON.parse(run.stdout) as ConformanceReport;
    expect(report).toMatchObject({
      model: "custom/acme/m",
      failed: 0,
      passed: report.cases.length,
    });
    expect(report.cases[1]).toEqual({
      dialect: "messages",
      name: "error-not-json",
      holds: "A body that is no JSON is a 400 that the official client can read.",
      outcome: "passed",
      milliseconds: expect.any(Number),
    });
    expect(run.code).toBe(0);
  });

  it("ends with 1 when a case failed, and tells what was there instead", async () => {
    const { origin } = await startGateway();
    const words = ["--base-url", origin, "--key", "cwk_wrong", "--dialect", "chat"];
    const { code, stdout } = await runCauseway(["conformance", ...model, ...words]);
    expect(stdout).toMatch(/FAIL {2}hello-whole .*\n +The answer is 401, not 200: /);
    expect(stdout).toMatch(/skip {2}hello-streamed +hello-whole was answered with 401\n/);
    expect(code).toBe(1);
  });

  it("ends with 1 when nothing answers", async () => {
    const words = ["--base-url", "http://127.0.0.1:9", "--key", "k", "--dialect", "chat"];
    const { code, stdout } = await runCauseway(["conformance", ...model, ...words]);
    expect(stdout).toContain("FAIL  hello-whole");
    expect(code).toBe(1);
  });

  const misused: [string, string[], RegExp][] = [
    ["no model", ["--key", "k"], /'--model <model>' not specified/],
    ["no key", model, /--key is missing/],
    ["an address that is none", [...model, "--base-url", "ftp://x", "--key", "k"], /http or https/],
    ["an unknown dialect", [...model, "--key", "k", "--dialect", "french"], /Allowed choices/],
    ["a time that is none", [...model, "--key", "k", "--timeout", "soon"], /1 to 3600/],
  ];

  it.each(misused)("ends with 2 for %s", async (_what, words, message) => {
    const { code, stderr } = await runCauseway(["conformance", ...words]);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });

  it("never sends the key of the environment to another address", async () => {
    const { origin, token } = await startGateway();
    const words = [...model, "--base-url", origin];
    const environment = { CAUSEWAY_KEY: token };
    const { code, stderr } = await runCauseway(["conformance", ...words], { environment });
    expect([code, stderr]).toEqual([2, expect.stringContaining("--key is missing")]);
  });
});
