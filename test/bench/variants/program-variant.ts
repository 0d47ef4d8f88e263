import { startProgram, type ProgramName } from "../running/program.ts";
import { baselineEndpoint, type Variant, type VariantName } from "./variant.ts";

/** A baseline that is a program of the benchmark's own. */
export function programVariant(
  name: VariantName,
  program: ProgramName,
  description: string,
): Variant {
  return {
    name,
    description,
    unavailable: () => undefined,
    async start({ stage, cores, upstream }) {
      const origins = Object.entries(upstream.ports).map(
        ([kind, port]) => `${kind}=http://127.0.0.1:${port}`,
      );
      const child = await startProgram(stage, program, origins, cores?.server);
      const port = Number(new URL(child.url).port);
      return {
        name,
        pids: [child.pid],
        readyMs: child.readyMs,
        endpoint: (call) => baselineEndpoint(port, call),
        stop: () => child.stop(),
      };
    },
  };
}
