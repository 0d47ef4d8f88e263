import { BudgetWindow, KeyMode, KeyRoute } from "../../gen/ts/causeway/account/v1/key_pb.ts";
import { Scope } from "../../gen/ts/causeway/options/v1/options_pb.ts";
import type { Scope as ScopeName } from "../platform/principal.ts";
import type {
  BudgetWindow as WindowName,
  CallMode as ModeName,
  CallRoute as RouteName,
} from "../kernel/caller-key.ts";

/** The numbers that the contract gives to what the database spells out. */
export const scopeNumbers: Readonly<Record<ScopeName, Scope>> = {
  "gateway:invoke": Scope.GATEWAY_INVOKE,
  "teams:read": Scope.TEAMS_READ,
  "teams:write": Scope.TEAMS_WRITE,
  "endpoints:read": Scope.ENDPOINTS_READ,
  "endpoints:write": Scope.ENDPOINTS_WRITE,
};

export const routeNumbers: Readonly<Record<RouteName, KeyRoute>> = {
  byo: KeyRoute.BYO,
  credits: KeyRoute.CREDITS,
  auto: KeyRoute.AUTO,
};

export const modeNumbers: Readonly<Record<ModeName, KeyMode>> = {
  model: KeyMode.MODEL,
  agent: KeyMode.AGENT,
};

export const windowNumbers: Readonly<Record<WindowName, BudgetWindow>> = {
  day: BudgetWindow.DAY,
  month: BudgetWindow.MONTH,
  total: BudgetWindow.TOTAL,
};
