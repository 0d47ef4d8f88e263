import { syncBuiltinESMExports } from "node:module";
import tty from "node:tty";
import { afterEach, beforeEach, describe, expect, it, vi, type MockInstance } from "vitest";
import { createProcessLoggers, createProcessLoggersOnStream } from "../../src/platform/log.ts";

let isatty: MockInstance<typeof tty.isatty>;
let written: MockInstance<typeof process.stderr.write>;

beforeEach(() => {
  isatty = vi.spyOn(tty, "isatty").mockReturnValue(true);
  syncBuiltinESMExports();
  written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
});

afterEach(() => {
  written.mockRestore();
  isatty.mockRestore();
  syncBuiltinESMExports();
});

describe("createLogs()", () => {
  it("[start.logs] is readable where stderr is a terminal", async () => {
    const { log } = await createProcessLoggers("info");
    log.info({ port: 8080 }, "listening");
    expect(isatty).toHaveBeenCalledWith(2);
    expect(text()).toContain("listening");
    expect(text()).toContain("INFO");
    expect(text()).not.toMatch(/^\{/);
  });

  it("says which worker it is where stderr is a terminal", async () => {
    const { log } = await createProcessLoggers("info", { worker: 2 });
    log.info("listening");
    expect(text()).toContain("worker 2: listening");
    expect(text().trimEnd().split("\n")).toHaveLength(1);
  });

  it("leaves out what is below its level", async () => {
    const { log } = await createProcessLoggers("warn");
    log.info("not this");
    log.warn("but this");
    expect(text()).not.toContain("not this");
    expect(text()).toContain("but this");
  });

  it("shows no secret that stands in a field of a telling name", async () => {
    const { log } = await createProcessLoggers("info");
    const secrets = {
      token: "canary-1",
      request: { authorization: "canary-2", api_key: "canary-3" },
    };
    log.info({ ...secrets, headers: { cookie: "canary-4" } }, "request");
    expect(text()).toContain("[redacted]");
    expect(text()).not.toContain("canary");
  });
});

describe("createLogsTo()", () => {
  it("puts the number of a worker on each line, requests included", () => {
    const lines: string[] = [];
    const { log, accessLog } = createProcessLoggersOnStream(
      { write: (line) => void lines.push(line) },
      "info",
      {
        worker: 3,
      },
    );
    log.info("ready");
    accessLog.write("info", '"status":200');
    const base = { service: "causeway", pid: process.pid, worker: 3 };
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { ...base, level: 30, time: expect.any(String), msg: "ready" },
      { ...base, level: 30, time: expect.any(String), status: 200, msg: "request" },
    ]);
  });
});

function text(): string {
  return written.mock.calls.map(([line]) => String(line)).join("");
}
