import type { Answer, FuzzCase } from "../fuzz-case.ts";
import { planMark } from "../generators/upstream.ts";
import { sendRaw } from "../wire/send-raw.ts";
import type { ServerUnderTest } from "./server-under-test.ts";
import type { FuzzUpstream } from "./fake-upstream.ts";

/** Sends a case; what its upstream is to answer is planned before. */
export async function sendCase(
  target: ServerUnderTest,
  double: FuzzUpstream,
  given: FuzzCase,
): Promise<Answer> {
  if (given.kind === "raw") return sendRaw(target.urlOf(given.service), given);
  const { upstream, body } = given;
  if (upstream === undefined || body === undefined)
    return target.callerOf(given.service).call(given);
  const word = double.plan(upstream);
  const planned = Buffer.from(body.toString().replace(planMark, word));
  try {
    return await target.callerOf(given.service).call({ ...given, body: planned });
  } finally {
    double.forget(word);
  }
}
