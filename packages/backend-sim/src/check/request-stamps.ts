/**
 * Each request has two stamps for its notifications: one for its signal, and one for its
 * completion.
 */
export function signalStamp(stamp: number): number {
  return 2 * stamp;
}

export function countStamp(stamp: number): number {
  return 2 * stamp + 1;
}
