/**
 * Values of a CTA's program counter: even where it can go on with a state, odd where it waits or
 * has ended. All are below 2^31; the highest bit marks a turn that was given up.
 */
export function stateLabel(id: number): number {
  return 2 * id;
}

export function waitLabel(id: number): number {
  return 2 * id + 1;
}

/** Of a CTA that has ended. */
export const exit = 0x7fffffff;
export const yielding = 0x80000000;
