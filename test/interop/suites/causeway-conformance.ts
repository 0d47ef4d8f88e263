import { runConformance } from "../../../src/conformance/run-conformance.ts";
import type { PublicSuite } from "./suite.ts";

/** `causeway conformance`, of this clone. */
export const causewayConformance: PublicSuite = {
  name: "causeway conformance",
  prepare: () =>
    Promise.resolve({
      version: "this clone",
      run: async ({ url, lane: { key, model } }) => {
        const { cases } = await runConformance({
          gateway: { baseUrl: new URL(url), key, timeoutMs: 30_000 },
          model,
          dialects: ["chat", "responses", "messages"],
        });
        return cases.map(({ dialect, name, outcome, reason = "" }) => ({
          surface: dialect,
          name,
          outcome: outcome === "passed" ? "held" : outcome,
          reason,
        }));
      },
    }),
};
