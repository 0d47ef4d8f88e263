/** Longest a turn may take before its open calls count as errors. */
export const turnLimitMs = 30_000;

/** Connections of the cases that send as fast as answers come. */
export const connections = 32;
