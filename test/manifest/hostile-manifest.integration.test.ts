import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTools, type ToolsFixture } from "../depshealth/service/tools-fixture.ts";

let tools: ToolsFixture;

beforeAll(async () => {
  tools = await startTools();
});

afterAll(() => tools.close());

describe("deps_audit with a hostile manifest", () => {
  it("answers at once, and does not keep a second request waiting", async () => {
    const manifest = `-r${" ".repeat(59_000)}x\u2028y`;
    // The old expression took 13 seconds of an idle machine.
    const start = performance.now();
    const first = tools.tool("deps_audit", { manifest, manifest_kind: "requirements.txt" });
    const second = tools.tool("runtime_eol", { product: "node" });
    expect((await second).status).toBe(200);
    const { status, body } = await first;
    expect(performance.now() - start).toBeLessThan(10_000);
    expect(status).toBe(200);
    const [unparsed] = body.unparsed;
    expect(unparsed).toMatchObject({ line: 1, reason: "include: that file was not sent" });
  });

  it("reports a specifier that nests without end", async () => {
    const manifest = `{"dependencies":{"a":${"[".repeat(25_000)}${"]".repeat(25_000)}}}`;
    const { status, body } = await tools.tool("deps_audit", { manifest });
    expect(status).toBe(200);
    expect(body.unparsed).toMatchObject([{ line: 1, reason: "invalid_json: it nests too deep" }]);
  });
});
