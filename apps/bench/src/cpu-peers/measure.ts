import { NcclError, isNcclError } from '@nccl-ts/core';
import type { Gate, Placement } from './calibration.ts';
import { cellKey, type Cell, type What } from './cell.ts';
import type { ContenderName, Measured } from './contenders.ts';
import type { Group, Turn } from './plan.ts';
import type { Samples, Summary } from './samples.ts';

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

/** Lets all turns of a group follow one another, pass after pass, until each has its rounds. Samples go to `into`. */
export async function measure(
  groups: readonly Group[],
  runner: Runner,
  gate: Gate,
  into: Samples,
  options: MeasureOptions,
): Promise<Problems> {
  const problems = new Map<ContenderName, string>();
  for (const [index, group] of groups.entries()) {
    const started = performance.now();
    const turns = group.turns.map((turn) => ({ turn, left: leftOf(turn, runner) }));
    for (let pass = 0; pass < options.rounds * PASSES; pass++) {
      for (const { turn, left } of turns) {
        const cells = wanted(turn, left, into, options.rounds);
        if (cells.length === 0 || problems.has(turn.contender) || options.over()) continue;
        try {
          const gated = await gate.run(async () => runner.run({ ...turn, cells }));
          if (gated === undefined) continue;
          const { result, placement } = gated;
          for (const { cell, us } of result)
            for (const one of us)
              into.add({ contender: turn.contender, setting: turn.setting?.name ?? '', cell, placement, us: one });
        } catch (error) {
          if (!isNcclError(error, 'NCCL_SYSTEM_ERROR')) throw error;
          problems.set(turn.contender, error.message);
        }
      }
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    options.progress(`${index + 1}/${groups.length} ${group.name}: ${seconds} s`);
  }
  return problems;
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
