import ipaddr from "ipaddr.js";
import { classifyIpAddress } from "./address-class.ts";
import { formatEgressAllowListEntry, type EgressAllowList } from "./allow-list.ts";
import { DialDeniedError } from "./dial-denied-error.ts";
import type { DialTarget } from "./dial-target.ts";
import type { LocalListenAddresses } from "./local-listeners.ts";

/** Names of metadata services; refused by name because their addresses differ by cloud. */
const metadataNames = new Set([
  "instance-data",
  "instance-data.ec2.internal",
  "metadata",
  "metadata.azure.internal",
  "metadata.goog",
  "metadata.google.internal",
  "metadata.oraclecloud.com",
  "metadata.packet.net",
  "metadata.platformequinix.com",
  "metadata.tencentyun.com",
]);

const internalName = /^[^.]+$|\.(?:local|internal|localdomain|localhost)$/;

/** Decides what may be dialled. Throws a `DialDeniedError`, otherwise says nothing. */
export class EgressPolicy {
  readonly #allow: EgressAllowList;
  readonly #listeners: LocalListenAddresses;

  constructor(allow: EgressAllowList, listeners: LocalListenAddresses) {
    this.#allow = allow;
    this.#listeners = listeners;
  }

  /** What can be said before a look-up: a literal is judged whole, a name by itself. */
  checkHost(target: DialTarget): void {
    if (target.ipAddress) this.checkAddresses(target, [target.host]);
    else this.#checkName(target);
  }

  /** Judges every address that the host stands for: one bad address refuses them all. */
  checkAddresses(target: DialTarget, addresses: readonly string[]): void {
    for (const address of addresses) this.#checkAddress(target, address);
  }

  /** A name that cannot be resolved: plain http needs the operator's word for it. */
  checkUnresolved(target: DialTarget): void {
    if (!target.secure && !this.#allow.allowsName(target.host, target.port)) {
      throw plaintextRefusal(target);
    }
  }

  #checkName(target: DialTarget): void {
    if (metadataNames.has(target.host)) throw neverRefusal(target, "names a metadata service");
    if (!internalName.test(target.host)) return;
    if (this.#allow.allowsName(target.host, target.port)) return;
    throw restrictedRefusal(target, "is a name of an internal network");
  }

  #checkAddress(target: DialTarget, text: string): void {
    const address = ipaddr.parse(text);
    const verb = target.ipAddress ? "is" : "resolves to";
    if (this.#listeners.has(address, target.port)) {
      throw neverRefusal(target, `${verb} this server itself`);
    }
    const addressClass = classifyIpAddress(address);
    if (addressClass === "forbidden") {
      throw neverRefusal(
        target,
        `${verb} a link-local, metadata, multicast or unspecified address`,
      );
    }
    if (this.#allows(target, address)) return;
    if (addressClass === "restricted") {
      throw restrictedRefusal(target, `${verb} a private, loopback or reserved address`);
    }
    if (!target.secure) throw plaintextRefusal(target);
  }

  #allows(target: DialTarget, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
    return (
      this.#allow.allowsName(target.host, target.port) ||
      this.#allow.allowsAddress(address, target.port)
    );
  }
}

function neverRefusal(target: DialTarget, fact: string): DialDeniedError {
  return new DialDeniedError("never", `${target.original} ${fact}, which is never dialled.`);
}

function restrictedRefusal(target: DialTarget, fact: string): DialDeniedError {
  return new DialDeniedError("restricted", `${target.original} ${fact}. ${remedy(target)}`);
}

function plaintextRefusal(target: DialTarget): DialDeniedError {
  return new DialDeniedError(
    "plaintext",
    `${target.original} would be dialled without TLS: use https. ${remedy(target)}`,
  );
}

function remedy(target: DialTarget): string {
  const line = formatEgressAllowListEntry(target.host, target.port);
  return `The operator can allow it with CAUSEWAY_UPSTREAM_ALLOW=${line}`;
}
