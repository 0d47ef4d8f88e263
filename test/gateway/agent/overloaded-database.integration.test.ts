import { DriverException } from "@mikro-orm/postgresql";
import { describe, expect, it } from "vitest";
import { DatabasePoolExhaustedError } from "../../../src/platform/database/database-unavailable.ts";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import { call, readError } from "../call.ts";

describe("a call of an agent", () => {
  it.each([
    ["no connection of its database becomes free", "overloaded", overloaded()],
    ["its database is down", "cannot be reached", down("ECONNREFUSED")],
    ["the socket of its database is missing", "cannot be reached", down("ENOENT")],
  ])("is 503 while %s", async (_name, words, error) => {
    const { app } = await startAppWithUpstream({
      agents: { serverLabels: () => Promise.reject(error), hasTools: () => Promise.reject(error) },
      durableTurns: { start: () => Promise.reject(error) },
    });
    const reply = await call(app, "/v1/responses", { model: "agent", input: "Hello?" });
    expect(reply.status).toBe(503);
    expect(readError(reply.body)).toMatchObject({ code: "unavailable" });
    expect(readError(reply.body).message).toContain(words);
  });

  it("is 500 where anything else fails like a database that is down", async () => {
    const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    const { app } = await startAppWithUpstream({
      agents: { hasTools: () => Promise.reject(refused) },
    });
    const reply = await call(app, "/v1/responses", { model: "agent", input: "Hello?" });
    expect(reply.status).toBe(500);
  });
});

function overloaded(): Error {
  return new DriverException(new DatabasePoolExhaustedError("No connection became free."));
}

function down(code: string): Error {
  return new DriverException(Object.assign(new Error("connect"), { code, syscall: "connect" }));
}
