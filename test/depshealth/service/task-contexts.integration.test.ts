import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { restClient } from "../../support/rest-client.ts";
import { execute } from "../../support/test-database.ts";
import { startTools, type ToolsFixture } from "./tools-fixture.ts";

const path = "/v1/admin/task_contexts";
const today = new Date().toISOString().slice(0, 10);
const npm = { ecosystem: "npm", name: "left" };

let tools: ToolsFixture;

beforeAll(async () => {
  tools = await startTools();
  await tools.tool("package_health", { ...npm, task_context: "Choosing left" });
  await tools.tool("deps_audit", { packages: [npm], task_context: "Auditing left" });
  const both = [npm, { ecosystem: "pypi", name: "left" }];
  await tools.tool("deps_audit", { packages: both, task_context: "Auditing both" });
  await tools.tool("runtime_eol", { product: "node", task_context: "Upgrading \u{1f680}" });
  await tools.tool("package_health", { ...npm, name: "", task_context: "Refused" });
});

afterAll(() => tools.close());

function textsOf(body: { data: { text: string }[] }): string[] {
  return body.data.map(({ text }) => text).toSorted();
}

describe("listTaskContexts", () => {
  it("[tools.context-kept] shows what was said, with tool, ecosystem and day, and nothing of who said it", async () => {
    const { status, body } = await tools.operator(path);
    expect(status).toBe(200);
    const rows = body.data.toSorted((a: { text: string }, b: { text: string }) =>
      a.text < b.text ? -1 : 1,
    );
    const row = { id: expect.stringMatching(/^context_/), object: "task_context", day: today };
    expect(rows).toEqual([
      { ...row, text: "Auditing both", tool: "deps_audit", ecosystem: null },
      { ...row, text: "Auditing left", tool: "deps_audit", ecosystem: "npm" },
      { ...row, text: "Choosing left", tool: "package_health", ecosystem: "npm" },
      { ...row, text: "Upgrading \u{1f680}", tool: "runtime_eol", ecosystem: null },
    ]);
    expect(body).toMatchObject({ object: "list", has_more: false });
  });

  it("[tools.context-kept] has ids that tell the day and no more", async () => {
    const { body } = await tools.operator(path);
    const days = new Set(
      body.data.map(({ id }: { id: string }) =>
        id.slice("context_".length, "context_".length + 10),
      ),
    );
    expect(days.size).toBe(1);
  });

  it("filters by tool and by day", async () => {
    expect(textsOf((await tools.operator(`${path}?tool=deps_audit`)).body)).toHaveLength(2);
    expect(textsOf((await tools.operator(`${path}?from=${today}&to=${today}`)).body)).toHaveLength(
      4,
    );
    expect(textsOf((await tools.operator(`${path}?to=2020-01-01`)).body)).toEqual([]);
    expect(textsOf((await tools.operator(`${path}?from=2999-01-01`)).body)).toEqual([]);
  });

  it("pages like every list", async () => {
    const first = await tools.operator(`${path}?limit=3`);
    expect(first.body).toMatchObject({ has_more: true });
    const second = await tools.operator(`${path}?limit=3&after_id=${first.body.last_id}`);
    expect(second.body.data).toHaveLength(1);
    const back = await tools.operator(`${path}?limit=3&before_id=${second.body.first_id}`);
    expect(back.body.data).toEqual(first.body.data);
  });

  it.each([
    ["from=yesterday", "from"],
    ["to=2026-1-1", "to"],
    ["to=2026-02-30", "to"],
    ["from=2026-13-01", "from"],
    ["tool=everything", "tool"],
    ["limit=0", "limit"],
    ["after_id=context_nothing", "after_id"],
  ])("refuses %s", async (query, param) => {
    expect(await tools.operator(`${path}?${query}`)).toMatchObject({
      status: 400,
      body: { param },
    });
  });

  it("is the operator's", async () => {
    const call = restClient(tools.causeway.toolsUrl);
    expect((await call("GET", path)).status).toBe(401);
    expect((await call("GET", path, { token: "cwa_wrong_token_of_somebody" })).status).toBe(401);
    const { session } = await tools.causeway.createUser();
    expect((await call("GET", path, { token: session })).status).toBe(403);
  });
});

describe("what callers say", () => {
  it("[tools.context-kept] is forgotten after thirty days", async () => {
    const { connectionString } = tools.causeway;
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    const values = [29, 31].map(
      (ago) => `('context_${ago}', 'Said ${ago} days ago', 'runtime_eol', null, '${day(ago)}')`,
    );
    await execute(connectionString, `insert into task_contexts values ${values.join(", ")}`);
    const texts = textsOf((await tools.operator(path)).body);
    expect(texts).toContain("Said 29 days ago");
    expect(texts).not.toContain("Said 31 days ago");
  });

  it("[file.task-context] is not kept where the operator keeps none", async () => {
    const other = await startTools({ settings: { task_context: "off" } });
    await other.tool("package_health", { ...npm, task_context: "Unkept" });
    expect((await other.operator(path)).body.data).toEqual([]);
    await other.close();
  });

  it("is never in the log", () => {
    expect(JSON.stringify(tools.causeway.logLines())).not.toContain("Choosing left");
  });

  it("is written although the process ends right after", async () => {
    const other = await startTools();
    const again = await startTools({
      environment: { DATABASE_URL: other.causeway.connectionString },
    });
    await again.tool("runtime_eol", { product: "node", task_context: "Last words" });
    await again.close();
    expect(textsOf((await other.operator(path)).body)).toEqual(["Last words"]);
    await other.close();
  });
});
