import { Counter, Gauge, type Registry } from "prom-client";

/** What is counted of turns: answers that are made independently of a connection. */
export interface TurnMetrics {
  /** Turns that run in this process. */
  inFlight(change: 1 | -1): void;
  countStep(kind: "model_call" | "tool_call"): void;
  /** A turn of a dead process was taken. */
  countTakeover(): void;
  /** A turn ended, with the status of its response; `engine`: undefined for one that is no agent's. */
  countEnd(status: string, engine: string | undefined): void;
}

export function createTurnMetrics(registry: Registry): TurnMetrics {
  const registers = [registry];
  const inFlight = new Gauge({
    name: "causeway_agent_turns_in_flight",
    help: "Turns that run in this process: answers of agents, and answers in the background.",
    registers,
  });
  const turns = new Counter({
    name: "causeway_agent_turns_total",
    help: "Turns that have ended, by engine (`none`: an ordinary model in the background) and status.",
    labelNames: ["engine", "status"],
    registers,
  });
  const steps = new Counter({
    name: "causeway_agent_steps_total",
    help: "Steps of turns that have begun.",
    labelNames: ["kind"],
    registers,
  });
  const takeovers = new Counter({
    name: "causeway_agent_takeovers_total",
    help: "Turns that were taken from a process that died.",
    registers,
  });
  return {
    inFlight: (change) => inFlight.inc(change),
    countStep: (kind) => steps.inc({ kind }),
    countTakeover: () => takeovers.inc(),
    countEnd: (status, engine = "none") => turns.inc({ engine, status }),
  };
}
