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
      "agent/tools/read-mcp-answer > hold for texts, pictures and structured content together",
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
    [
      "agent.hosted",
      "MCP servers that a responses request declares are tools of its turn; nobody sees their credentials again.",
      "gateway/agent/hosted-servers > has its tools listed, offered and called, with its credential",
      "gateway/agent/hosted-servers > that repeats its credential is told, offered and quoted without it",
      "gateway/agent/hosted-servers > has the tools that are allowed, and asks for those that are named",
      "gateway/agent/hosted-servers > is called under the name that a choice asks for, in the first step",
      "gateway/agent/hosted-servers > keeps its label beside the servers of items",
    ],
    [
      "agent.hosted-listed",
      "Each is told as an mcp_list_tools item, with its error where it fails, unless its thread has the same.",
      "gateway/agent/hosted-servers > is told while it streams, in the events of the dialect",
      "gateway/agent/hosted-servers > is listed again only when it has something else",
      "gateway/agent/hosted-servers > that fails is told with its error, and the turn goes on with a note",
      "turn/agent/agent-listings > is told once, whichever process goes on",
    ],
    [
      "agent.hosted-approval",
      "Their calls wait for an approval by default, given by previous_response_id or with all items.",
      "gateway/agent/hosted-servers > waits for an approval, which its caller gives by naming the response",
      "gateway/agent/hosted-servers > waits for an approval, which a client gives that keeps all items itself",
      "gateway/agent/hosted-servers > is not called where its approval is refused",
      "gateway/agent/hosted-servers > that is not declared again by the request that approves is an error to the model",
    ],
    [
      "agent.hosted-refused",
      "What is none, clashes or belongs to the vendor is 400 with its place; ordinary models refuse the tool as before.",
      "gateway/agent/hosted-servers > with %s is refused, and nothing is dialled",
      "gateway/agent/hosted-servers > is refused under a label that another has, in an item, and as the choice of none",
      "gateway/agent/hosted-servers > is refused by ordinary models behind another dialect",
    ],
  ]),
];
