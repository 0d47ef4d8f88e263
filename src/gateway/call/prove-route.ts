import type { Answer } from "./answer.ts";
import type { RouteDependencies } from "./call-routes.ts";
import type { RoutedCall } from "./model-call.ts";
import { prepareRoute } from "./prepare-route.ts";
import type { CallBody } from "./read-call-body.ts";
import { reserveRoute } from "./reserve-route.ts";
import { settleCall } from "./settle-call.ts";

/** Throws what keeps a call from being made now: it cannot be carried, or paid. Nothing is held. */
export async function proveRoute(
  dependencies: RouteDependencies,
  call: RoutedCall,
  body: CallBody,
  answer: Answer,
): Promise<void> {
  const route = await prepareRoute(dependencies.transcoding, call, body, answer);
  // Under an id of its own: the call's is for what is dialled.
  const { bill } = await reserveRoute(dependencies, route, answer, true);
  await settleCall({ bill, used: undefined });
}
