import {
  AliasAffinity,
  AliasRoute,
  AliasStrategy,
} from "../../gen/ts/causeway/alias/v1/alias_pb.ts";
import type {
  AliasAffinity as AffinityName,
  AliasStrategy as StrategyName,
  AliasTarget,
} from "../kernel/alias-target.ts";

type RouteName = NonNullable<AliasTarget["route"]>;

/** The numbers that the contract gives to what the database spells out. */
export const strategyNumbers: Readonly<Record<StrategyName, AliasStrategy>> = {
  order: AliasStrategy.ORDER,
  weighted: AliasStrategy.WEIGHTED,
  fastest: AliasStrategy.FASTEST,
};

export const affinityNumbers: Readonly<Record<AffinityName, AliasAffinity>> = {
  none: AliasAffinity.NONE,
  session: AliasAffinity.SESSION,
};

export const routeNumbers: Readonly<Record<RouteName, AliasRoute>> = {
  byo: AliasRoute.BYO,
  credits: AliasRoute.CREDITS,
};
