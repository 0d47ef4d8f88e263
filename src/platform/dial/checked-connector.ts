import type { LookupAddress, LookupOptions } from "node:dns";
import type { Socket } from "node:net";
import { callbackify } from "node:util";
import { buildConnector } from "undici";
import { isolateConnectionErrors } from "../uncaught/guarded-connection.ts";
import type { DialTarget } from "./dial-target.ts";
import type { EgressPolicy } from "./egress-policy.ts";
import { createPlaintextConnector } from "../speed/plain-connector.ts";

/** Resolves a name to all its addresses; rejects with the resolver's error. */
export type DnsLookup = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface CheckedConnectorDependencies {
  readonly policy: EgressPolicy;
  readonly lookup: DnsLookup;
  /** Milliseconds for look-up, connection and TLS together. */
  readonly connectMs: number;
}

type LookupCallback = (
  error: Error | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/**
 * An undici connector for one origin. A literal is judged before the connection,
 * because undici and Node look nothing up for it; a name is looked up anew for
 * each connection, all its addresses are judged, and the socket gets no other
 * list to choose from. The address really reached is judged once more.
 */
export function createEgressCheckedConnector(
  target: DialTarget,
  { policy, lookup, connectMs }: CheckedConnectorDependencies,
): buildConnector.connector {
  const settings = {
    allowH2: false,
    timeout: connectMs,
    autoSelectFamily: true,
    lookup: checkedLookup(target, policy, lookup),
  };
  const connect = target.secure
    ? buildConnector(settings)
    : createPlaintextConnector(buildConnector, settings);
  return (options, callback) => {
    const refusal = attempt(() => policy.checkHost(target));
    if (refusal !== undefined) {
      process.nextTick(callback, refusal, null);
      return;
    }
    // SNI is the name without its trailing dot; a literal has none.
    const servername = target.ipAddress ? {} : { servername: target.host };
    connect({ ...options, ...servername }, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      const late = attempt(() => checkPeer(target, policy, socket));
      if (late === undefined) {
        isolateConnectionErrors(socket, "outbound");
        return callback(null, socket);
      }
      socket.destroy();
      callback(late, null);
    });
  };
}

function checkedLookup(target: DialTarget, policy: EgressPolicy, lookup: DnsLookup) {
  const resolve = callbackify(async (hostname: string) => {
    const found = await lookup(hostname);
    if (found.length === 0) throw failure("ENOTFOUND", "The name has no address.");
    policy.checkAddresses(
      target,
      found.map(({ address }) => address),
    );
    return found;
  });
  return (hostname: string, options: LookupOptions, callback: LookupCallback): void => {
    resolve(hostname, (error, found) => answer(error, found ?? [], options, callback));
  };
}

function answer(
  error: Error | null,
  found: readonly LookupAddress[],
  options: LookupOptions,
  callback: LookupCallback,
): void {
  const [first] = found;
  if (first === undefined) callback(error, "");
  else if (options.all === true) callback(null, [...found]);
  else callback(null, first.address, first.family);
}

function checkPeer(target: DialTarget, policy: EgressPolicy, socket: Socket): void {
  const { remoteAddress } = socket;
  if (remoteAddress === undefined) {
    throw failure("ECONNRESET", "The connection was closed at once.");
  }
  policy.checkAddresses(target, [remoteAddress]);
}

function attempt(check: () => void): Error | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
