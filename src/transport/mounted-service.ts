import type { DescMethod, DescService } from "@bufbuild/protobuf";
import type { MethodImpl, ServiceImpl } from "@connectrpc/connect";

/** A service and what implements it, served over every protocol. */
export interface MountedService<Service extends DescService = DescService> {
  readonly service: Service;
  readonly implementation: ServiceImpl<Service>;
}

/** Pairs a service with its implementation; the types of both are checked here, before they are forgotten. */
export function mountedService<Service extends DescService>(
  service: Service,
  implementation: ServiceImpl<Service>,
): MountedService {
  return { service, implementation };
}

/** The function that implements a method. Throws at start when there is none. */
export function methodImplementation<Method extends DescMethod>(
  { service, implementation }: MountedService,
  method: Method,
): MethodImpl<Method> {
  const candidate: unknown = implementation[method.localName];
  if (typeof candidate === "function") return candidate.bind(implementation) as MethodImpl<Method>;
  throw new Error(`${service.typeName}.${method.name} is not implemented`);
}
