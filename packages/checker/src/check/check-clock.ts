/** The clock of a check's time limit. Tests have their own. */
export interface CheckClock {
  /** In milliseconds. */
  now(): number;
  /** Calls `callback` after this time, unless the result is called first. */
  after(milliseconds: number, callback: () => void): () => void;
}

/** Counts the user's time. */
export const machineClock: CheckClock = Object.freeze({
  // oxlint-disable-next-line no-restricted-globals -- a time limit counts the user's time and not the machine's
  now: () => Date.now(),
  after(milliseconds: number, callback: () => void): () => void {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
});
