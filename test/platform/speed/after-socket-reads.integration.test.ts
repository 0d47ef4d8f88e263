import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { runAfterSocketReads } from "../../../src/platform/speed/after-socket-reads.ts";

test("actions run in their order, and what they add runs the next time", async () => {
  const seen: string[] = [];
  await new Promise<void>((resolve) => {
    runAfterSocketReads(() => {
      seen.push("first");
      runAfterSocketReads(() => {
        seen.push("added");
        resolve();
      });
    });
    runAfterSocketReads(() => seen.push("second"));
    seen.push("now");
  });
  expect(seen).toEqual(["now", "first", "second", "added"]);
});

test("every socket that has something is read before the first action", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const pairs = [await pairOn(server), await pairOn(server)];
  onTestFinished(() => {
    for (const { reader } of pairs) reader.destroy();
    server.close();
  });
  const seen: string[] = [];
  const acted = pairs.map(
    ({ reader }) =>
      new Promise<void>((resolve) => {
        reader.on("data", () => {
          seen.push("read");
          runAfterSocketReads(() => {
            seen.push("acted");
            resolve();
          });
        });
      }),
  );
  for (const { writer } of pairs) writer.write("x");
  await Promise.all(acted);
  expect(seen).toEqual(["read", "read", "acted", "acted"]);
});

interface Pair {
  readonly reader: Socket;
  readonly writer: Socket;
}

async function pairOn(server: Server): Promise<Pair> {
  const accepted = once(server, "connection");
  const reader = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [writer] = (await accepted) as [Socket];
  return { reader, writer };
}
