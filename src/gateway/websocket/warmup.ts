import { addResponseIdPrefix } from "../../dialect/responses/item-ids.ts";
import { echoedFields } from "../../dialect/responses/wire.ts";
import { buildResponsesWarmupEvents } from "../../dialect/responses/warmup-response.ts";
import type { MemoryReserver } from "../../platform/hold-memory.ts";
import { newResourceId } from "../../platform/ids.ts";
import { withParsedCallBody } from "../call/parse-call-body.ts";
import { scanCallBody, buildBodyWithOnlyMembers } from "../call/read-call-body.ts";

/** An answer that no model was asked for. */
export interface WebSocketWarmupResponse {
  /** Of its response. */
  readonly id: string;
  /** Its messages. */
  readonly events: readonly Buffer[];
}

const toldMembers = ["model", "previous_response_id", ...echoedFields];

/**
 * Returns the answer to a body with `generate: false` at `now`. Its input is not parsed. Throws 400
 * for a body that cannot be a call, 413 if its other members have too many values, and what `hold`
 * throws for them.
 */
export function createWebSocketWarmupResponse(
  bytes: Buffer,
  now: number,
  hold: MemoryReserver,
): WebSocketWarmupResponse {
  scanCallBody(bytes);
  const id = newResourceId("call", now).slice("call_".length);
  const created = Math.floor(now / 1000);
  const events = withParsedCallBody(buildBodyWithOnlyMembers(bytes, toldMembers), hold, (body) =>
    buildResponsesWarmupEvents({ id, created, body }).map((event) =>
      Buffer.from(JSON.stringify(event)),
    ),
  );
  return { id: addResponseIdPrefix(id), events };
}
