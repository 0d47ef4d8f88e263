import type { DescMethod } from "@bufbuild/protobuf";

/** The words of a command: `CreateUpstream` is `causeway upstreams create`. */
export interface CliCommandName {
  readonly noun: string;
  readonly verb: string;
}

/** Methods whose name has no noun to speak of. */
const exceptions: ReadonlyMap<string, CliCommandName> = new Map([
  ["SignOut", { noun: "session", verb: "end" }],
  ["GetMe", { noun: "me", verb: "show" }],
  ["ListAudit", { noun: "audit-events", verb: "list" }],
  ["ListAdminAudit", { noun: "admin-audit-events", verb: "list" }],
  ["SetAlias", { noun: "aliases", verb: "set" }],
  ["DeleteAlias", { noun: "aliases", verb: "delete" }],
  ["ListAliasChanges", { noun: "aliases", verb: "changes" }],
  ["WatchAliases", { noun: "aliases", verb: "watch" }],
  ["CountMessageTokens", { noun: "tokens", verb: "count" }],
  ["GetWallet", { noun: "wallet", verb: "show" }],
  ["ListUsage", { noun: "usage", verb: "list" }],
  ["GetServiceDocument", { noun: "services", verb: "document" }],
  ["PreviewTranscode", { noun: "transcode", verb: "preview" }],
]);

/** Derives noun and verb from the method's name; the noun is in the plural, so that a resource has one. */
export function methodToCliCommandName(method: DescMethod): CliCommandName {
  const exception = exceptions.get(method.name);
  if (exception !== undefined) return exception;
  const [verb = "", ...noun] = method.name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
  return { noun: plural(noun.join("-")), verb };
}

/** The `--flag` of a proto field. */
export function fieldToFlagName(fieldName: string): string {
  return fieldName.replaceAll("_", "-");
}

function plural(noun: string): string {
  if (/(s|sign-in|audit)$/.test(noun)) return noun;
  return noun.endsWith("y") && !noun.endsWith("key") ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}
