import type { Cores } from "../running/cores.ts";
import type { ProcessGroup } from "../running/process-group.ts";
import type { MockUpstream } from "../upstream/mock-upstream.ts";
import type { Call, Endpoint } from "./call.ts";

/** What every variant is started on. */
export interface VariantContext {
  readonly stage: ProcessGroup;
  readonly cores: Cores | undefined;
  readonly upstream: MockUpstream;
}

/** A server under test that runs. */
export interface RunningVariant {
  readonly name: VariantName;
  /** Processes whose CPU time and memory are the variant's; the database is not among them. */
  readonly pids: readonly number[];
  /** Processes of the database that it keeps, if it keeps one. */
  readonly databasePids?: () => readonly number[];
  /** From the start of the process until it served. */
  readonly readyMs: number;
  endpoint(call: Call): Endpoint;
  stop(): Promise<void>;
}

/** One way to stand between caller and upstream. */
export interface Variant {
  readonly name: VariantName;
  /** One line for the report: what it is. */
  readonly description: string;
  /** Why it cannot run here; undefined: it can. */
  unavailable(): string | undefined;
  /** Starts it in a directory that holds whatever an earlier start left there. */
  start(ground: VariantContext, directory: string): Promise<RunningVariant>;
}

/** `direct` is the mock upstream itself, the zero of added latency. */
export type VariantName = "direct" | "nginx" | "bare" | "naive" | "gateway";

/** The upstream of a call as a baseline's path names it. */
export function baselineEndpoint(port: number, call: Call): Endpoint {
  return { port, basePath: `/${call.upstream}/v1`, model: "mock", key: "bench" };
}
