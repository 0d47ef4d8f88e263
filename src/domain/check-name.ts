import { invalidRequestError } from "../platform/errors.ts";

const maxNameLength = 200;

/** Trims a name. Throws 400 with `param` unless 1 to 200 code points are left. */
export function parseDisplayName(text: string, param = "name"): string {
  const name = text.trim();
  const length = Array.from(name).length;
  if (length < 1 || length > maxNameLength) {
    throw invalidRequestError(param, `\`${param}\` must have 1 to ${maxNameLength} characters.`);
  }
  return name;
}
