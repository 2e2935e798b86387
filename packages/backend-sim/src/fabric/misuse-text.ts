/** The misuses of operations of the fabric, with suggestions. */
export const fabricMisuse = {
  inUse: (): string =>
    'a session of the fabric begins, and another one uses the same shared memory: give each its own 16 bytes',
  noSession: (): string => 'an operation of the fabric uses shared memory that no session has: make the session first',
  left: (count: number, submitted: boolean): string =>
    submitted
      ? `operations of the fabric that may be under way at the end of their session: ${count}; flush before its end`
      : `operations of the fabric that were never submitted: ${count}; submit, with the group that initiated them, and flush`,
  otherEndpoint: (wanted: string, given: string): string =>
    `an operation for a ${wanted} endpoint was given a ${given} one: take it from ${wanted === 'multicast' ? 'multimemLeInfo' : 'leInfo or peerLeInfo'}`,
  notCounted: (): string =>
    'a counted operation was given an endpoint without counters: register the window with WindowFlags.CftCounted',
  noPlace: (): string =>
    'an operation of the fabric has an endpoint and an offset that lead to no window: take both from leInfo, and add to the offset only within the window',
  counterPlace: (offset: number): string =>
    `the counter of an operation of the fabric is at byte ${offset} of its window: it must be at a multiple of 256`,
  placeAlignment: (offset: number): string =>
    `an operation of the fabric reaches byte ${offset} of a window: it must be a multiple of 16`,
} as const;
