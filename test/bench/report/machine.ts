import { availableParallelism, cpus, release, totalmem } from "node:os";

/** The machine and the programs that the figures are of. */
export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly system: string;
  readonly node: string;
}

/** Describes this machine. */
export function describeMachine(): Machine {
  return {
    processor: cpus()[0]?.model ?? "unknown processor",
    cores: availableParallelism(),
    memoryGib: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()} ${process.arch}`,
    node: process.versions.node,
  };
}

/** The machine in one line. */
export function machineLine(machine: Machine): string {
  const { processor, cores, memoryGib, system, node } = machine;
  return `${processor}, ${cores} cores, ${memoryGib} GiB, ${system}, Node ${node}`;
}
