import { programVariant } from "./program-variant.ts";

/** The reference for the cost of a Node gateway. */
export const bare = programVariant("bare", "bare-proxy", "bare node:http + undici dispatch");
