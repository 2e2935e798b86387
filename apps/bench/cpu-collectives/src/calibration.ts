/** The measurements of two spinning threads. */
export interface Calibration {
  /** The fraction of time that the system took each core away. */
  readonly lost: readonly number[];
  /** One signal from core to core, one way. */
  readonly signalNs: number;
}

/** The distance of the two cores. The host can change it. */
export type CoreDistance = 'near' | 'far';

/** If a core loses at least this fraction, a neighbouring round does not count. */
const LOST = 0.018;
/** Between the times of near cores (up to 123 ns measured) and far ones (from 165 ns). */
const NEAR_NS = 140;
/**
 * The number of attempts for a unit whose processes end with an error, as the problem may be
 * temporary.
 */
const ATTEMPTS = 3;
/** The most calibrations in a row that may fail before a unit begins. Each takes 0.15 s. */
const PATIENCE = 20;

export function isQuiet({ lost }: Calibration): boolean {
  return lost.every((share) => share < LOST);
}

export function placementOf({ signalNs }: Calibration): CoreDistance {
  return signalNs < NEAR_NS ? 'near' : 'far';
}

/**
 * The result of a unit and the cores on which it ran. `undefined` if the machine was never quiet
 * before and after it.
 */
export type Gated<T> = { readonly result: T; readonly placement: CoreDistance } | undefined;

/** Runs units while the machine is quiet, and counts them. */
export interface Gate {
  /**
   * Runs `unit`. Repeats it, at most 3 times in all, if the machine was not quiet at its end or the
   * cores had moved meanwhile.
   */
  run<T>(unit: () => Promise<T>): Promise<Gated<T>>;
  readonly counts: () => GateCounts;
}

export interface GateCounts {
  /** The number of units that count. */
  readonly accepted: number;
  /** The number of units that ran but do not count. */
  readonly rejected: number;
  /**
   * The number of units without a result. They were rejected 3 times, or did not begin because the
   * machine was never quiet.
   */
  readonly lost: number;
  /** The number of calibrations that found the machine busy. */
  readonly busy: number;
}

/**
 * @param calibrate makes one calibration. The one after a unit is also the one before the next.
 * @param options.quietEnough decides if a machine with this measurement is quiet.
 * @param options.pause waits after a calibration that found the machine busy, so that the other
 * process can finish.
 */
export function gate(
  calibrate: () => Promise<Calibration>,
  options: { readonly quietEnough?: (seen: Calibration) => boolean; readonly pause?: () => Promise<void> } = {},
): Gate {
  const { quietEnough = isQuiet, pause = async () => {} } = options;
  const counts = { accepted: 0, rejected: 0, lost: 0, busy: 0 };
  let last: Calibration | undefined;
  const look = async (): Promise<Calibration> => {
    const now = await calibrate();
    if (!quietEnough(now)) counts.busy++;
    last = now;
    return now;
  };
  const quiet = async (): Promise<Calibration | undefined> => {
    if (last !== undefined && quietEnough(last)) return last;
    for (let i = 0; i < PATIENCE; i++) {
      const now = await look();
      if (quietEnough(now)) return now;
      await pause();
    }
    return undefined;
  };
  return {
    counts: () => ({ ...counts }),
    async run<T>(unit: () => Promise<T>): Promise<Gated<T>> {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const before = await quiet();
        if (before === undefined) break;
        const result = await unit();
        const after = await look();
        const placement = placementOf(after);
        if (quietEnough(after) && placement === placementOf(before)) {
          counts.accepted++;
          return { result, placement };
        }
        counts.rejected++;
      }
      counts.lost++;
      return undefined;
    },
  };
}
