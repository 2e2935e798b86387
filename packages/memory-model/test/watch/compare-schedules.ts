import { verdictOf } from '../oracle/oracle.ts';
import { randomOf, type Random } from '../oracle/random-draft.ts';
import { showProgram } from '../oracle/show-program.ts';
import type { SmallProgram } from '../oracle/small-program.ts';
import { runSchedule, type Choose, type Schedule, type ScheduleOptions } from './schedule.ts';
import { ScheduleRaces, type RacesOfSchedule } from './schedule-races.ts';

/** The engine's results for schedules of a program, and those of the axioms. */
export type Comparison = Readonly<{
  /** The errors, as text: false races, or missing ones. */
  faults: readonly string[];
  /**
   * True if some execution that the model allows has a race. If the oracle did not run, true if the
   * engine found one.
   */
  racy: boolean;
  /** True if the engine has found a race in some schedule. */
  found: boolean;
  schedules: number;
  /**
   * The number of schedules that have a race, and of those in which the engine has reported every
   * race.
   */
  racySchedules: number;
  wholly: number;
  /**
   * The number of schedules that have a race but in which the engine has reported none. See
   * `RacesOfSchedule`.
   */
  silent: number;
  /** The number of reports of accesses that do not race, as explained there. */
  excused: number;
}>;

/**
 * Runs `program` in `count` schedules that follow from `seed`. The oracle is slow, so it may be set
 * to run never, or only if no race was found. The engine's reports are then compared with the
 * axioms in that one schedule only.
 */
export function compareSchedules(
  program: SmallProgram,
  seed: number,
  count: number,
  ask: 'always' | 'if clean' | 'never' = 'always',
): Comparison {
  const random = randomOf(seed ^ 0x5bd1e995);
  const bytes = random.chance(0.3) ? 8 : 4;
  const options: ScheduleOptions = { bytes, idle: random.chance(0.5) };
  let allowed = ask === 'always' ? new Set(verdictOf(program).races) : undefined;
  const axioms = new ScheduleRaces(program);
  const faults = new Set<string>();
  let found = false;
  let racySchedules = 0;
  let wholly = 0;
  let silent = 0;
  let excused = 0;
  for (let n = 0; n < count; n++) {
    const choose = n % 2 === 0 ? anybody(random) : stubborn(random);
    const schedule = runSchedule(program, choose, options);
    const expected = axioms.of(schedule.events);
    for (const fault of faultsOf(schedule, expected, allowed)) faults.add(`${fault} ${traceOf(schedule)}`);
    if (schedule.reported.size > 0) found = true;
    for (const race of schedule.reported) if (!expected.all.has(race)) excused++;
    if (expected.all.size === 0) continue;
    racySchedules++;
    if (schedule.reported.size === 0) silent++;
    if (schedule.reported.size >= expected.all.size) wholly++;
  }
  if (!found && ask !== 'never') allowed ??= new Set(verdictOf(program).races);
  const racy = found || (allowed !== undefined && allowed.size > 0);
  return { faults: [...faults], racy, found, schedules: count, racySchedules, wholly, silent, excused };
}

/** The differences as text, with the program. `undefined` if there are none. */
export function faultText(program: SmallProgram, { faults }: Comparison): string | undefined {
  return faults.length === 0 ? undefined : [showProgram(program), ...faults].join('\n');
}

/**
 * True if some schedule has a race. `undefined` if `limit` schedules were not enough to decide
 * that.
 */
export function hasRacySchedule(program: SmallProgram, limit: number): boolean | undefined {
  const axioms = new ScheduleRaces(program);
  const path: number[] = [];
  const widths: number[] = [];
  for (let n = 0; n < limit; n++) {
    let depth = 0;
    widths.length = 0;
    const schedule = runSchedule(
      program,
      (able) => {
        const choice = path[depth] ?? 0;
        path[depth] = choice;
        widths[depth++] = able.length;
        return able[choice] ?? 0;
      },
      { bytes: 4, idle: false },
    );
    if (axioms.of(schedule.events).sure.size > 0) return true;
    path.length = depth;
    while (path.length > 0 && (path.at(-1) ?? 0) + 1 >= (widths[path.length - 1] ?? 0)) path.pop();
    if (path.length === 0) return false;
    path.push((path.pop() ?? 0) + 1);
  }
  return undefined;
}

function faultsOf(
  { reported }: Schedule,
  { all, sure, excused }: RacesOfSchedule,
  allowed: ReadonlySet<string> | undefined,
): readonly string[] {
  const faults: string[] = [];
  for (const race of reported) if (!all.has(race) && !excused.has(race)) faults.push(`no race: ${race}`);
  for (const race of all) if (allowed?.has(race) === false) faults.push(`the oracle does not know: ${race}`);
  if (sure.size > 0 && reported.size === 0) faults.push(`nothing reported of ${[...sure].join(', ')}`);
  return faults;
}

function traceOf({ events }: Schedule): string {
  return `in ${events.map(({ agent, position }) => `${agent}.${position}`).join(' ')}`;
}

function anybody(random: Random): Choose {
  return (able) => able[random.below(able.length)] ?? 0;
}

/** Usually selects the same position in the list again. */
function stubborn(random: Random): Choose {
  let favourite = random.below(4);
  return (able) => {
    if (random.chance(0.15)) favourite = random.below(4);
    return able[favourite % able.length] ?? 0;
  };
}
