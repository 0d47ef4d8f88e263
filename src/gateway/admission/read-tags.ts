import type { CallTags } from "../../domain/call-tags.ts";
import { invalidRequestError } from "../../platform/errors.ts";

const maxTags = 10;

/** A name, `=`, and a value of printable ASCII; the comma parts tags. */
const pattern = /^([a-z0-9_.-]{1,40})=([ -~]{1,100})$/;

/**
 * The tags of `x-svc-tags: project=alpha, env=prod`; undefined: none were sent. Throws
 * 400 with the header as `param` for one that is not of this form, a name twice and too many.
 */
export function parseCallTagsHeader(sent: string | string[] | undefined): CallTags | undefined {
  if (sent === undefined) return undefined;
  const tags = String(sent).split(",").map(readTag);
  if (tags.length > maxTags) throw wrong(`at most ${maxTags} tags`);
  const names = new Set(tags.map(([name]) => name));
  if (names.size < tags.length) throw wrong("each name once");
  return Object.fromEntries(tags);
}

function readTag(text: string): [name: string, value: string] {
  const [, name, value] = pattern.exec(text.trim()) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw wrong(
    "tags such as `project=alpha, env=prod`: names of 1 to 40 of a to z, 0 to 9, _, . and -, " +
      "values of 1 to 100 printable ASCII characters",
  );
}

function wrong(what: string): Error {
  return invalidRequestError("x-svc-tags", `\`x-svc-tags\` must have ${what}.`);
}
