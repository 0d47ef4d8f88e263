import { programVariant } from "./program-variant.ts";

/** What the lean design saves. */
export const naive = programVariant("naive", "naive-proxy", "Fastify, JSON parser, fetch");
