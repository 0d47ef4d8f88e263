import type { CallTags } from "../domain/call-tags.ts";

/** What the calls with a tag, `project:alpha`, are found by: those of one account, or of all. */
export function buildTagSearchKey(tag: string, accountId: string | undefined): string {
  return accountId === undefined ? tag : `${accountId} ${tag}`;
}

/** All marks of a call. Those within the account are apart, so that what others tag costs it no time. */
export function buildCallTagSearchKeys(tags: CallTags, accountId: string): string[] {
  return Object.entries(tags).flatMap(([name, value]) => {
    const tag = `${name}:${value}`;
    return [buildTagSearchKey(tag, undefined), buildTagSearchKey(tag, accountId)];
  });
}
