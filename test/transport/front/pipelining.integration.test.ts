import { describe, expect, it } from "vitest";
import { openRaw, startFront, until } from "./start-front.ts";

const request = "GET /count HTTP/1.1\r\nhost: a\r\n\r\n";

describe("requests that are pipelined on one connection", () => {
  it("are answered in their order, and another caller is served between them", async () => {
    let served = 0;
    let servedBefore: Promise<number> | undefined;
    const front = await startFront((app) => {
      app.get("/count", () => {
        served += 1;
        servedBefore ??= fetch(`${front.url}/other`).then(() => served);
        return { count: served };
      });
      app.get("/other", () => ({}));
    });
    const raw = await openRaw(front);
    raw.socket.write(request.repeat(100));
    await until(() => raw.received().split("HTTP/1.1 200").length === 101);
    const counts = [...raw.received().matchAll(/"count":(\d+)/g)].map(([, count]) => Number(count));
    expect(counts).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    expect(await servedBefore).toBeLessThan(100);
  });

  it("close the connection when too many wait for the first", async () => {
    let begun = 0;
    const front = await startFront((app) => {
      app.get("/count", () => {
        begun += 1;
        return new Promise(() => undefined);
      });
    });
    const raw = await openRaw(front);
    raw.socket.write(request.repeat(102));
    await raw.closed;
    expect(begun).toBe(1);
  });
});
