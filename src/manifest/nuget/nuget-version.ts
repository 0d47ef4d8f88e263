/**
 * The version that NuGet takes for a reference: the lowest that is allowed, so
 * that `1.0` and `[1.0,2.0)` are 1.0. Undefined: it depends on what is published
 * (`1.*`, `(1.0,2.0)`).
 */
export function lowestVersion(requested: string): string | undefined {
  const [, inRange] = /^\[\s*([^,\])\s]+)\s*(?:,.*)?[\])]$/.exec(requested) ?? [];
  const version = inRange ?? requested;
  return /^\d[\w.+-]*$/.test(version) ? version : undefined;
}
