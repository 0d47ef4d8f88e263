export const aliasStrategies = ["order", "weighted", "fastest"] as const;
export const aliasAffinities = ["none", "session"] as const;

/** Which of several targets a call goes to. */
export type AliasStrategy = (typeof aliasStrategies)[number];

/** Which calls keep to one of several targets. */
export type AliasAffinity = (typeof aliasAffinities)[number];

/** A model that an alias stands for. */
export interface AliasTarget {
  /** Vendor id or `custom/<slug>`. */
  readonly vendor: string;
  /** Undefined: the first model that the vendor or endpoint has. */
  readonly modelId: string | undefined;
  /** The entry of the credits catalogue that it names, by id; several may sell one model. */
  readonly catalogId?: string;
  /** Share of the calls, 1 to 100; absent: 1. */
  readonly weight?: number;
  /** Who pays; absent: as the call and its key say. */
  readonly route?: "byo" | "credits";
}

/** What an alias stands for: one model, or several of which each call goes to one. */
export interface AliasRouting {
  readonly targets: readonly [AliasTarget, ...AliasTarget[]];
  readonly strategy: AliasStrategy;
  readonly affinity: AliasAffinity;
}

/** An alias of one target. */
export function createSingleTargetAliasRouting(target: AliasTarget): AliasRouting {
  return { targets: [target], strategy: "order", affinity: "none" };
}
