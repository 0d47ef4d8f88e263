import { expect, it } from "vitest";
import { startAppWithUpstream } from "../app-with-upstream.ts";
import { call } from "../call.ts";
import { waitUntil } from "../../support/wait-until.ts";

it("plans the agent turn of one account while calls of another wait for their places", async () => {
  const planning: string[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<boolean>();
  const { app } = await startAppWithUpstream({
    agents: {
      hasTools: ({ accountId }) => {
        planning.push(accountId);
        return released;
      },
    },
  });
  const ask = () => call(app, "/v1/responses", { model: "agent", input: "Hello?" });
  const busy = app.principal.accountId;
  const calls = Array.from({ length: 5 }, ask);
  await waitUntil(() => planning.length >= 2);
  const other = "user_00000000000000000000000002";
  app.setAccount(other);
  calls.push(ask());
  await waitUntil(() => planning.includes(other));
  expect(planning.filter((account) => account === busy)).toHaveLength(2);
  release(false);
  await Promise.all(calls);
  expect(planning).toHaveLength(6);
});
