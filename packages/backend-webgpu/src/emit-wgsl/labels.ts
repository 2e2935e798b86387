/**
 * The values of a CTA's program counter: even if it can continue with a state, odd if it waits or
 * has ended. All are below 2^31. The highest bit marks a slice that was yielded.
 */
export function stateLabel(id: number): number {
  return 2 * id;
}

export function waitLabel(id: number): number {
  return 2 * id + 1;
}

/** The value of a CTA that has ended. */
export const exit = 0x7fffffff;
export const yielding = 0x80000000;
