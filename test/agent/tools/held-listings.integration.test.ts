/** Memory of what MCP servers send, which is counted to the account while it is read. */
import { describe, expect, it } from "vitest";
import { ApiError } from "../../../src/platform/errors.ts";
import type { MemoryReserver } from "../../../src/platform/hold-memory.ts";
import { sendResult, startHostileServer, startModernServer, textResult } from "./mcp-servers.ts";
import { mcpItem, openToolbox, textOf } from "./open-toolbox.ts";

const mebi = 1024 * 1024;

/** Memory of an account that may hold so much. */
function memory(mostBytes = Infinity) {
  const held = { bytes: 0, peak: 0 };
  const hold: MemoryReserver = (bytes) => {
    if (held.bytes + bytes > mostBytes) throw new ApiError("rate_limited", "No room is left.");
    held.bytes += bytes;
    held.peak = Math.max(held.peak, held.bytes);
    let left = bytes;
    return () => {
      held.bytes -= left;
      left = 0;
    };
  };
  return { held, hold };
}

/** A server that lists 130 tools in 2 MB, each with a schema of almost as many values as are taken. */
async function startWideServer() {
  const inputSchema = { type: "object", enum: Array.from({ length: 4900 }, () => ({})) };
  const tools = Array.from({ length: 130 }, (_, at) => ({ name: `t${at}`, inputSchema }));
  return startHostileServer({
    "tools/list": (response, id) => sendResult(response, id, { tools }),
  });
}

const { signal } = new AbortController();

describe("a list of tools", () => {
  it("is read up to a number of values", async () => {
    const wide = await startWideServer();
    const { tools } = await openToolbox({ mcpServers: [mcpItem(wide.url)] }).outfit();
    expect(tools.length).toBeGreaterThan(10);
    expect(tools.length).toBeLessThan(30);
  });

  it("is counted while it is read, with its values", async () => {
    const wide = await startWideServer();
    const { held, hold } = memory();
    await openToolbox({ mcpServers: [mcpItem(wide.url)] }).outfit(signal, hold);
    expect(held.peak).toBeGreaterThan(40 * mebi);
    expect(held.bytes).toBe(0);
  });

  it("is missing where the account may not hold it, and other lists are not", async () => {
    const wide = await startWideServer();
    const good = await startModernServer({
      tools: [{ name: "fine" }],
      call: () => textResult("x".repeat(100_000)),
    });
    const items = [mcpItem(wide.url, { name: "wide" }), mcpItem(good.url, { name: "good" })];
    const box = openToolbox({ mcpServers: items });
    const { held, hold } = memory(8 * mebi);
    const outfit = await box.outfit(signal, hold);
    expect(outfit.tools.map(({ name }) => name)).toEqual(["fine"]);
    expect(outfit.instructions.join()).toContain(
      "The MCP server `wide` sent more than the other calls of this account leave room for",
    );
    expect(held.bytes).toBe(0);
    const result = await box.call(outfit, "fine", { hold });
    expect(result.isError).toBe(false);
    expect(held.bytes).toBe(0);
    const refused = await box.call(outfit, "fine", { hold: memory(50_000).hold });
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toContain("sent more than the other calls");
  });
});
