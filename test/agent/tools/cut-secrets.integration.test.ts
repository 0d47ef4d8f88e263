/** Secrets in what a server says, where that is cut to a length. */
import { describe, expect, it } from "vitest";
import { sendResult, startHostileServer } from "./mcp-servers.ts";
import { mcpItem, openToolbox, textOf } from "./open-toolbox.ts";

const secret = "s3cret-token-of-the-owner";
const headers = { authorization: `Bearer ${secret}` };

/** Every place at which a cut could fall within the secret. */
const paddings = (limit: number) =>
  Array.from({ length: secret.length + 12 }, (_, at) => limit - 2 - at);

describe("the secret of a server's headers", () => {
  it("is not shown in part where a refusal is cut", async () => {
    let padding = 0;
    const server = await startHostileServer({
      "tools/list": (response, id) =>
        sendResult(response, id, { tools: [{ name: "act", inputSchema: { type: "object" } }] }),
      "tools/call": (response, id) => {
        const message = `${" ".repeat(padding)}You sent ${secret}.`;
        const error = { code: -32_000, message };
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ jsonrpc: "2.0", id, error }));
      },
    });
    const box = openToolbox({ mcpServers: [mcpItem(server.url, { headers })] });
    const outfit = await box.outfit();
    for (padding of [...paddings(500), ...paddings(2000)]) {
      const text = textOf(await box.call(outfit, "act"));
      expect(text).toContain("It says: Y");
      expect(text).not.toContain("s3");
    }
  });

  it("is not shown in part where a description is cut", async () => {
    const tools = paddings(1024).map((padding, at) => ({
      name: `t${at}`,
      description: `${"x".repeat(padding)}${secret}`,
      inputSchema: { type: "object" },
    }));
    const server = await startHostileServer({
      "tools/list": (response, id) => sendResult(response, id, { tools }),
    });
    const outfit = await openToolbox({ mcpServers: [mcpItem(server.url, { headers })] }).outfit();
    expect(outfit.tools).toHaveLength(tools.length);
    expect(JSON.stringify(outfit)).not.toContain("xs");
  });
});
