import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  DeletedThreadSchema,
  ListThreadsResponseSchema,
  type AgentService,
} from "../../../gen/ts/causeway/agent/v1/agent_pb.ts";
import type { DurableTurnService, ThreadTurnStore } from "../../domain/durable-turn.ts";
import { readRpcContext } from "../../domain/rpc-context.ts";
import { createResponseMemoryReserver } from "../../domain/response-memory.ts";
import type { RequestBodyMemoryBudget } from "../../platform/body-memory-budget.ts";
import type { Clock } from "../../platform/clock.ts";
import { requireAccountId } from "../../platform/endpoint/require-account.ts";
import { KeyedConcurrencyLimiter, maxWaitingWorkPerAccount } from "../../platform/keyed-limiter.ts";
import { toListEnvelope, readPageRequest } from "../../platform/pagination.ts";
import { deleteThread, getSessionThread, listThreads, loadThreadTurns } from "./threads.ts";
import { viewThread, viewThreadWithTurns } from "./thread.view.ts";

/** What threads are shown and deleted with. */
export interface ThreadRpcDependencies {
  readonly clock: Clock;
  readonly durable: Pick<DurableTurnService, "delete">;
  readonly turns: ThreadTurnStore;
  /** Counts the threads that are shown. */
  readonly bodies: RequestBodyMemoryBudget;
}

/** Threads of one account that are loaded at a time: each takes a connection that others wait for. */
const maxThreadLoads = 2;

/** The handlers of an account's threads. */
export function createThreadRpc(
  dependencies: ThreadRpcDependencies,
): ServiceImpl<typeof AgentService> {
  const { clock, turns, bodies } = dependencies;
  const loads = new KeyedConcurrencyLimiter(maxThreadLoads, maxWaitingWorkPerAccount);
  return {
    async listThreads(request, context) {
      const { em, actor } = readRpcContext(context, clock);
      const accountId = requireAccountId(actor.principal);
      const page = await listThreads(em, accountId, readPageRequest(request), clock.now());
      const counts = await turns.counts(page.rows.map(({ id }) => id));
      return create(
        ListThreadsResponseSchema,
        toListEnvelope(
          page,
          (thread) => viewThread(thread, counts.get(thread.id)),
          ({ session }) => session,
        ),
      );
    },
    async getThread({ session }, context) {
      const { em, actor } = readRpcContext(context, clock);
      const accountId = requireAccountId(actor.principal);
      const thread = await getSessionThread(em, accountId, session, clock.now());
      const hold = createResponseMemoryReserver(bodies, accountId, context);
      const said = await loads.run(accountId, () => {
        // It may have waited long.
        context.signal.throwIfAborted();
        return loadThreadTurns(turns, thread.id, hold);
      });
      return viewThreadWithTurns(thread, said);
    },
    async deleteThread({ session }, context) {
      const { em, actor } = readRpcContext(context, clock);
      const now = clock.now();
      const thread = await getSessionThread(em, requireAccountId(actor.principal), session, now);
      await deleteThread(em, dependencies, thread, now);
      return create(DeletedThreadSchema, { id: session, object: "thread", deleted: true });
    },
  };
}
