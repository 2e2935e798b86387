/**
 * The latest time that a timeline can hold, in nanoseconds: 13 days. Later times would not be exact
 * as microseconds.
 */
export const latestTime: number = 2 ** 50;
