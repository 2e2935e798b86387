/**
 * Addresses, in bytes of the heap that are never given out. What one thread writes again and again
 * has cache lines of its own.
 */
export interface ControlWords {
  /** Goes up when there is something to do. */
  readonly ticket: number;
  /** Which job; below 0: none, there are messages. */
  readonly job: number;
  /** How many threads do it, and how many times over. */
  readonly threads: number;
  readonly times: number;
  /**
   * For jobs that are told where their data are: how many parts there are, and where they are
   * written down.
   */
  readonly parts: number;
  readonly table: number;
  /** Messages that were sent to every thread. */
  readonly posted: number;
  /** Messages that threads have taken in, all together. */
  readonly handled: number;
  /** Threads that sleep until the ticket changes. */
  readonly sleepers: number;
  /** Of thread `t`, `arrivalStride * t` bytes on: how many barriers it has come to. */
  readonly arrivals: number;
  readonly arrivalStride: number;
}

/** What threads of a team tell each other by. */
export const controlWords: ControlWords = Object.freeze({
  ticket: 1024,
  job: 1028,
  threads: 1032,
  times: 1036,
  parts: 1044,
  table: 1048,
  posted: 1040,
  handled: 1152,
  sleepers: 1280,
  arrivals: 1536,
  arrivalStride: 128,
});

/** As many as there are arrival words for. */
export const MAX_TEAM_THREADS = 16;
