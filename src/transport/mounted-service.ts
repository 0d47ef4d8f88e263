import type { DescMethod, DescService } from "@bufbuild/protobuf";
import type { MethodImpl, ServiceImpl } from "@connectrpc/connect";
import type { ReplayAuthorizer, IdempotencyReplayAuthorizers } from "../platform/replay-checks.ts";
import { wrapHandlerWithReplay } from "./replayed-response.ts";
import { readMethodPolicy } from "../contract/method-policy.ts";

/** A service and what implements it, served over every protocol. */
export interface MountedService<Service extends DescService = DescService> {
  readonly service: Service;
  readonly implementation: ServiceImpl<Service>;
  /** One for each method that takes an `Idempotency-Key`. */
  readonly repeatChecks: IdempotencyReplayAuthorizers<Service>;
}

/** Pairs a service with its implementation; the types of both are checked here, before they are forgotten. */
export function bindServiceImplementation<Service extends DescService>(
  service: Service,
  implementation: ServiceImpl<Service>,
  repeatChecks: IdempotencyReplayAuthorizers<Service> = {},
): MountedService {
  return { service, implementation, repeatChecks };
}

/**
 * The function that implements a method. Throws at start when there is none, and
 * when nobody has said who may have an answer of it again.
 */
export function requireMethodImplementation<Method extends DescMethod>(
  mounted: MountedService,
  method: Method,
): MethodImpl<Method> {
  const { service, implementation } = mounted;
  const candidate: unknown = implementation[method.localName];
  if (typeof candidate !== "function") {
    throw new Error(`${service.typeName}.${method.name} is not implemented`);
  }
  const handle = candidate.bind(implementation);
  if (!readMethodPolicy(method).idempotent) return handle;
  return wrapHandlerWithReplay(handle, repeatCheckOf(mounted, method)) as MethodImpl<Method>;
}

function repeatCheckOf(
  { service, repeatChecks }: MountedService,
  method: DescMethod,
): ReplayAuthorizer {
  const check = repeatChecks[method.localName];
  if (check !== undefined) return check;
  throw new Error(`${service.typeName}.${method.name} does not say who may repeat it`);
}
