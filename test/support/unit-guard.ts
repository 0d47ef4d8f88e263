/**
 * Setup of the `unit` project: opening a socket, starting a process or a worker thread
 * throws there. A test that needs one belongs to `integration`, `load` or `system`.
 */
import childProcess from "node:child_process";
import dgram from "node:dgram";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import workerThreads from "node:worker_threads";

const starters = [
  "spawn",
  "spawnSync",
  "exec",
  "execSync",
  "execFile",
  "execFileSync",
  "fork",
] as const;

function rejectUse(name: string): () => never {
  // A function expression, because a Worker is called with new.
  return function reject() {
    throw new Error(
      `A unit test used ${name}. Rename its file to *.integration.test.ts or *.system.test.ts.`,
    );
  };
}

// Vitest's own channel to this worker is open already and uses none of these.
net.Server.prototype.listen = rejectUse("net.Server.listen");
net.Socket.prototype.connect = rejectUse("net.Socket.connect");
dgram.Socket.prototype.bind = rejectUse("dgram.Socket.bind");
for (const name of starters) Object.assign(childProcess, { [name]: rejectUse(name) });
Object.assign(workerThreads, { Worker: rejectUse("worker_threads.Worker") });
syncBuiltinESMExports();
