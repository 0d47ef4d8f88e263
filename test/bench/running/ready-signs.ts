import type { ChildProcess } from "node:child_process";
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";

/** Ready when stdout has a line ` ready <address>` or `ready`; gives the address, or "". */
export function readyLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    if (child.stdout === null) throw new Error("stdout is not read");
    const lines = createInterface({ input: child.stdout });
    lines.on("line", (line) => {
      const match = /\bready(?: (http:\/\/\S+))?$/.exec(line);
      if (match !== null) resolve(match[1] ?? "");
    });
  });
}

/** Ready when the port accepts; for programs that do not tell. */
export function readyPort(port: number): (child: ChildProcess) => Promise<string> {
  return async (child) => {
    while (child.exitCode === null && !(await accepts(port))) await delay(5);
    return `http://127.0.0.1:${port}`;
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.on("connect", () => socket.destroy());
    socket.on("error", () => resolve(false));
    socket.on("close", () => resolve(true));
  });
}
