import { ApiError } from "./errors.ts";

/** Gives the memory back that was counted. May be called again. */
export type MemoryReleaser = () => void;

/**
 * Counts bytes for a call until they are given back, or else until the call ends. Throws 413, 429
 * or 503 if its account may not hold so much.
 */
export type MemoryReserver = (bytes: number) => MemoryReleaser;

/** Counts nothing: for what another bound keeps small. */
export const noopMemoryReserver: MemoryReserver = () => giveNothingBack;

/**
 * Returns a reserver that counts bytes only if the account may hold them. It is for an answer that
 * is paid for, and is sent in any case.
 */
export function reserveIfPossible(hold: MemoryReserver): MemoryReserver {
  return (bytes) => {
    try {
      return hold(bytes);
    } catch (error) {
      if (error instanceof ApiError) return giveNothingBack;
      throw error;
    }
  };
}

/** Memory of one part of a call, which is given back at the end of that part. */
export interface MemoryReservationScope {
  readonly hold: MemoryReserver;
  /** Gives all of it back. What is counted later is kept until the call ends. */
  readonly giveBack: MemoryReleaser;
}

/** Returns a scope within what a call holds. */
export function openMemoryReservationScope(hold: MemoryReserver): MemoryReservationScope {
  const counted = new Set<MemoryReleaser>();
  return {
    hold(bytes) {
      const giveBack = hold(bytes);
      counted.add(giveBack);
      return () => {
        counted.delete(giveBack);
        giveBack();
      };
    },
    giveBack() {
      for (const giveBack of counted) giveBack();
      counted.clear();
    },
  };
}

function giveNothingBack(): void {
  // Nothing was counted.
}
