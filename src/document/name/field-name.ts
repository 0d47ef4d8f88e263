import { readsLikeName } from "./reads-like-name.ts";

const memberForm = /^[A-Za-z_$@][\w$.:-]*\??$/;
const queryForm = /^[A-Za-z_$][\w$.:-]*(?:\[[\w.-]*\])*$/;
const headerForm = /^[a-z][a-z0-9_-]*$/;

/** Whether a member of an object can be a property; else its key counts as a value. */
export function isPropertyName(key: string): boolean {
  return memberForm.test(key) && readsLikeName(key);
}

/** Whether a query parameter, or a field of a form, is kept. */
export function isQueryName(name: string): boolean {
  return queryForm.test(name) && readsLikeName(name);
}

/** Whether a header is kept; its name is in lower case. */
export function isHeaderName(name: string): boolean {
  return headerForm.test(name) && readsLikeName(name);
}
