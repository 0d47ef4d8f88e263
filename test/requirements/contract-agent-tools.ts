import { tested, type Requirement } from "./requirement.ts";

/** Contract section 8, what agents work with: items, tools and what is taken of servers. */
export const contractAgentTools: readonly Requirement[] = [
  ...tested("contract 8, tools of agents", [
    [
      "agent.skills",
      "Skills are offered by name and description and read on demand with read_skill, under slugs of their names.",
      "app/agent-tools > are told, and read on demand",
    ],
    [
      "agent.tools",
      "Tools are those of mcp items, the three of dependency health, and those that the request declares.",
      "app/agent-tools > are those that MCP clients are offered",
      "app/agent-tools > are opened when they are first called, and answer as they do over REST",
      "app/agent-tools > refuse like their twins",
      "agent/tools/official-servers > has its tools offered and called, with the headers of its item and the name of the call",
    ],
    [
      "agent.tools-order",
      "At most 128 tools are offered, in item and name order; a note to the model names the rest.",
      "agent/tools/outfit/assemble-outfit > stand in the order of ours, those of the request, and those of servers by item and name",
      "agent/tools/outfit/assemble-outfit > are 128 at most: those beyond are named in a note",
      "agent/tools/outfit/assemble-outfit > have names that are unlike each other and valid in every dialect",
      "agent/tools/hostile-servers > of more tools than are offered names the rest, as far as there is room",
    ],
    [
      "agent.tools-time",
      "An MCP server gets 10 s for its greeting and 120 s a call; its instructions are ignored.",
      "agent/tools/hostile-servers > %s leaves the tools of others as they are",
      "agent/tools/hostile-calls > %s is a tool error",
      "agent/tools/mcp/limits > are those of the contract",
      "agent/tools/official-servers > has its tools offered and called, with the headers of its item and the name of the call",
    ],
    [
      "agent.tools-called",
      'Each dial carries `_meta["causeway/call"]`, the same when repeated; aborted calls close their connections within 1 s.',
      "agent/tools/official-servers > has its tools offered and called, with the headers of its item and the name of the call",
      "agent/tools/official-servers > has its connections closed at once when the call is aborted",
      "agent/tools/hostile-calls > is not made again when nobody knows whether the server has acted",
    ],
    [
      "agent.tools-results",
      "Text, images and structured content are taken up to 256 KiB; more is cut, with a note to the model.",
      "agent/tools/tool-output > hold for texts, pictures and structured content together",
      "agent/tools/hostile-calls > whose answer %s never ends is cut at 256 KiB, with a note",
    ],
    [
      "agent.tools-asking",
      "A result that asks the caller for input is answered with a tool error.",
      "agent/tools/hostile-calls > %s is a tool error",
    ],
    [
      "agent.tools-dialled",
      "Redirects are not followed; private addresses need CAUSEWAY_UPSTREAM_ALLOW.",
      "agent/tools/hostile-servers > that redirects inside is not followed",
      "agent/tools/hostile-servers > of %s is not dialled",
    ],
    [
      "agent.tools-limited",
      "Items of kind mcp take `tools` (names or patterns with `*`) and `approval` (never or always).",
      "agent/tools/official-servers > is limited to the tools that its item names",
      "team/item/given-items > says which tools of an MCP server may be used, and whether each call waits for an approval",
    ],
  ]),
];
