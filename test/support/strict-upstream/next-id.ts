let last = 0;

/** An id that no other answer of this process has. */
export function nextId(prefix: string): string {
  last += 1;
  return `${prefix}strict${last}`;
}
