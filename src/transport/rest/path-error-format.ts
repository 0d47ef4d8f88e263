import type { ApiError } from "../../platform/errors.ts";

/** How refusals at and below a path are written, where they are not in the flat form. */
export interface PathErrorFormat {
  /** `/v1/messages` for instance; every path below it is meant as well. */
  readonly path: string;
  /** JSON text of the refusal. */
  print(error: ApiError, requestId: string): string;
}

/** The form of a request's path; undefined: the flat one. */
export function findErrorFormat(
  forms: readonly PathErrorFormat[],
  url: string,
): PathErrorFormat | undefined {
  const [requested = ""] = url.split("?", 1);
  return forms.find(({ path }) => requested === path || requested.startsWith(`${path}/`));
}
