import { ReportBuilder, type CheckReport, type Proof } from '@nccl-ts/findings';
import {
  HASTY_WAYS,
  hastyScheduler,
  type HastyScheduler,
  simWith,
  resolveSimOptions,
} from '@nccl-ts/backend-sim/internal';
import type { SimBackend } from '@nccl-ts/backend-sim';
import { isWrong, type CheckRequest } from './check-request.ts';
import { runJudged, type Rules } from './run-judged.ts';

/** The largest number of waits with a time limit that give up one at a time. */
const MOST_PLACES = 12;

/** Low ranks first, and high ranks first. */
const ORDERS = 2;

/**
 * Every wait found what it waits for at once, so no schedule shows what happens after its limit.
 */
const unexpired = Object.freeze({ how: 'a time limit of a wait as one that never expires' });

/** The findings of schedules in which time limits expire. */
export interface HastyResult {
  readonly report: CheckReport;
  /** The number of schedules. */
  readonly count: number;
  /** True if the time expired before all schedules had run. */
  readonly isCut: boolean;
}

/**
 * Runs a program whose waits have time limits, under schedules in which the limits expire: first
 * all of them, then those of one wait in the kernels at a time, then random ones. It ends with the
 * first error. Code that ignores the outcome of such a wait, or mistakes it for success, races.
 *
 * @throws errors of the program that are not findings.
 */
export async function hastySchedules(request: CheckRequest): Promise<HastyResult> {
  const { options, program, deadline, news } = request;
  const builder = new ReportBuilder(options.strict === undefined ? {} : { strict: options.strict });
  const base = ORDERS * (options.seed ?? 1);
  let places = 0;
  let count = 0;
  const proof = (): Proof => ({ kind: 'portfolio', parts: [{ what: 'hasty', count }], seed: options.seed ?? 1 });
  const result = (isCut: boolean): HastyResult => {
    if (places === 0 && !isCut) builder.add({ findings: [], accesses: 0, approximations: [unexpired] });
    return { report: builder.report(proof()), count, isCut };
  };
  /** Runs one way of letting them expire, in each order of ranks; true if a run has an error. */
  const runs = async (variant: number): Promise<boolean> => {
    for (let order = 0; order < ORDERS && !deadline.isOver; order++) {
      const schedule = Object.freeze({ strategy: 'hasty', seed: HASTY_WAYS * (base + order) + variant } as const);
      news.begins(`schedule ${count + 1} in which time limits expire`);
      const resolved = resolveSimOptions({ ...options, ...schedule, mode: 'check' });
      const made: HastyScheduler[] = [];
      const backend = (rules: Rules): SimBackend => {
        const scheduler = hastyScheduler(schedule.seed);
        made.push(scheduler);
        return simWith(resolved, scheduler, rules);
      };
      const run = await runJudged(backend, schedule, program, deadline);
      count++;
      places = Math.max(places, ...made.map((one) => one.places.size));
      for (const one of run.runs) builder.add(one);
      const report = builder.report(proof());
      news.report(report);
      if (isWrong(report)) return true;
    }
    return false;
  };
  if (await runs(0)) return result(false);
  // A wait alone is a different schedule only if there are several.
  for (let place = 1; place <= MOST_PLACES; place++) {
    if (places === 1 || place > places) break;
    if (await runs(place)) return result(false);
  }
  if (places > 1 && (await runs(HASTY_WAYS - 1))) return result(false);
  return result(deadline.isOver);
}
