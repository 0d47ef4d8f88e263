import { describe, expect, it } from "vitest";
import { AccountService } from "../../../gen/ts/causeway/account/v1/account_pb.ts";
import { principalKey } from "../../../src/platform/request-context.ts";
import { waitUntil } from "../../support/wait-until.ts";
import { partialService, rest, startCallServer } from "../support/call-server.ts";

describe("calls of one account", () => {
  it("run six at a time, and do not delay another account", async () => {
    const running: string[] = [];
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const account = partialService(AccountService, {
      getMe: async (_request, { values }) => {
        const principal = values.get(principalKey);
        running.push("accountId" in principal ? principal.accountId : "");
        await released;
        return { id: "user" };
      },
    });
    const server = await startCallServer([account]);
    const ask = (token: string) => rest(server, "GET", "/v1/me", { token });
    const busy = Array.from({ length: 20 }, () => ask("session"));
    await waitUntil(() => running.length >= 6);
    const other = ask("other");
    await waitUntil(() => running.includes("user_2"));
    expect(running.filter((id) => id === "user_1")).toHaveLength(6);
    release();
    const answers = await Promise.all([...busy, other]);
    expect(answers.map(({ status }) => status)).toEqual(Array(21).fill(200));
    expect(running).toHaveLength(21);
  });
});
