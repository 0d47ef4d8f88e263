import { join } from "node:path";
import type { Child } from "../running/child.ts";
import type { Cores } from "../running/cores.ts";
import { findNginx, startNginx } from "../running/nginx.ts";
import { startProgram } from "../running/program.ts";
import type { ProcessGroup } from "../running/process-group.ts";
import type { StreamLeft } from "./mock-message.ts";
import { nginxAnswers } from "./nginx-responses.ts";

/** What an upstream is called for: whole answers or paced streams. */
export type UpstreamKind = "answers" | "streams";

/** The running mock upstream. */
export interface MockUpstream {
  /** Loopback port by kind; a call's path begins with the kind. */
  readonly ports: Readonly<Record<UpstreamKind, number>>;
  /** Who answers what, for the report. */
  readonly description: string;
  /** When the next stream is left by its reader, in shared monotonic milliseconds; undefined: not within the limit. */
  nextLeft(limitMs: number): Promise<number | undefined>;
}

/** Starts the mock: whole answers from nginx where it is installed, the rest from Node. */
export async function startMockUpstream(
  stage: ProcessGroup,
  directory: string,
  cores: Cores | undefined,
): Promise<MockUpstream> {
  const node = await startProgram(stage, "mock-upstream", [], cores?.load);
  const streams = Number(new URL(node.url).port);
  const nextLeft = (limitMs: number) => awaitLeft(node, limitMs);
  const nginx = findNginx();
  if (nginx === undefined) {
    return { ports: { answers: streams, streams }, description: "Node for all", nextLeft };
  }
  const { port } = await startNginx(stage, nginx, {
    name: "mock-answers",
    directory: join(directory, "mock-answers"),
    cores: cores?.load,
    http: nginxAnswers,
  });
  const description = "nginx for whole answers, Node for streams";
  return { ports: { answers: port, streams }, description, nextLeft };
}

function awaitLeft(node: Child, limitMs: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => finish(undefined), limitMs);
    const onMessage = (message: StreamLeft) => finish(message.atMs);
    const finish = (atMs: number | undefined) => {
      clearTimeout(timer);
      node.process.off("message", onMessage);
      resolve(atMs);
    };
    node.process.on("message", onMessage);
  });
}
