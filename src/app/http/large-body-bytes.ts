import type { Configuration } from "../../platform/configuration/configuration.ts";

/** Bytes that the body of a model call may have. */
export function maxModelCallBodyBytes({ limits }: Pick<Configuration, "limits">): number {
  return limits.maxBodyMib * 1024 * 1024;
}
