import type { FastifyInstance } from "fastify";

interface Route {
  readonly path: RegExp;
  readonly methods: readonly string[];
}

/**
 * Every route of a server with its methods, collected while they are registered:
 * it tells a wrong method (405 and `allow`) from an unknown path (404).
 */
export class RouteMethodTable {
  readonly #routes: Route[] = [];

  /** Sees the routes that are registered from now on, in whatever plugin. */
  observe(app: FastifyInstance): void {
    app.addHook("onRoute", ({ method, url, config }) => {
      if (config?.isUpgrade === true) return;
      this.#routes.push({ path: compilePathPattern(url), methods: [method].flat() });
    });
  }

  /** The methods that a path answers to, sorted; empty for an unknown path. */
  methodsOf(path: string): string[] {
    const matching = this.#routes.filter((route) => route.path.test(path));
    return [...new Set(matching.flatMap(({ methods }) => methods))].toSorted();
  }
}

/** `/v1/teams/:team_id` to `^/v1/teams/[^/]+$`; a star takes the rest of the path. */
export function compilePathPattern(url: string): RegExp {
  const pattern = url
    .replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/:\w+/g, "[^/]+")
    .replaceAll("*", ".*");
  return new RegExp(`^${pattern}$`);
}
