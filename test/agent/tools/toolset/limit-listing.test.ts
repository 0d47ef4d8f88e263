import { describe, expect, it } from "vitest";
import { buildAgentToolset } from "../../../../src/agent/tools/toolset/build-toolset.ts";
import { limitToolListByPolicy } from "../../../../src/agent/tools/toolset/limit-listing.ts";
import { parseMcpToolList } from "../../../../src/agent/tools/toolset/listed-mcp-tool.ts";
import {
  createDeclaredMcpToolPolicy,
  createMcpExtensionToolPolicy,
} from "../../../../src/agent/tools/toolset/tool-policy.ts";
import { countEventLoopTurns } from "../../../support/event-loop-turns.ts";
import { expectLinear } from "../../../support/growth.ts";
import { noOmittedAgentExtensions } from "../../../../src/domain/agent-items.ts";
import { mcpItem } from "../open-toolbox.ts";

/** Tools `t000`, `t001` and so on, each with a schema of so many characters and more. */
function listed(count: number, characters = 10) {
  const inputSchema = { type: "object", description: "x".repeat(characters) };
  return parseMcpToolList(
    Array.from({ length: count }, (_, at) => ({
      name: `t${String(at).padStart(3, "0")}`,
      description: "Does it.",
      inputSchema,
    })),
  );
}

const item = mcpItem("https://x.example/", { tools: ["t1*", "t2*", "t3*"] });
const declared = {
  label: "shop",
  description: undefined,
  url: "https://x.example/",
  headers: {},
  allowed: undefined,
  approval: { always: undefined, never: {} },
};
const nothing = { rules: [], skills: [], mcpServers: [], omitted: noOmittedAgentExtensions };

describe("limitListing", () => {
  it("keeps the names alone of tools that cannot be offered", async () => {
    const { tools } = await limitToolListByPolicy(listed(400), createMcpExtensionToolPolicy(item));
    expect(tools).toHaveLength(300);
    expect(tools[127]).toMatchObject({ name: "t227", description: "Does it." });
    expect(tools[128]).toMatchObject({ name: "t228", description: undefined, parameters: {} });
    const large = await limitToolListByPolicy(
      listed(20, 60_000),
      createDeclaredMcpToolPolicy(declared),
    );
    expect(large.tools.map(({ description }) => description !== undefined)).toEqual(
      Array.from({ length: 20 }, (_, at) => at < 8),
    );
  });

  it("does not change what is offered", async () => {
    const policy = createDeclaredMcpToolPolicy(declared);
    const all = listed(300, 3000);
    const build = (result: typeof all) =>
      buildAgentToolset({
        items: nothing,
        declared: [],
        builtIn: [],
        servers: [{ policy, label: "shop", result }],
        skippedServers: 0,
      });
    const toolset = await build(await limitToolListByPolicy(all, policy));
    expect(toolset).toEqual(await build(all));
    expect(toolset.tools).toHaveLength(128);
    // Its caller sees the tools that are offered.
    expect(toolset.listings).toMatchObject([{ label: "shop", error: undefined }]);
    const told = toolset.listings?.[0]?.tools ?? [];
    expect(told.map(({ name }) => name)).toEqual(toolset.tools.map(({ name }) => name));
  });

  it("lets other work run while many tools are judged by many patterns", async () => {
    const patterns = Array.from({ length: 100 }, (_, at) => `${"*t".repeat(50)}*${at}x`);
    const policy = createMcpExtensionToolPolicy(mcpItem("https://x.example/", { tools: patterns }));
    const { result, turns } = await countEventLoopTurns(() =>
      limitToolListByPolicy(listed(1000), policy),
    );
    expect(result.tools).toEqual([]);
    expect(turns).toBeGreaterThan(100);
  });
});

describe("createDeclaredServerToolPolicy", () => {
  it("judges tools by names in time that grows with the number of both", () => {
    expectLinear(5000, (size) => {
      const names = Array.from({ length: size }, (_, at) => `tool_${at}`);
      const filter = { names };
      const approval = { always: undefined, never: filter };
      return () => {
        const policy = createDeclaredMcpToolPolicy({ ...declared, allowed: filter, approval });
        return names.every((name) => policy.isAllowed({ name }) && !policy.needsApproval({ name }));
      };
    });
  });
});
