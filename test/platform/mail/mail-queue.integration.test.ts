import { describe, expect, test } from "vitest";
import { MailQueue } from "../../../src/platform/mail/mail-queue.ts";
import { MailDeliveryError, type MailMessage } from "../../../src/platform/mail/mail-transport.ts";
import { OutgoingMailEntity } from "../../../src/platform/mail/outgoing-mail.entity.ts";
import { silentLog, useAccountFixture } from "../../account/account-fixture.ts";

const fixture = useAccountFixture();
const { box, clock, fork } = fixture;
const message = { to: "ann@example.org", subject: "Hello", text: "12345678\n" };
const hour = 60 * 60_000;

/** A queue whose mail server does what `send` does. */
function queueWith(send: (id: string) => Promise<void>) {
  const sent: { id: string; message: MailMessage }[] = [];
  const transport = {
    send: async (id: string, sentMessage: MailMessage) => {
      await send(id);
      sent.push({ id, message: sentMessage });
    },
  };
  return { queue: new MailQueue({ fork, box, transport, clock, log: silentLog }), sent };
}

function works(): Promise<void> {
  return Promise.resolve();
}

async function enqueue(queue: MailQueue, lifetimeMs = hour): Promise<string> {
  return fork().transactional((em) =>
    Promise.resolve(queue.enqueue(em, message, { accountId: "team_m", lifetimeMs })),
  );
}

function read(id: string) {
  return fork().findOneOrFail(OutgoingMailEntity, { id });
}

describe("MailQueue", () => {
  test("seals what waits and erases what has left", async () => {
    const { queue, sent } = queueWith(works);
    const id = await enqueue(queue);
    const waiting = await read(id);
    expect(waiting).toMatchObject({ state: "pending", accountId: "team_m", attempts: 0 });
    expect(waiting.content).not.toContain("ann");
    expect(await queue.deliver(id)).toBe(true);
    expect(sent).toEqual([{ id, message }]);
    expect(await read(id)).toMatchObject({ state: "sent", content: null });
    expect(await queue.deliver(id)).toBe(false);
  });

  test("a message of a transaction that rolls back is never sent", async () => {
    const { queue, sent } = queueWith(works);
    let id = "";
    const transaction = fork().transactional((em) => {
      id = queue.enqueue(em, message, { accountId: null, lifetimeMs: hour });
      return Promise.reject(new Error("rolled back"));
    });
    await expect(transaction).rejects.toThrow("rolled back");
    expect(await queue.deliver(id)).toBe(false);
    expect(sent).toEqual([]);
  });

  test("what fails is repeated later, with longer pauses, under the same id", async () => {
    let failures = 2;
    const { queue, sent } = queueWith(() =>
      failures-- > 0
        ? Promise.reject(new MailDeliveryError("ECONNECTION", false))
        : Promise.resolve(),
    );
    const id = await enqueue(queue);
    expect(await queue.deliver(id)).toBe(false);
    await queue.sweep();
    expect(sent).toEqual([]);
    clock.advance(30_000);
    await queue.sweep();
    clock.advance(59_999);
    await queue.sweep();
    expect(sent).toEqual([]);
    clock.advance(1);
    await queue.sweep();
    expect(sent).toMatchObject([{ id }]);
  });

  test("a refusal for good ends the attempts", async () => {
    const { queue } = queueWith(() => Promise.reject(new MailDeliveryError("EENVELOPE", true)));
    const id = await enqueue(queue);
    expect(await queue.deliver(id)).toBe(false);
    expect(await read(id)).toMatchObject({ state: "failed", content: null });
  });

  test("nothing is sent after nobody waits for it any more", async () => {
    const { queue, sent } = queueWith(works);
    const id = await enqueue(queue, 1000);
    clock.advance(1000);
    await queue.sweep();
    expect(sent).toEqual([]);
    expect(await read(id)).toMatchObject({ state: "failed", content: null });
  });

  test("of several processes one sends", async () => {
    const queues = Array.from({ length: 4 }, () => queueWith(works));
    const [first] = queues;
    if (first === undefined) throw new Error("no queue");
    const id = await enqueue(first.queue);
    const results = await Promise.all(queues.map(({ queue }) => queue.deliver(id)));
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(queues.flatMap(({ sent }) => sent)).toHaveLength(1);
  });

  test("an attempt of a process that died is taken up by another", async () => {
    const died = queueWith(() => new Promise<void>(() => undefined));
    const { queue, sent } = queueWith(works);
    const id = await enqueue(queue);
    void died.queue.deliver(id);
    await expect.poll(async () => (await read(id)).dueAt.getTime()).toBeGreaterThan(clock.now());
    await queue.sweep();
    expect(sent).toEqual([]);
    clock.advance(5 * 60_000);
    await queue.sweep();
    expect(sent).toMatchObject([{ id, message }]);
  });
});
