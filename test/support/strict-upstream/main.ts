/**
 * The strict double as a program: `node test/support/strict-upstream/main.ts --port 9001`.
 * It prints its address when it is ready, tells refusals on stderr, and ends with SIGTERM.
 */
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { createStrictUpstream } from "./strict-upstream.ts";

const { values } = parseArgs({
  options: {
    port: { type: "string", default: "0" },
    host: { type: "string", default: "127.0.0.1" },
  },
});

const server = createStrictUpstream(({ path, faults }) => {
  for (const fault of faults) process.stderr.write(`${path} ${fault.path}: ${fault.message}\n`);
});
server.listen(Number(values.port), values.host, () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`strict upstream ready http://${values.host}:${port}\n`);
});
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    server.closeAllConnections();
    server.close();
  });
}
