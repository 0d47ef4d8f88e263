/**
 * A program with a front whose routes fail where nobody catches it, as only a
 * defect of ours would. Prints its port; the log goes to stderr.
 */
import { AsyncResource } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { fastify } from "fastify";
import { Dialer } from "../../../../src/platform/dial/dialer.ts";
import { createProcessLoggers } from "../../../../src/platform/log.ts";
import {
  getSurvivedErrorCount,
  installUncaughtErrorHandler,
} from "../../../../src/platform/uncaught/survive-uncaught-errors.ts";
import { runAfterSocketReads } from "../../../../src/platform/speed/after-socket-reads.ts";
import { createHttpListener } from "../../../../src/transport/front/create-http-front.ts";
import { createRestErrorRenderer } from "../../../../src/transport/rest/error-body.ts";

const { log } = await createProcessLoggers("info");
installUncaughtErrorHandler(log);

const variables = { host: "CAUSEWAY_HOST", port: "CAUSEWAY_PORT" };
const front = createHttpListener({ errorBody: createRestErrorRenderer((code) => code), variables });
const app = fastify({ ...front.fastifyOptions });
app.addContentTypeParser("*", (_request, _payload, done) => done(null));

const gathered = new Map<number, () => void>();
let endStream = (): void => undefined;
let isInDoubt = false;
setInterval(() => isInDoubt && fail(), 5);

app.get("/stream", (_request, { raw }) => {
  raw.writeHead(200).write("first ");
  endStream = () => void raw.end("last");
});
app.get("/end-stream", async () => endStream());
app.get("/survived", () => String(getSurvivedErrorCount()));
app.get("/doubt", () => (isInDoubt = true));
app.post("/timer", () => hang(() => setTimeout(fail, 1)));
app.post("/tick", () => hang(() => process.nextTick(fail)));
app.post("/promise", () => hang(() => void Promise.reject(failure())));
app.post("/body", ({ raw }) => hang(() => raw.on("data", fail)));
app.post("/finish", async (_request, { raw }) => void raw.on("finish", fail));
app.post("/next-request", () => app.server.prependOnceListener("request", fail).listening);
app.post("/gathered/0", (_request, { raw }) => gather(0, () => raw.end("first")));
app.post("/gathered/1", () => gather(1, fail));
app.post("/gathered/2", (_request, { raw }) => gather(2, () => raw.end("third")));
app.post("/upstream", ({ headers }) => readUpstream(String(headers["x-upstream"])));

await app.ready();
const { port } = await front.listen("127.0.0.1", 0);
process.stdout.write(`${port}\n`);

function failure(): Error {
  return new Error("nobody catches this");
}

function fail(): never {
  throw failure();
}

/** Never answers, like a call whose code has failed. */
function hang(start: () => unknown): Promise<never> {
  start();
  return new Promise(() => undefined);
}

/** Each for its own connection, in the order of their numbers as soon as three are there. */
function gather(number: number, action: () => void): Promise<never> {
  gathered.set(
    number,
    AsyncResource.bind(() => runAfterSocketReads(action)),
  );
  if (gathered.size === 3) for (const at of [0, 1, 2]) gathered.get(at)?.();
  return new Promise(() => undefined);
}

/** Whoever reads from the upstream's connection fails; tells how the call ended. */
async function readUpstream(origin: string): Promise<{ end: string }> {
  subscribe("undici:client:connected", (message) => {
    (message as { socket: Socket }).socket.prependListener("readable", fail);
  });
  const pool = new Dialer({ allow: ["127.0.0.1:*"], connectMs: 1000 }).dispatcher("test");
  const call = pool.request({ origin, path: "/", method: "GET" });
  return call.then(
    () => ({ end: "answered" }),
    ({ code }: NodeJS.ErrnoException) => ({ end: String(code) }),
  );
}
