import type { Receiver } from "../relay/receiver.ts";

/** Takes an answer that nobody hears. */
export const unheardAnswer: Receiver = {
  isEmpty: false,
  data: () => true,
  end: () => undefined,
  broken: () => undefined,
  begin: () => undefined,
};
