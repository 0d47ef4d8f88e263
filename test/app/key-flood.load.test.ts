import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateCredentialToken } from "../../src/platform/crypto/token.ts";
import { startTestInstance, type TestInstance } from "../support/test-instance.ts";

const statements: string[] = [];
let causeway: TestInstance;
beforeAll(async () => {
  causeway = await startTestInstance({
    statementObserver: (sql) => void statements.push(sql),
    // A twentieth of the default; none comes back while a busy machine runs the test.
    lookUpAllowance: { burst: 100, refillMs: 3_600_000 },
  });
});
afterAll(() => causeway.close());

const paths = ["/v1/chat/completions", "/v1/responses", "/v1/messages"];

/** The status of a call that announces a body and never sends it. */
async function statusOf(path: string, token: string): Promise<number> {
  const { hostname, port } = new URL(causeway.url);
  const socket: Socket = connect(Number(port), hostname);
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\n` +
      "content-type: application/json\r\ncontent-length: 1000000\r\n\r\n",
  );
  const [answer] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer.toString("latin1"))?.[1]);
}

/** How often a key was read from the database. */
function lookUps(): number {
  return statements.filter((sql) => sql.includes("caller_key_secrets")).length;
}

describe("a flood of keys that are none", () => {
  it.each([
    ["of another form", "sk-proj-0123456789"],
    ["with a wrong checksum", `cwk_${"a".repeat(49)}`],
    ["of one key that was never issued", generateCredentialToken("cwk")],
  ])("%s is refused without reading bodies and without SQL", async (_, token) => {
    // What a key that was never issued costs, once.
    for (const path of paths) expect(await statusOf(path, token)).toBe(401);
    statements.length = 0;
    const flood = Array.from({ length: 150 }, (__, index) => {
      return statusOf(paths[index % paths.length] ?? "", token);
    });
    expect(new Set(await Promise.all(flood))).toEqual(new Set([401]));
    expect(lookUps()).toBe(0);
  });

  it("of ever new keys is looked up for a while and then refused without SQL", async () => {
    statements.length = 0;
    const statuses: number[] = [];
    const send = async (): Promise<void> => {
      while (statuses.length < 140) {
        const { status } = await causeway.call("POST", paths[0] ?? "", {
          token: generateCredentialToken("cwk"),
        });
        statuses.push(status);
      }
    };
    await Promise.all(Array.from({ length: 20 }, send));
    expect(statuses.filter((status) => status === 401).length).toBeGreaterThan(90);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(lookUps()).toBe(statuses.filter((status) => status === 401).length);
    // The same budget, whatever is asked.
    const session = { token: generateCredentialToken("cws") };
    const refused = await causeway.call("GET", "/v1/keys", session);
    expect(refused).toMatchObject({ status: 429, body: { error: "rate_limited" } });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});
