import { Secret } from "../../crypto/secret.ts";

/** Where a Redis or Valkey server is, and as whom it is used. */
export interface RedisAddress {
  /** Name or address, the latter without brackets. */
  readonly host: string;
  readonly port: number;
  readonly isEncrypted: boolean;
  /** Undefined: the server's default user. */
  readonly username: string | undefined;
  readonly password: Secret | undefined;
  readonly database: number;
}

/** What an address has to look like, for whoever got it wrong; it does not repeat what was given. */
export const redisAddressRequirement =
  "must be redis://user:password@host:port/database, or rediss:// for TLS; " +
  "user, password, port and database may be left out, special characters are percent-encoded";

const defaultPort = 6379;

/** Reads an address in the form that is registered for the two schemes; undefined: it is none. */
export function parseRedisAddress(text: string): RedisAddress | undefined {
  const url = URL.parse(text);
  if (url === null || !/^rediss?:$/.test(url.protocol)) return undefined;
  const database = /^\/?(\d{0,5})$/.exec(url.pathname)?.[1];
  if (url.hostname === "" || database === undefined || /[?#]/.test(text)) return undefined;
  const credentials = decode(url);
  if (credentials === undefined) return undefined;
  return {
    host: url.hostname.replace(/^\[(.+)\]$/, "$1"),
    port: url.port === "" ? defaultPort : Number(url.port),
    isEncrypted: url.protocol === "rediss:",
    ...credentials,
    database: Number(database),
  };
}

function decode({
  username,
  password,
}: URL): Pick<RedisAddress, "username" | "password"> | undefined {
  try {
    return {
      username: decodeURIComponent(username) || undefined,
      password: password === "" ? undefined : new Secret(decodeURIComponent(password)),
    };
  } catch {
    // A percent sign that encodes nothing.
    return undefined;
  }
}
