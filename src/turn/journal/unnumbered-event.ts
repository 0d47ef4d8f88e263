import type { JsonObject } from "../../dialect/json.ts";

/** An event of a responses stream, its number not counted. */
export type UnnumberedEvent = JsonObject & { readonly type: string };
