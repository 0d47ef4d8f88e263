import { fileURLToPath } from "node:url";
import type { Child } from "./child.ts";
import { readyLine } from "./ready-signs.ts";
import type { ProcessGroup } from "./process-group.ts";

/** The processes of the benchmark that are programs of its own. */
export type ProgramName = "mock-upstream" | "load-client" | "bare-proxy" | "naive-proxy";

/** Starts one of the benchmark's own programs, with a message channel. */
export function startProgram(
  stage: ProcessGroup,
  name: ProgramName,
  parameters: readonly string[],
  cores: string | undefined,
): Promise<Child> {
  const file = fileURLToPath(new URL(`../programs/${name}.ts`, import.meta.url));
  return stage.start({
    name,
    command: process.execPath,
    parameters: [file, ...parameters],
    cores,
    ready: readyLine,
    channel: true,
  });
}
