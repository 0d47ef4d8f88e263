import { getOption, type DescMethod } from "@bufbuild/protobuf";
import type { Interceptor } from "@connectrpc/connect";
import { http } from "../../../gen/ts/google/api/annotations_pb.ts";

/**
 * Answers a call that changed something when this process has heard of it: the
 * caller's next call, a model call for instance, then sees the change. Other
 * processes hear of it within a second.
 */
export function createReadYourWritesInterceptor(changesHeard: () => Promise<void>): Interceptor {
  return (next) => async (request) => {
    const answer = await next(request);
    if (!request.stream && !isRead(request.method)) await changesHeard();
    return answer;
  };
}

function isRead(method: DescMethod): boolean {
  return getOption(method, http).pattern.case === "get";
}
