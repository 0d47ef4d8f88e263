import { removeUserinfo } from "../userinfo.ts";
import type { CliProfile, ProfileCallerKey } from "./profile.ts";

/** All that is kept of a user's profiles. */
export interface CliProfiles {
  /** The one that is used when none is named. */
  readonly current?: string;
  readonly byName: ReadonlyMap<string, CliProfile>;
}

/** The text of the file that keeps profiles: JSON, members in snake case. */
export function serializeCliProfiles({ current, byName }: CliProfiles): string {
  const profiles = [...byName].map(([name, { url, toolsUrl, email, session, key }]) => {
    const server = toolsUrl === undefined ? { url } : { url, tools_url: toolsUrl };
    return [name, { ...server, email, session, ...(key && { key }) }] as const;
  });
  const file = {
    ...(current !== undefined && { current }),
    profiles: Object.fromEntries(profiles),
  };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

/** Reads that text; undefined for one that it is not. */
export function parseCliProfiles(text: string): CliProfiles | undefined {
  const { current, profiles } = membersOf(parse(text));
  if (typeof profiles !== "object" || profiles === null) return undefined;
  const entries = Object.entries(profiles).map(
    ([name, value]) => [name, profileOf(value)] as const,
  );
  const whole = entries.filter((entry): entry is [string, CliProfile] => entry[1] !== undefined);
  if (whole.length < entries.length) return undefined;
  return { ...(typeof current === "string" && { current }), byName: new Map(whole) };
}

function profileOf(value: unknown): CliProfile | undefined {
  const { url, tools_url: toolsUrl, email, session, key: keyValue } = membersOf(value);
  if (!isText(url) || !isText(email) || !isText(session)) return undefined;
  const key = keyOf(keyValue);
  const addresses = {
    url: removeUserinfo(url),
    ...(isText(toolsUrl) && { toolsUrl: removeUserinfo(toolsUrl) }),
  };
  return { ...addresses, email, session, ...(key && { key }) };
}

function keyOf(value: unknown): ProfileCallerKey | undefined {
  const { id, secret } = membersOf(value);
  return isText(id) && isText(secret) ? { id, secret } : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
