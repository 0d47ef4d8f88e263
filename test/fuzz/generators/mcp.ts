import fc from "fast-check";
import type { FuzzCase } from "../fuzz-case.ts";
import type { World } from "../run/world.ts";
import { someCredential } from "./credential.ts";
import { hostileName, jsonText } from "./hostile.ts";
import { mutated } from "./mutate.ts";
import { someCuts } from "./pieces.ts";
import { rawCall } from "./raw-call.ts";

const call = (name: string, parameters: object) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, arguments: parameters, _meta: { progressToken: 1 } },
});

const requests: readonly unknown[] = [
  {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: { roots: {}, sampling: {} },
      clientInfo: { name: "fuzz", version: "1" },
    },
  },
  { jsonrpc: "2.0", method: "notifications/initialized" },
  { jsonrpc: "2.0", id: 2, method: "tools/list", params: { cursor: "x" } },
  { jsonrpc: "2.0", id: "3", method: "ping" },
  call("package_health", { ecosystem: "npm", name: "left", task_context: "Choosing" }),
  call("deps_audit", { packages: [{ ecosystem: "npm", name: "left" }], task_context: "Auditing" }),
  call("runtime_eol", { product: "node", cycle: "24", task_context: "Upgrading" }),
  [
    { jsonrpc: "2.0", id: 4, method: "ping" },
    { jsonrpc: "2.0", id: 5, method: "tools/list" },
  ],
  { jsonrpc: "2.0", id: 6, method: "resources/list" },
  { jsonrpc: "2.0", id: 7, result: {} },
  { jsonrpc: "2.0", id: 8, method: "server/discover", params: {} },
];

/** JSON-RPC messages to `/mcp`, honest ones with a few things done to them. */
export function mcpCases(world: World): fc.Arbitrary<FuzzCase> {
  return fc
    .record({
      body: mutated(fc.constantFrom(...requests)),
      method: fc.oneof(
        { weight: 12, arbitrary: fc.constant("POST") },
        fc.constantFrom("GET", "DELETE", "PUT"),
      ),
      credential: fc.oneof(
        { weight: 4, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: someCredential(world) },
      ),
      headers: someHeaders,
      version: fc.constantFrom("http1" as const, "http1" as const, "http2" as const),
      cuts: fc.oneof(
        { weight: 6, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: someCuts },
      ),
    })
    .map(({ body, method, credential, headers, version, cuts }) => {
      const call = {
        kind: "call",
        service: "tools",
        version,
        method,
        path: "/mcp",
        headers: { ...usual, ...credential, ...headers },
        body: method === "POST" ? Buffer.from(jsonText(body)) : undefined,
        tolerates: [],
      } as const;
      return cuts === undefined ? call : rawCall(call, cuts);
    });
}

const usual = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

const someHeaders: fc.Arbitrary<Readonly<Record<string, string>>> = fc.oneof(
  { weight: 5, arbitrary: fc.constant({}) },
  fc.constantFrom("2025-03-26", "2025-06-18", "2026-07-28").map((version) => ({
    "mcp-protocol-version": version,
  })),
  fc.constantFrom<Record<string, string>>(
    { accept: "text/html" },
    { accept: "" },
    { "content-type": "text/plain" },
    { "mcp-session-id": "constructor" },
    { origin: "http://evil.example" },
    { "last-event-id": "1" },
    { "mcp-method": "tools/call", "mcp-name": "constructor" },
  ),
  hostileName.map((name) => ({ "mcp-protocol-version": encodeURIComponent(name.toWellFormed()) })),
);
