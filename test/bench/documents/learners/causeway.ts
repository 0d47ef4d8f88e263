import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { ServerProcess } from "../../../support/server-process.ts";
import type { Learner } from "./learner.ts";

/** This project, by its operator's routes. */
export function causewayLearner({ call, adminToken }: ServerProcess): Learner {
  const path = "/v1/admin/services/bench";
  const ask = async (method: string, route: string, body?: JsonObject): Promise<JsonObject> => {
    const answer = await call(method, route, { token: adminToken, ...(body && { body }) });
    if (answer.status >= 300) throw new Error(`${route}: ${JSON.stringify(answer.body)}`);
    return answer.body as JsonObject;
  };
  return {
    name: "Causeway",
    learn: async (har) => {
      for (const part of partsOf(har)) await ask("POST", `${path}/traffic`, part);
      const { document } = await ask("GET", path);
      await ask("DELETE", path);
      return document as JsonObject;
    },
  };
}

const entriesAtMost = 200;

/** A capture may come in parts, and a body has its limit. */
function partsOf({ log }: JsonObject): JsonObject[] {
  const { entries, ...rest } = log as JsonObject & { entries: JsonValue[] };
  const count = Math.ceil(entries.length / entriesAtMost);
  return Array.from({ length: count }, (_, index) => {
    const start = index * entriesAtMost;
    return { log: { ...rest, entries: entries.slice(start, start + entriesAtMost) } };
  });
}
