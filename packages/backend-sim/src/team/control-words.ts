/**
 * Addresses in bytes of the heap that are never allocated. Words that one thread writes repeatedly
 * have separate cache lines.
 */
export interface ControlWords {
  /** Increases when there is work. */
  readonly ticket: number;
  /** The job's number; below 0: none, there are messages. */
  readonly job: number;
  /** The number of threads that do it, and the number of times. */
  readonly threads: number;
  readonly times: number;
  /**
   * For jobs that get their data's location: the number of parts, and the address of their table.
   */
  readonly parts: number;
  readonly table: number;
  /** Messages that were sent to every thread. */
  readonly posted: number;
  /** Messages that threads have taken in, all together. */
  readonly handled: number;
  /** Threads that sleep until the ticket changes. */
  readonly sleepers: number;
  /** For thread `t`, `arrivalStride * t` bytes on: the number of barriers that it has reached. */
  readonly arrivals: number;
  readonly arrivalStride: number;
}

/** The words through which threads of a team communicate. */
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

/** The number of arrival words. */
export const MAX_TEAM_THREADS = 16;
