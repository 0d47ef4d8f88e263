import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import {
  createJsonDocumentParser,
  createTextDocumentParser,
} from "../../../src/depshealth/fetch/read-document.ts";

it("jsonReader makes one document in a turn of the event loop", async () => {
  let turn = 0;
  let isOver = false;
  const count = (): void => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const turns: number[] = [];
  const read = createJsonDocumentParser("whole", (picked) => {
    turns.push(turn);
    return picked;
  });
  async function* body() {
    yield Buffer.from('{"name":"left"}');
  }
  await Promise.all(Array.from({ length: 5 }, () => read(body(), {})));
  isOver = true;
  expect(new Set(turns).size).toBe(5);
});

it("jsonReader reads on in four documents at a time of which it picks much", async () => {
  const end = Promise.withResolvers<void>();
  const fourth = Promise.withResolvers<void>();
  let whole = 0;
  async function* body() {
    yield Buffer.from('["');
    for (let part = 0; part < 64; part++) yield Buffer.alloc(64 * 1024, "x");
    whole += 1;
    if (whole === 4) fourth.resolve();
    await end.promise;
    yield Buffer.from('"]');
  }
  const read = createJsonDocumentParser("whole", (picked) => picked);
  const documents = Promise.all(Array.from({ length: 10 }, () => read(body(), {})));
  await fourth.promise;
  for (let turn = 0; turn < 500; turn++) await nextTurn();
  expect(whole).toBe(4);
  end.resolve();
  expect((await documents).map((picked) => (picked as string[])[0]?.length)).toEqual(
    Array.from({ length: 10 }, () => 64 * 64 * 1024),
  );
});

it("jsonReader lets small documents pass those that wait", async () => {
  const end = Promise.withResolvers<void>();
  async function* large() {
    yield Buffer.from(`["${"x".repeat(2 * 1024 * 1024)}`);
    await end.promise;
    yield Buffer.from('"]');
  }
  async function* small() {
    yield Buffer.from('{"name":"left"}');
  }
  const read = createJsonDocumentParser("whole", (picked) => picked);
  const documents = Promise.all(Array.from({ length: 10 }, () => read(large(), {})));
  expect(await read(small(), {})).toEqual({ name: "left" });
  end.resolve();
  await documents;
});

it("jsonReader ends the body of a document that it cannot read, and reads the next", async () => {
  let ended = 0;
  async function* body() {
    try {
      yield Buffer.from(`["${"x".repeat(2 * 1024 * 1024)}"]`);
      yield Buffer.from("]");
      yield Buffer.from("never read");
    } finally {
      ended += 1;
    }
  }
  const read = createJsonDocumentParser("whole", (picked) => picked);
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => read(body(), {})));
  expect(results.every(({ status }) => status === "rejected")).toBe(true);
  expect(ended).toBe(10);
});

it.each([
  ["createJsonDocumentReader", createJsonDocumentParser("whole", overflow)],
  ["createTextDocumentReader", createTextDocumentParser(overflow)],
])("%s rejects with a DocumentError whatever its reader throws", async (_name, read) => {
  async function* body() {
    yield Buffer.from("{}");
  }
  await expect(read(body(), {})).rejects.toMatchObject({
    name: "DocumentError",
    kind: "unreadable",
  });
});

function overflow(): never {
  throw new RangeError("Maximum call stack size exceeded");
}
