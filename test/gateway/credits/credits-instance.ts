import OpenAI from "openai";
import { openFakeUpstream, type FakeUpstream } from "../../support/fake-upstream.ts";
import { startTestInstance, type TestInstance } from "../../support/test-instance.ts";

/** An instance that sells models of one loopback vendor in each dialect. */
export interface CreditsInstance {
  readonly causeway: TestInstance;
  readonly upstream: FakeUpstream;
  /** A new account with a dollar and its key. */
  buyer(): Promise<Buyer>;
  /** Parsed body of the last call that reached the vendor. */
  readonly sent: () => Record<string, unknown>;
  close(): Promise<void>;
}

export interface Buyer {
  readonly secret: string;
  readonly openai: OpenAI;
}

const prices = { input_usd_per_mtok: 1, output_usd_per_mtok: 2 };

/** Starts it; close it in `afterAll`. `file` is added to the configuration file, by the vendor's address. */
export async function startCreditsInstance(
  file: (baseUrl: string) => object = () => ({}),
): Promise<CreditsInstance> {
  const upstream = await openFakeUpstream();
  const vendor = { base_url: `${upstream.origin}/v1`, auth: "bearer", models: ["m"] };
  const causeway = await startTestInstance({
    file: {
      vendors: {
        code: { label: "Code", dialects: ["dialect_responses"], ...vendor },
        chat: { label: "Chat", dialects: ["dialect_chat"], ...vendor },
        blocks: { label: "Blocks", dialects: ["dialect_messages"], ...vendor },
      },
      credits: {
        keys: { code: "operator-key", chat: "operator-key", blocks: "operator-key" },
        catalog: [
          { id: "thinker", vendor: "code", model: "m", ...prices },
          { id: "other-thinker", vendor: "code", model: "n", ...prices },
          { id: "plain-thinker", vendor: "code", model: "p", ...prices },
          { id: "talker", vendor: "chat", model: "m", ...prices },
          { id: "blocker", vendor: "blocks", model: "m", ...prices },
        ],
      },
      ...file(vendor.base_url),
    },
  });
  return {
    causeway,
    upstream,
    buyer: () => newBuyer(causeway),
    sent: () => JSON.parse(upstream.requests.at(-1)?.body.toString() ?? "null"),
    async close() {
      await causeway.close();
      await upstream.close();
    },
  };
}

async function newBuyer(causeway: TestInstance): Promise<Buyer> {
  const user = await causeway.createUser();
  await causeway.call("POST", `/v1/admin/users/${user.id}/credits`, {
    token: causeway.adminToken,
    body: { amount_usd: 1 },
  });
  const { secret } = await user.createKey();
  const openai = new OpenAI({ baseURL: `${causeway.url}/v1`, apiKey: secret, maxRetries: 0 });
  return { secret, openai };
}
