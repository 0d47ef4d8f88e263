import { setTimeout as delay } from "node:timers/promises";
import { ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { onTestFinished } from "vitest";
import { AliasService, type AliasChanges } from "../../gen/ts/causeway/alias/v1/alias_pb.ts";

/** A stream of alias changes as a client holds it. */
export interface AliasStream {
  /** Tokens of the changes so far, in order. */
  readonly told: readonly string[];
  /** The error that it ended with. */
  readonly ended: Promise<ConnectError>;
  /** What the same credential would be refused with now; undefined: it would not be. */
  nextCall(): Promise<ConnectError | undefined>;
  leave(): void;
}

/** Opens one over gRPC; resolves when the history has come, rejects with the refusal. */
export async function openAliasStream(baseUrl: string, token: string): Promise<AliasStream> {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const client = createClient(AliasService, createGrpcTransport({ baseUrl }));
  const headers = { authorization: `Bearer ${token}` };
  const stream = client.watchAliases({}, { headers, signal: leaving.signal });
  const changes = stream[Symbol.asyncIterator]();
  const told: string[] = [];
  note(told, await changes.next());
  return {
    told,
    ended: drain(changes, told),
    nextCall: () =>
      client.listAliasChanges({}, { headers }).then(
        () => undefined,
        (error: unknown) => ConnectError.from(error),
      ),
    leave: () => leaving.abort(),
  };
}

/** The error of a stream that has to end by itself; rejects when it has not in that time. */
export async function endOf({ ended }: AliasStream, limitMs = 1000): Promise<ConnectError> {
  const timer = new AbortController();
  const tooLate = delay(limitMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`The stream was still open after ${limitMs} ms.`);
  });
  const error = await Promise.race([ended, tooLate]);
  timer.abort();
  await tooLate.catch(() => undefined);
  return error;
}

async function drain(changes: AsyncIterator<AliasChanges>, told: string[]): Promise<ConnectError> {
  try {
    for (;;) note(told, await changes.next());
  } catch (error) {
    return ConnectError.from(error);
  }
}

function note(told: string[], { done, value }: IteratorResult<AliasChanges>): void {
  if (done === true) throw new Error("The stream ended without a word.");
  told.push(...value.changes.map(({ token }: { readonly token: string }) => token));
}
