import type { FaultKind } from '@nccl-ts/findings';

/** The words at the head of the status buffer, which all launches share. */
export const worldStatus: Readonly<Record<'locks' | 'cycles' | 'reads' | 'printed' | 'launches' | 'printAt', number>> =
  Object.freeze({
    /** Locks for operations for which WGSL has no atomics. */
    locks: 0,
    /**
     * The part of the cycle counter that the host has added, low word first; then the number of its
     * reads.
     */
    cycles: 32,
    reads: 34,
    /** The words of printed lines, including lines that did not fit. */
    printed: 35,
    /** The start of the words of launches. */
    launches: 64,
    /** The start of the printed lines. */
    printAt: 64 + 16 * 1024,
  });

/** The words of a launch in the status buffer. */
export const launchStatus: Readonly<
  Record<
    | 'live'
    | 'turns'
    | 'passed'
    | 'yields'
    | 'timed'
    | 'fault'
    | 'what'
    | 'site'
    | 'cta'
    | 'thread'
    | 'address'
    | 'low'
    | 'polls'
    | 'pollsBefore',
    number
  >
> = Object.freeze({
  /** CTAs that have not ended. */
  live: 0,
  /** The number of slices of a CTA, and of waits that passed. */
  turns: 1,
  passed: 2,
  /** The number of slices that a CTA yielded. */
  yields: 3,
  /** The number of reads of the cycle counter by conditions that did not hold. */
  timed: 4,
  /** The thread that sets it from 0 to 1 writes the following words: the first fault. */
  fault: 5,
  /** Its kind, from the lowest byte on; the space and the bytes of the access. */
  what: 6,
  site: 7,
  cta: 8,
  thread: 9,
  address: 10,
  low: 11,
  /** The number of polls, and of polls before the last slice of any CTA. */
  polls: 12,
  pollsBefore: 13,
});

/** The number of launches that can run at the same time. */
export const mostLaunches = 1024;
export const launchStatusWords = 16;
/** The room for printed lines, in words. */
export const printWords = 16384;
export const statusWords: number = worldStatus.printAt + printWords;

/** The numbers of faults in the status buffer, by their names in texts. */
export const faultNumbers: Readonly<Record<FaultKind, number>> = Object.freeze({
  divideByZero: 1,
  overflow: 2,
  addressRange: 3,
  lane: 4,
  assert: 5,
  outOfBounds: 6,
  misaligned: 7,
  fuel: 8,
  misuse: 9,
});
