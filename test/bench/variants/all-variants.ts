import { bare } from "./bare.ts";
import { gateway } from "./gateway.ts";
import { naive } from "./naive.ts";
import { nginx } from "./nginx.ts";
import type { Variant } from "./variant.ts";

/** Every server under test, in the order of the tables. */
export const allVariants: readonly Variant[] = [nginx, bare, naive, gateway];
