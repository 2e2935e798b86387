import { NcclError, isNcclError } from '@nccl-ts/core';
import type { Gate, Placement } from './calibration.ts';
import { cellKey, type Cell, type What } from './cell.ts';
import type { ContenderName, Measured } from './contenders.ts';
import type { Group, Turn } from './plan.ts';
import type { Sample, Samples, Summary } from './samples.ts';

/** What takes the turns. */
export interface Runner {
  /** Why this contender cannot be measured at all; undefined where it can. */
  missing(contender: ContenderName, what: What): string | undefined;
  /** One round of every cell, one after another. */
  run(turn: Turn): Promise<readonly Measured[]>;
}

export interface MeasureOptions {
  /** Accepted rounds wanted of each setting on each cell. */
  readonly rounds: number;
  readonly progress: (text: string) => void;
  /** Whether no turn may begin any more: a machine that never is quiet would keep a run for hours. */
  readonly over: () => boolean;
}

/** Rounds after which settings that are clearly slower than a contender's best on a cell leave it. */
export const TRIAL_ROUNDS = 3;
const CLEARLY_SLOWER = 1.25;
/** Passes for each wanted round: units may not be accepted, and rounds of the other placement do not count. */
const PASSES = 2;

/** What went wrong, by contender: it takes no more turns. */
export type Problems = ReadonlyMap<ContenderName, string>;

/** Lets all units of a group follow one another, pass after pass, until each has its rounds. Samples go to `into`. */
export async function measure(
  groups: readonly Group[],
  runner: Runner,
  gate: Gate,
  into: Samples,
  options: MeasureOptions,
): Promise<Problems> {
  const problems = new Map<ContenderName, string>();
  let unit = 0;
  for (const [index, group] of groups.entries()) {
    const started = performance.now();
    for (let pass = 0; pass < options.rounds * PASSES; pass++) {
      for (const { turns } of group.units) {
        const wanting = wantedTurns(turns, into, options.rounds, (turn) =>
          problems.has(turn.contender) ? [] : leftOf(turn, runner),
        );
        if (wanting.length === 0 || options.over()) continue;
        // Whoever is first in one pass is last in the next.
        const first = pass % wanting.length;
        const gated = await gate.run(async () =>
          together([...wanting.slice(first), ...wanting.slice(0, first)], runner, problems),
        );
        unit++;
        if (gated === undefined) continue;
        const { result, placement } = gated;
        for (const { contender, setting, cell, us } of result)
          for (const one of us) into.add({ contender, setting, cell, placement, us: one, unit });
      }
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    options.progress(`${index + 1}/${groups.length} ${group.name}: ${seconds} s`);
  }
  return problems;
}

/** The turns of a unit that still want rounds, each with the cells that do; ours takes part wherever a peer does. */
function wantedTurns(
  turns: readonly Turn[],
  into: Samples,
  rounds: number,
  leftOf: (turn: Turn) => readonly Cell[],
): readonly Turn[] {
  const peers = turns.filter(({ contender }) => contender !== 'ours');
  const wanting = (peers.length === 0 ? turns : peers).flatMap((turn) => {
    const cells = wanted(turn, leftOf(turn), into, rounds);
    return cells.length === 0 ? [] : [{ ...turn, cells }];
  });
  if (wanting.length === 0 || peers.length === 0) return wanting;
  const ours = turns
    .filter(({ contender }) => contender === 'ours')
    .flatMap((turn) => {
      const cells = leftOf(turn);
      return cells.length === 0 ? [] : [{ ...turn, cells }];
    });
  return ours.length === 0 ? [] : [...ours, ...wanting];
}

/** One turn after the other. Who fails gives nothing, and is among the problems from then on. */
async function together(
  turns: readonly Turn[],
  runner: Runner,
  problems: Map<ContenderName, string>,
): Promise<readonly (Measured & Pick<Sample, 'contender' | 'setting'>)[]> {
  const all: (Measured & Pick<Sample, 'contender' | 'setting'>)[] = [];
  for (const turn of turns) {
    const { contender, setting } = turn;
    if (problems.has(contender)) continue;
    try {
      for (const measured of await runner.run(turn))
        all.push({ ...measured, contender, setting: setting?.name ?? '' });
    } catch (error) {
      if (!isNcclError(error, 'NCCL_SYSTEM_ERROR')) throw error;
      problems.set(contender, error.message);
    }
  }
  return all;
}

function leftOf(turn: Turn, runner: Runner): readonly Cell[] {
  return turn.cells.filter(({ what }) => runner.missing(turn.contender, what) === undefined);
}

/** The cells that still want rounds of this setting. */
function wanted(turn: Turn, cells: readonly Cell[], samples: Samples, rounds: number): readonly Cell[] {
  const setting = turn.setting?.name ?? '';
  return cells.filter((cell) => {
    const [mine, placement] = mostRounds(turn.contender, setting, cell, samples);
    if (mine === undefined || mine.rounds < TRIAL_ROUNDS) return (mine?.rounds ?? 0) < rounds;
    if (mine.rounds >= rounds) return false;
    const [best] = samples
      .summaries(turn.contender, cell, placement)
      .filter((summary) => summary.rounds >= TRIAL_ROUNDS);
    return best === undefined || mine.us <= best.us * CLEARLY_SLOWER;
  });
}

/** Of the placement that has more rounds: only those are compared. */
function mostRounds(
  contender: ContenderName,
  setting: string,
  cell: Cell,
  samples: Samples,
): readonly [Summary | undefined, Placement] {
  const [near, far] = (['near', 'far'] as const).map((placement) =>
    samples.summaries(contender, cell, placement).find((summary) => summary.setting === setting),
  );
  return (near?.rounds ?? 0) >= (far?.rounds ?? 0) ? [near, 'near'] : [far, 'far'];
}

/** For runners: the method of a contender that has none. */
export function nothingFor(cell: Cell): NcclError {
  return new NcclError('NCCLTS_NOT_SUPPORTED', `nothing measures ${cellKey(cell)}`);
}
