/** Whether both addresses lead to the same server: secrets of the one are not for another. */
export function areServerUrlsOfSameOrigin(one: string, other: string): boolean {
  return new URL(one).origin === new URL(other).origin;
}
