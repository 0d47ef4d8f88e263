import { parseExactObject } from "../../dialect/parse-exact.ts";
import { responseId } from "../../dialect/responses/item-ids.ts";
import { warmedEvents } from "../../dialect/responses/warmed-response.ts";
import { newId } from "../../platform/ids.ts";
import { readCallBody } from "../call/read-call-body.ts";

/** An answer that no model was asked for. */
export interface WarmedAnswer {
  /** Of its response. */
  readonly id: string;
  /** Its messages. */
  readonly events: readonly Buffer[];
}

/** What a body with `generate: false` is answered with at `now`; throws 400 for one that is no call. */
export function warmedAnswer(bytes: Buffer, now: number): WarmedAnswer {
  readCallBody(bytes);
  const id = newId("call", now).slice("call_".length);
  const body = parseExactObject(bytes.toString()) ?? {};
  const events = warmedEvents({ id, created: Math.floor(now / 1000), body });
  return {
    id: responseId(id),
    events: events.map((event) => Buffer.from(JSON.stringify(event))),
  };
}
