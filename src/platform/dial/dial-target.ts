import { isIP } from "node:net";
import { bareUrlHost, effectiveUrlPort } from "./allow-list.ts";

/** What a connection is meant to reach, in the form that policy judges. */
export interface DialTarget {
  /** Lower case, without brackets and trailing dot. */
  readonly host: string;
  readonly port: number;
  /** The host is an IP address: there is nothing to look up. */
  readonly ipAddress: boolean;
  /** Dialled with TLS. */
  readonly secure: boolean;
  /** Host and port for messages, as they were sent. */
  readonly original: string;
}

/** The target of an address. `authority`: how host and port were written, if known. */
export function toDialTarget(url: URL, authority: string = url.host): DialTarget {
  const host = bareUrlHost(url);
  const port = effectiveUrlPort(url);
  return {
    host,
    port,
    ipAddress: isIP(host) !== 0,
    secure: url.protocol === "https:",
    original: /:\d+$/.test(authority) ? authority : `${authority}:${port}`,
  };
}
