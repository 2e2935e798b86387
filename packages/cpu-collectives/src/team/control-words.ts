/**
 * Byte addresses in the heap that are never allocated. Words that one thread writes often have
 * their own cache lines.
 */
export interface ControlWords {
  /** Incremented when there is work. */
  readonly ticket: number;
  /** The job's number. If it is negative, there is no job, but there are messages. */
  readonly job: number;
  /** The number of threads that do it, and the number of repetitions. */
  readonly threads: number;
  readonly times: number;
  /** For jobs that look up their addresses: the number of parts, and the address of their table. */
  readonly parts: number;
  readonly table: number;
  /** The number of messages that were sent to every thread. */
  readonly posted: number;
  /** The number of messages that all threads together have handled. */
  readonly handled: number;
  /** The number of threads that sleep until the ticket changes. */
  readonly sleepers: number;
  /**
   * For thread `t`, at an offset of `arrivalStride * t` bytes: the number of barriers that it has
   * reached.
   */
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
