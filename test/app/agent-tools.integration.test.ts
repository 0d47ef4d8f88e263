/** The tools of ours that agents have, in a process that serves no tools itself (docs/agent-tools.md). */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CleanupStack } from "../../src/app/cleanup-stack.ts";
import { openSharedResources } from "../../src/app/foundation.ts";
import {
  createAgentToolsModule,
  type AgentToolsModule,
} from "../../src/app/wiring/wire-agent-tools.ts";
import { createAgentExtensionsModule } from "../../src/app/wiring/wire-items.ts";
import { createDepshealthModule } from "../../src/app/wiring/wire-tools.ts";
import type { AgentToolsetSnapshot } from "../../src/domain/agent-turn.ts";
import { readConfiguration } from "../../src/platform/configuration/configuration.ts";
import { createProcessLoggersOnStream } from "../../src/platform/log.ts";
import { startTools, type ToolsFixture } from "../depshealth/service/tools-fixture.ts";
import { modernClient } from "../transport/mcp/mcp-clients.ts";
import type { TestUser } from "../support/rest-client.ts";

let fixture: ToolsFixture;
let agent: AgentToolsModule;
let user: TestUser;
/** How often dependency health was opened here. */
let opened = 0;
const closers = new CleanupStack();
const signal = new AbortController().signal;

beforeAll(async () => {
  fixture = await startTools();
  user = await fixture.causeway.createUser();
  const { dataDirectory, connectionString } = fixture.causeway;
  const environment = {
    DATABASE_URL: connectionString,
    CAUSEWAY_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    CAUSEWAY_DATA_DIR: dataDirectory,
    CAUSEWAY_CONFIG: join(dataDirectory, "causeway.json"),
  };
  const configuration = readConfiguration(environment);
  const foundation = await openSharedResources(
    {
      configuration,
      environment,
      ...createProcessLoggersOnStream({ write: () => undefined }, "silent"),
    },
    closers,
  );
  agent = createAgentToolsModule(foundation, createAgentExtensionsModule(foundation), () => {
    opened += 1;
    const tools = createDepshealthModule(foundation);
    closers.add(() => tools.close());
    return Promise.resolve(tools);
  });
});

afterAll(async () => {
  await agent.close();
  await closers.closeAll();
  await fixture.close();
});

function receiver() {
  return { accountId: user.id, userId: user.id };
}

function outfit(): Promise<AgentToolsetSnapshot> {
  return agent.tools.buildToolset(receiver(), [], signal);
}

async function call(name: string, input: object) {
  const tool = (await outfit()).tools.find((offered) => offered.name === name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  const { output, isError } = await agent.tools.call({
    receiver: receiver(),
    tool,
    arguments: JSON.stringify(input),
    callName: "turn_1/1/1",
    signal,
  });
  return { text: String(output[0]?.["text"]), isError };
}

async function make(body: object): Promise<void> {
  const answer = await fixture.causeway.call("POST", "/v1/items", { token: user.session, body });
  expect(answer.status).toBe(201);
}

/** Each process may have fetched the data for itself, a moment apart. */
function withoutTimes(answer: Record<string, unknown>): object {
  const { checked_at, data_as_of, dataset, ...rest } = answer;
  expect([typeof checked_at, typeof data_as_of]).toEqual(["string", "string"]);
  return { ...rest, dataset: { ...(dataset as object), fetched_at: undefined } };
}

describe("the tools of dependency health", () => {
  it("[agent.tools] are those that MCP clients are offered", async () => {
    const client = await modernClient(`${fixture.causeway.toolsUrl}/mcp`);
    const listed = await client.listTools();
    const { tools } = await outfit();
    expect(tools).toEqual(
      listed.map(({ name, description, inputSchema }) => ({
        name,
        description,
        parameters: inputSchema,
        source: { kind: "own", tool: name },
      })),
    );
    expect(tools.map(({ name }) => name)).toEqual(["package_health", "deps_audit", "runtime_eol"]);
  });

  it("[agent.tools] are opened when they are first called, and answer as they do over REST", async () => {
    expect(opened).toBe(0);
    const input = { product: "nodejs", cycle: "20", task_context: "Testing" };
    const { text, isError } = await call("runtime_eol", input);
    const { body } = await fixture.tool("runtime_eol", input);
    expect(isError).toBe(false);
    expect(withoutTimes(JSON.parse(text))).toEqual(withoutTimes(body));
    expect(opened).toBeGreaterThan(0);
  });

  it.each([
    ["package_health", {}],
    ["package_health", { ecosystem: "npm", name: "", task_context: "x" }],
    ["deps_audit", { task_context: "x" }],
    ["runtime_eol", { product: "nodejs", task_context: "x", surprise: 1 }],
  ])("[agent.tools] %s refuses the input %j as its twin over REST does", async (name, input) => {
    const client = await modernClient(`${fixture.causeway.toolsUrl}/mcp`);
    const twin = await client.call(name, input);
    expect(twin.isError).toBe(true);
    expect(await call(name, input)).toEqual({ text: twin.content[0]?.text, isError: true });
  });
});

describe("skills and rules of items", () => {
  it("[agent.skills] are told, and read on demand", async () => {
    await make({ kind: "rules", text: "Be brief." });
    await make({
      kind: "skills",
      name: "Release Notes!",
      description: "When asked",
      text: "Do it.",
    });
    await make({ kind: "skills", name: "release-notes", description: "Again", text: "Do that." });
    const { instructions, tools } = await outfit();
    expect(instructions).toEqual([
      "Be brief.",
      expect.stringMatching(
        /`read_skill`.*\n- release-notes-2: When asked\n- release-notes: Again$/,
      ),
    ]);
    expect(tools[0]).toMatchObject({ name: "read_skill", source: { kind: "own" } });
    expect(await call("read_skill", { name: "release-notes" })).toEqual({
      text: "Do that.",
      isError: false,
    });
    expect(await call("read_skill", { name: "release-notes-2" })).toMatchObject({ text: "Do it." });
    expect(await call("read_skill", { name: "other" })).toEqual({
      text: "There is no skill of this name. These there are: release-notes-2, release-notes.",
      isError: true,
    });
  });
});
