/** Lists of tools that are stored for as long as their servers say. */
import { describe, expect, it } from "vitest";
import { countEventLoopTurns } from "../../support/event-loop-turns.ts";
import { startModernServer, textResult } from "./mcp-servers.ts";
import { mcpItem, openToolbox } from "./open-toolbox.ts";

describe("stored lists of tools", () => {
  it("are read one after the other, with other work in between", async () => {
    const served = { tools: [{ name: "fine" }], call: () => textResult("Yes.") };
    const server = await startModernServer(served, { ttlMs: 60_000 });
    const names = ["a", "b", "c", "d", "e"];
    const box = openToolbox({ mcpServers: names.map((name) => mcpItem(server.url, { name })) });
    const first = await box.outfit();
    const asked = server.requests.length;
    const { result, turns } = await countEventLoopTurns(() => box.outfit());
    expect(server.requests).toHaveLength(asked);
    expect(result).toEqual(first);
    // One for each list, and one for each note.
    expect(turns).toBeGreaterThanOrEqual(2 * names.length);
  });
});
