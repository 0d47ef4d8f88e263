import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { InboundConnectionLimiter } from "../../../src/transport/front/connection-limiter.ts";
import { expectLinear } from "../../support/growth.ts";

function createSocket(remoteAddress: string | undefined): Socket {
  const socket = Object.assign(new EventEmitter(), { remoteAddress, destroy: () => undefined });
  return socket as unknown as Socket;
}

/** A connection of the nth address. */
function connection(n: number): Socket {
  return createSocket(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
}

function createLimiter(
  maxConnections: number,
  maxAddressConnections = 10,
): InboundConnectionLimiter {
  return new InboundConnectionLimiter(
    { maxConnections, maxAddressConnections, minAddressConnections: 1 },
    [],
  );
}

describe("InboundConnectionLimiter", () => {
  it.each(["idle", "busy"])(
    "makes room in a time that does not grow with the number of %s addresses",
    (state) => {
      expectLinear(2500, (size) => {
        const limiter = createLimiter(size);
        const sockets = Array.from({ length: 2 * size }, (_, n) => connection(n));
        return () => {
          for (const socket of sockets) {
            limiter.add(socket);
            if (state === "busy") limiter.addRequest(socket, new EventEmitter());
          }
        };
      });
    },
  );

  it("does not count a connection that is closed already", () => {
    const limiter = createLimiter(1);
    expect(limiter.add(createSocket(undefined))).toBe(false);
    const busy = connection(1);
    limiter.add(busy);
    limiter.addRequest(busy, new EventEmitter());
    expect(limiter.add(connection(2))).toBe(false);
    busy.emit("close");
    expect(limiter.add(connection(2))).toBe(true);
  });

  it("bounds an IPv6 network of 64 bits and not each of its addresses", () => {
    const limiter = createLimiter(10, 1);
    const busy = createSocket("2001:db8::1");
    limiter.add(busy);
    limiter.addRequest(busy, new EventEmitter());
    const addresses = ["2001:db8::2", "2001:db8:0:1::2", "::ffff:10.0.0.1"];
    expect(addresses.map((address) => limiter.add(createSocket(address)))).toEqual([
      false,
      true,
      true,
    ]);
  });
});
