/** Whether `if-none-match` says that the caller has what the tag is of (RFC 9110, 13.1.2). */
export function matchesEntityTag(ifNoneMatch: string | undefined, tag: string): boolean {
  const held = (ifNoneMatch ?? "").split(",").map((entry) => entry.trim().replace(/^W\//, ""));
  return held.some((entry) => entry === tag || entry === "*");
}
