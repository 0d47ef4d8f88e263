import type { ServerResponse } from "node:http";
import type { Script } from "../../support/fake-upstream.ts";

/** A stream of a chat upstream that says what a test tells it, when it does. */
export interface PausedStream {
  readonly script: Script;
  /** Resolves when the upstream was asked. */
  readonly begun: Promise<void>;
  /** A piece of the answer each. */
  say(...words: readonly string[]): void;
  /** Ends it as it should. */
  end(): void;
  /** Breaks the connection off. */
  drop(): void;
}

export function pausedStream(): PausedStream {
  const begun = Promise.withResolvers<void>();
  let response: ServerResponse | undefined;
  const send = (data: unknown): void => {
    response?.write(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
  };
  const chunk = (delta: object, finish: string | null = null): object => ({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  return {
    begun: begun.promise,
    script: (answer) => {
      response = answer;
      answer.writeHead(200, { "content-type": "text/event-stream" });
      send(chunk({ role: "assistant", content: "" }));
      begun.resolve();
    },
    say: (...words) => {
      for (const content of words) send(chunk({ content }));
    },
    end: () => {
      send(chunk({}, "stop"));
      send({
        ...chunk({}),
        choices: [],
        usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
      });
      send("[DONE]");
      response?.end();
    },
    drop: () => response?.destroy(),
  };
}
