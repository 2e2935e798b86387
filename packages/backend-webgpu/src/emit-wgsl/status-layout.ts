import type { FaultKind } from '@nccl-ts/findings';

/** The words at the head of the status buffer, which all launches share. */
export const worldStatus: Readonly<Record<'locks' | 'cycles' | 'reads' | 'printed' | 'launches' | 'printAt', number>> =
  Object.freeze({
    /** Locks for operations that WGSL has no atomics for. */
    locks: 0,
    /**
     * What the host has let pass of the cycle counter, low word first; then how often it was read.
     */
    cycles: 32,
    reads: 34,
    /** Words that printed lines take, also those that found no room. */
    printed: 35,
    /** Where the words of launches begin. */
    launches: 64,
    /** Where the printed lines begin. */
    printAt: 64 + 16 * 1024,
  });

/** The words of a launch in the status buffer. */
export const launchStatus: Readonly<
  Record<
    'live' | 'turns' | 'passed' | 'yields' | 'timed' | 'fault' | 'what' | 'site' | 'cta' | 'thread' | 'address' | 'low',
    number
  >
> = Object.freeze({
  /** CTAs that have not ended. */
  live: 0,
  /** How often a CTA had its turn, and how often one has passed a wait. */
  turns: 1,
  passed: 2,
  /** How often a CTA gave its turn up. */
  yields: 3,
  /** How often a condition that did not hold read the cycle counter. */
  timed: 4,
  /** Who sets it from 0 to 1 writes what follows: the first fault. */
  fault: 5,
  /** Its kind, from the lowest byte on; the space and the bytes of the access. */
  what: 6,
  site: 7,
  cta: 8,
  thread: 9,
  address: 10,
  low: 11,
});

/** Launches that can run at the same time. */
export const mostLaunches = 1024;
export const launchStatusWords = 16;
/** Words of printed lines that there is room for. */
export const printWords = 16384;
export const statusWords: number = worldStatus.printAt + printWords;

/** Numbers of faults in the status buffer, by what texts call them. */
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
