import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Id of the catalogue's model that is paid from the wallet. */
export const creditsModel = "sold-mock";

/** More than a run can spend. */
const amountUsd = 1_000_000;

/** What the operator sells: chat answers of the mock upstream, at prices of a small model. */
export function creditsCatalog(answersPort: number): object {
  const base = `http://127.0.0.1:${answersPort}/answers/v1`;
  const prices = { input_usd_per_mtok: 0.5, output_usd_per_mtok: 2 };
  return {
    vendors: {
      mock: {
        label: "Mock",
        base_url: base,
        dialects: ["dialect_chat"],
        auth: "bearer",
        models: ["mock"],
      },
    },
    credits: {
      keys: { mock: "bench" },
      catalog: [{ id: creditsModel, vendor: "mock", model: "mock", ...prices }],
    },
  };
}

/** Fills the wallet of the owner that the first start made. */
export async function fillWallet(url: string, directory: string): Promise<void> {
  const token = readFileSync(join(directory, "admin-token"), "utf8").trim();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const { data } = (await read(fetch(`${url}/v1/admin/users`, { headers }))) as {
    data: { id: string }[];
  };
  const body = JSON.stringify({ amount_usd: amountUsd });
  const path = `${url}/v1/admin/users/${data[0]?.id ?? ""}/credits`;
  await read(fetch(path, { method: "POST", headers, body }));
}

async function read(answer: Promise<Response>): Promise<unknown> {
  const response = await answer;
  if (response.ok) return response.json();
  throw new Error(`filling the wallet: ${response.status} ${await response.text()}`);
}
