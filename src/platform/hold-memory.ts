/** Gives the memory back that was counted. May be called again. */
export type GiveBack = () => void;

/**
 * Counts bytes for a call until they are given back, or else until the call ends. Throws 413, 429
 * or 503 if its account may not hold so much.
 */
export type HoldMemory = (bytes: number) => GiveBack;

/** Counts nothing: for what another bound keeps small. */
export const uncounted: HoldMemory = () => giveNothingBack;

/** Memory of one part of a call, which is given back at the end of that part. */
export interface HoldScope {
  readonly hold: HoldMemory;
  /** Gives all of it back. What is counted later is kept until the call ends. */
  readonly giveBack: GiveBack;
}

/** Returns a scope within what a call holds. */
export function openHoldScope(hold: HoldMemory): HoldScope {
  const counted = new Set<GiveBack>();
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
