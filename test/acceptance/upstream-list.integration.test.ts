import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestInstance, type TestInstance, type TestUser } from "../support/test-instance.ts";

let causeway: TestInstance;
let user: TestUser;

beforeAll(async () => {
  causeway = await startTestInstance();
  user = await causeway.createUser();
});

afterAll(() => causeway.close());

it("[endpoints.list] GET /v1/upstreams lists every endpoint of the account, and pages when it is asked to", async () => {
  const slugs = Array.from({ length: 23 }, (_, index) => `e${index}`);
  for (const label of slugs) {
    const body = { label, base_url: "http://127.0.0.1:9/v1", api_key: "sk" };
    await causeway.call("POST", "/v1/upstreams", { token: user.session, body });
  }
  const list = async (query: string) =>
    (await causeway.call("GET", `/v1/upstreams${query}`, { token: user.session })).body;
  const all = await list("");
  expect(all).toMatchObject({ has_more: false, first_id: "e0", last_id: "e22" });
  expect(all.data.map(({ slug }: { slug: string }) => slug)).toEqual(slugs);
  expect(all.upstreams).toEqual(all.data);
  expect(await list("?limit=2")).toMatchObject({ has_more: true, last_id: "e1" });
  expect((await list("?after_id=e1")).data).toHaveLength(20);
});
