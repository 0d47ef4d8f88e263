import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  AgentService,
  ThreadWithTurnsSchema,
  TurnStatus,
} from "../../gen/ts/causeway/agent/v1/agent_pb.ts";
import { runCauseway, type Outcome } from "../support/causeway-process.ts";

vi.setConfig({ testTimeout: 60_000 });

const at = timestampFromDate(new Date("2026-11-20T23:00:00Z"));

const thread = create(ThreadWithTurnsSchema, {
  object: "thread",
  session: "s_1",
  turnsCount: 2,
  createdAt: at,
  updatedAt: at,
  turns: [
    {
      id: "turn_1",
      status: TurnStatus.COMPLETED,
      model: "agent",
      createdAt: at,
      endedAt: at,
      messages: [
        { type: "message", role: "user", content: "Which bugs\nare open?" },
        {
          type: "message",
          role: "assistant",
          content: [
            { type: "output_text", text: "One:\u001b[2J #7." },
            { type: "refusal", refusal: "No more." },
          ],
        },
      ],
    },
    {
      id: "turn_2",
      status: TurnStatus.IN_PROGRESS,
      model: "agent-fast",
      createdAt: at,
      messages: [
        {
          type: "message",
          role: "user",
          content: [{ type: "input_text", text: "And this?" }, { type: "input_image" }],
        },
        { type: "message", role: "developer", content: "Be brief." },
      ],
    },
  ],
});

/** The command with a server that has one thread. */
async function run(...words: string[]): Promise<Outcome> {
  const server = createServer(
    connectNodeAdapter({
      routes: (router) => {
        router.service(AgentService, {
          listThreads: () => ({ data: [{ ...thread, $typeName: "causeway.agent.v1.Thread" }] }),
          getThread: ({ session }) => {
            if (session === "s_1") return thread;
            throw new ConnectError("no", Code.NotFound);
          },
          deleteThread: ({ session }) => ({ id: session, deleted: true }),
        });
      },
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return runCauseway(["threads", ...words], {
    environment: { CAUSEWAY_URL: url, CAUSEWAY_KEY: "cwk_x" },
  });
}

describe("causeway threads", () => {
  it("get prints a thread as the conversation that it is", async () => {
    const { code, stdout } = await run("get", "s_1");
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        "s_1: 2 turns, last changed 2026-11-20 23:00:00 UTC",
        "turn_1  2026-11-20 23:00:00 UTC  agent",
        "> Which bugs\n> are open?",
        "One:\u{fffd}[2J #7.\nNo more.",
        "turn_2  2026-11-20 23:00:00 UTC  agent-fast  in progress",
        "> And this?\n> [input_image]",
        "developer:\n> Be brief.\n",
      ].join("\n\n"),
    );
  });

  it("get prints the whole answer with --json", async () => {
    const { stdout } = await run("get", "s_1", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      session: "s_1",
      turns: [
        { id: "turn_1", status: "completed" },
        { status: "in_progress", ended_at: null },
      ],
    });
  });

  it("list and delete read as other commands do", async () => {
    expect((await run("list")).stdout).toMatch(/^session +turns_count .*\ns_1 +2 /);
    expect((await run("delete", "s_1")).stdout).toMatch(/^id +s_1\ndeleted +true\n$/);
  });
});
