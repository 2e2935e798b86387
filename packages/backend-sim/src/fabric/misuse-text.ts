/** The texts for misused fabric operations, with suggestions. */
export const fabricMisuse = {
  inUse: (): string =>
    'a fabric session begins while another one uses the same shared memory: give each its own 16 bytes',
  noSession: (): string => 'a fabric operation uses shared memory that belongs to no session: create the session first',
  left: (count: number, submitted: boolean): string =>
    submitted
      ? `operations of the fabric that may be under way at the end of their session: ${count}; flush before its end`
      : `operations of the fabric that were never submitted: ${count}; submit, with the group that initiated them, and flush`,
  otherEndpoint: (wanted: string, given: string): string =>
    `an operation for a ${wanted} endpoint was given a ${given} one: take it from ${wanted === 'multicast' ? 'multimemLeInfo' : 'leInfo or peerLeInfo'}`,
  notCounted: (): string =>
    'a counted operation was given an endpoint without counters: register the window with WindowFlags.CftCounted',
  noPlace: (): string =>
    'a fabric operation has an endpoint and an offset that lie in no window: take both from leInfo, and add to the offset only within the window',
  counterPlace: (offset: number): string =>
    `the counter of a fabric operation is at byte ${offset} of its window: it must be at a multiple of 256`,
  placeAlignment: (offset: number): string =>
    `a fabric operation accesses byte ${offset} of a window: it must be a multiple of 16`,
} as const;
