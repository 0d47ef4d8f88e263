import { connect, type ClientHttp2Session } from "node:http2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { json } from "../support/fake-upstream.ts";
import { openStream, type UnfinishedRequest } from "../support/unfinished-request.ts";
import { waitUntil } from "../support/wait-until.ts";
import {
  modelOf,
  startSocketInstance,
  type SocketInstance,
} from "../gateway/websocket/socket-instance.ts";

const mebibyte = 1024 * 1024;
/** Of a method without a credential. */
const openBodyBytes = 256 * 1024;

/** Of all request bodies; a sixteenth of the default, and so is the large honest body. */
const heldMib = 32;
const largeBytes = (8 * mebibyte * heldMib) / 512;

/** How many bodies of a wave are under way again after they were ended. */
const waves = 3;

let instance: SocketInstance;
let attack: Attack;

beforeAll(async () => {
  instance = await startSocketInstance({
    file: { limits: { held_bodies_mib: heldMib } },
    environment: { CAUSEWAY_TRUSTED_PROXIES: "127.0.0.1" },
  });
});

afterAll(() => instance.close());

/** Streams of bodies that never end. One that the server ends is opened again. */
class Attack {
  readonly statuses: number[] = [];
  readonly #sessions: ClientHttp2Session[] = [];
  #isOver = false;

  /** Opens connections with so many streams each. */
  open(connections: number, streams: number, request: (index: number) => Sent): void {
    for (let connection = 0; connection < connections; connection++) {
      // With the bodies that wait to be sent, Node's client would refuse the answers.
      const session = connect(instance.causeway.url, { maxSessionMemory: 1000 });
      session.on("error", () => undefined);
      this.#sessions.push(session);
      for (let stream = 0; stream < streams; stream++) {
        this.#keepSending(session, request(connection * streams + stream));
      }
    }
  }

  stop(): void {
    this.#isOver = true;
    for (const session of this.#sessions) session.destroy();
  }

  #keepSending(session: ClientHttp2Session, request: Sent, wave = 0): void {
    if (this.#isOver || wave === waves) return;
    const stream = openStream(session, request);
    stream.once("response", (head) => {
      this.statuses.push(Number(head[":status"]));
      stream.close();
      this.#keepSending(session, request, wave + 1);
    });
  }
}

type Sent = Omit<UnfinishedRequest, "url">;

/** A declared body of which so many bytes are sent. */
function unfinished(
  path: string,
  headers: Record<string, string>,
  bytes: number,
  declared = mebibyte,
): Sent {
  const type = { "content-type": "application/json" };
  return {
    path,
    headers: { ...type, ...headers },
    declared,
    sent: Buffer.alloc(bytes, " "),
  };
}

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

/** Calls of a size, four accounts with several at once. */
async function statusesOf(count: number, bytes: number): Promise<number[]> {
  const callers = await Promise.all([0, 1, 2, 3].map(() => instance.caller()));
  instance.upstream.play(json({ id: "1", object: "chat.completion", choices: [] }));
  const head = JSON.stringify({ model: modelOf("chat"), messages: [], user: "" });
  const body = head.replace('"user":""', `"user":"${"x".repeat(bytes - head.length)}"`);
  const statuses: number[] = [];
  const serve = async (secret: string): Promise<void> => {
    while (statuses.length < count) {
      const place = statuses.push(0) - 1;
      const headers = { ...bearer(secret), "content-type": "application/json" };
      const url = `${instance.causeway.url}/v1/chat/completions`;
      const answer = await fetch(url, { method: "POST", headers, body });
      statuses[place] = answer.status;
      await answer.text();
    }
  };
  await Promise.all([...callers, ...callers].map(({ secret }) => serve(secret)));
  return statuses;
}

/** 80 calls of 1 KB and 20 large ones of other accounts, while the attack runs. */
async function expectHonestCallsServed(): Promise<void> {
  try {
    const small = await statusesOf(80, 1024);
    const large = await statusesOf(20, largeBytes);
    expect(new Set(small)).toEqual(new Set([200]));
    expect(new Set(large)).toEqual(new Set([200]));
    expect((await fetch(`${instance.causeway.url}/readyz`)).status).toBe(200);
  } finally {
    attack.stop();
  }
}

describe("calls of other accounts are served while bodies that never end are sent", () => {
  it("[limits.held-bodies-fair] by callers without a credential, a byte of each", async () => {
    attack = new Attack();
    attack.open(4, 128, () => unfinished("/v1/sign_in", {}, 1, openBodyBytes));
    await expectHonestCallsServed();
  });

  it("by one IPv6 network, nearly all of each, and other strangers are served too", async () => {
    attack = new Attack();
    attack.open(4, 32, (index) => {
      const headers = { "x-forwarded-for": `2001:db8:1:2::${index.toString(16)}` };
      return unfinished("/v1/sign_in", headers, openBodyBytes - 1, openBodyBytes);
    });
    const strangers = [1, 2, 3, 4, 5].map(async (index) => {
      const body = JSON.stringify({ email: `somebody${index}@example.org` });
      const headers = { "content-type": "application/json", "x-forwarded-for": `192.0.2.${index}` };
      const url = `${instance.causeway.url}/v1/sign_in`;
      return (await fetch(url, { method: "POST", headers, body })).status;
    });
    expect((await Promise.all(strangers)).filter((status) => status >= 429)).toEqual([]);
    await expectHonestCallsServed();
  });

  it("by one account with five keys", async () => {
    const user = await instance.causeway.createUser();
    const keys = await Promise.all([1, 2, 3, 4, 5].map(() => user.createKey()));
    attack = new Attack();
    attack.open(4, 16, (index) => {
      const { secret } = keys[index % 5] as { secret: string };
      return unfinished("/v1/chat/completions", bearer(secret), mebibyte - 1);
    });
    await expectHonestCallsServed();
    expect(attack.statuses).toContain(429);
    expect(attack.statuses).not.toContain(503);
  });

  // An attacker that wants as much as the others have is told 503.
  it("by five accounts that fill the whole, which give way with 429", async () => {
    const keys = await Promise.all(
      [1, 2, 3, 4, 5].map(async () => (await instance.causeway.createUser()).createKey()),
    );
    attack = new Attack();
    attack.open(5, 8, (index) => {
      const { secret } = keys[Math.floor(index / 8)] as { secret: string };
      return unfinished("/v1/chat/completions", bearer(secret), mebibyte - 1);
    });
    await waitUntil(() => attack.statuses.includes(429), 20_000);
    await expectHonestCallsServed();
  });
});
