import type { EntityManager } from "@mikro-orm/postgresql";
import { describe, expect, it } from "vitest";
import { AccountService } from "../../../gen/ts/causeway/account/v1/account_pb.ts";
import { ApiError } from "../../../src/platform/errors.ts";
import { entityManagerKey } from "../../../src/platform/request-context.ts";
import { partialService, rest, startCallServer } from "../support/call-server.ts";

/** Only its identity matters here. */
const entityManager = {} as EntityManager;

async function startForking() {
  let forks = 0;
  const account = partialService(AccountService, {
    getMe: (_request, { values }) => {
      const first = values.get(entityManagerKey);
      return { id: String(first === entityManager && first === values.get(entityManagerKey)) };
    },
    signOut: () => ({ ok: true }),
  });
  const forkEntityManager = () => {
    forks += 1;
    return entityManager;
  };
  return { server: await startCallServer([account], { forkEntityManager }), forks: () => forks };
}

describe("the unit of work", () => {
  it("is one entity manager per call", async () => {
    const { server, forks } = await startForking();
    const answer = await rest(server, "GET", "/v1/me", { token: "session" });
    expect(answer.body).toMatchObject({ id: "true" });
    expect(forks()).toBe(1);
    await rest(server, "GET", "/v1/me", { token: "session" });
    expect(forks()).toBe(2);
  });

  it("is not made for a handler that does not ask for it", async () => {
    const { server, forks } = await startForking();
    expect((await rest(server, "POST", "/v1/sign_out", { token: "session" })).status).toBe(200);
    expect(forks()).toBe(0);
  });
});

describe("errors of a library", () => {
  it("become the refusal that they mean", async () => {
    const away = new Error("connection terminated");
    const account = partialService(AccountService, {
      getMe: () => {
        throw away;
      },
    });
    const server = await startCallServer([account], {
      translateError: (error) =>
        error === away
          ? new ApiError("unavailable", "Later.", { retryAfterSeconds: 1 })
          : undefined,
    });
    const answer = await rest(server, "GET", "/v1/me", { token: "session" });
    expect(answer).toMatchObject({
      status: 503,
      body: { error: "unavailable", message: "Later." },
    });
    expect(answer.headers.get("retry-after")).toBe("1");
  });
});
