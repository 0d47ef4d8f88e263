import { looksLikeIdentifier } from "./looks-like-name.ts";

const memberPattern = /^[A-Za-z_$@][\w$.:-]*\??$/;
const queryPattern = /^[A-Za-z_$][\w$.:-]*(?:\[[\w.-]*\])*$/;
const headerPattern = /^[a-z][a-z0-9_-]*$/;

/** Whether a member of an object can be a property; else its key counts as a value. */
export function isLearnablePropertyName(key: string): boolean {
  return memberPattern.test(key) && looksLikeIdentifier(key);
}

/** Whether a query parameter, or a field of a form, is kept. */
export function isLearnableQueryName(name: string): boolean {
  return queryPattern.test(name) && looksLikeIdentifier(name);
}

/** Whether a header is kept; its name is in lower case. */
export function isLearnableHeaderName(name: string): boolean {
  return headerPattern.test(name) && looksLikeIdentifier(name);
}
