import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startFakeSources, type FakeSources } from "../../support/fake-sources/fake-sources.ts";
import { startToolsProcess, type ToolsProcess } from "../../support/tools-process.ts";
import { expectedVerdicts, type LabelledPackage } from "./expected-verdicts.ts";
import { serveLabelledPackages } from "./labelled-packages.ts";

vi.setConfig({ hookTimeout: 120_000 });

let fake: FakeSources;
let tools: ToolsProcess;

beforeAll(async () => {
  fake = await startFakeSources();
  serveLabelledPackages(fake);
  tools = await startToolsProcess(fake.configuration());
});

afterAll(async () => {
  await tools?.end();
  await fake.close();
});

async function health({ ecosystem, name, version }: LabelledPackage) {
  const body = { ecosystem, name, version, task_context: "Choosing a package" };
  const answer = await tools.call("POST", "/tools/package_health", { body });
  expect(answer.status).toBe(200);
  return answer.body;
}

describe("packages whose verdict people agree on", () => {
  it("get it from package_health, with the reason and what took their place", async () => {
    const reports = await Promise.all(expectedVerdicts.map(health));
    const found = reports.map(({ name, verdict, reasons, replacement }) => ({
      name,
      verdict,
      reason: reasons[0].code,
      replacement: replacement?.name ?? null,
    }));
    const expected = expectedVerdicts.map(({ name, verdict, reason, replacement = null }) => ({
      name: name === "PyYAML" ? "pyyaml" : name,
      verdict,
      reason,
      replacement,
    }));
    expect(found).toEqual(expected);
    for (const [index, { further = [] }] of expectedVerdicts.entries()) {
      const codes = reports[index].reasons.map(({ code }: { code: string }) => code);
      expect(codes).toEqual(expect.arrayContaining([...further]));
    }
  });

  it("[health.audit] get the same verdict from deps_audit", async () => {
    const known = expectedVerdicts.slice(0, 25);
    const body = {
      packages: known.map(({ ecosystem, name, version }) => ({ ecosystem, name, version })),
      task_context: "Auditing",
    };
    const { status, body: report } = await tools.call("POST", "/tools/deps_audit", { body });
    expect(status).toBe(200);
    const verdicts = report.packages.map(({ verdict }: { verdict: string }) => verdict);
    expect(verdicts).toEqual(known.map(({ verdict }) => verdict));
  });
});
