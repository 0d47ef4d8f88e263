import { requestText, type Call } from "../variants/call.ts";
import { direct } from "../variants/direct.ts";
import type { RunningVariant } from "../variants/variant.ts";
import type { CaseContext } from "./case.ts";

/** Where a turn sends its calls, and whose CPU time it takes. */
export interface Target {
  readonly port: number;
  readonly request: string;
  readonly serverPids: readonly number[];
}

/** A variant in a case, with the request that it gets there. */
export interface Participant {
  readonly running: RunningVariant;
  readonly description: string;
  readonly target: Target;
  readonly counted: (calls: number) => void;
}

/** Everyone who takes part; first the upstream itself where it is called directly. */
export function participantsOf(
  call: Call,
  context: CaseContext,
  withDirect: boolean,
): Participant[] {
  const participant = (
    running: RunningVariant,
    description: string,
    counted: (calls: number) => void,
  ) => ({
    running,
    description,
    target: targetOf(call, running),
    counted,
  });
  const contenders = context.contenders.map((contender) =>
    participant(contender.running, contender.variant.description, (calls) => {
      contender.calls += calls;
    }),
  );
  if (!withDirect) return contenders;
  return [participant(direct(context.ground), "no server", () => {}), ...contenders];
}

function targetOf(call: Call, running: RunningVariant): Target {
  const endpoint = running.endpoint(call);
  return {
    port: endpoint.port,
    request: requestText(call, endpoint),
    serverPids: running.pids,
  };
}
