import { NcclError, isNcclError } from '@nccl-ts/core';
import type { Gate, CoreDistance } from './calibration.ts';
import { cellKey, type BenchCell, type What } from './cell.ts';
import type { ContenderName, CellTimes } from './contenders.ts';
import type { UnitGroup, BenchTurn, Unit } from './plan.ts';
import type { Pairs, Sample, Samples, Side, Summary } from './samples.ts';

/** A contender that runs turns. */
export interface TurnRunner {
  /** The reason why this contender cannot be measured, or `undefined` if it can. */
  missing(contender: ContenderName, what: What): string | undefined;
  /** One round of every cell, one after another. */
  run(turn: BenchTurn): Promise<readonly CellTimes[]>;
}

export interface MeasureOptions {
  /** The number of accepted rounds needed of each setting on each cell. */
  readonly rounds: number;
  readonly progress: (text: string) => void;
  /**
   * True if no further turn may begin. Without it, a run on a machine that is never quiet could
   * take hours.
   */
  readonly over: () => boolean;
}

/**
 * The number of rounds after which a setting is dropped from a cell, if it is clearly slower than
 * the contender's best.
 */
export const TRIAL_ROUNDS = 3;
const CLEARLY_SLOWER = 1.25;
/**
 * The most passes per needed round. There must be more than one, because units may be rejected and
 * rounds of the other placement do not count.
 */
const PASSES = 2;
/** Only rounds of one placement are compared, so enough rounds in either placement suffice. */
const placements: readonly CoreDistance[] = ['near', 'far'];

/** The errors, by contender. A contender with an error gets no more turns. */
export type Problems = ReadonlyMap<ContenderName, string>;

/**
 * Runs all units of a group in turn, pass after pass, until each has its rounds. Samples go to
 * `into`.
 */
export async function measure(
  groups: readonly UnitGroup[],
  runner: TurnRunner,
  gate: Gate,
  into: Samples,
  options: MeasureOptions,
): Promise<Problems> {
  const problems = new Map<ContenderName, string>();
  let units = 0;
  for (const [index, group] of groups.entries()) {
    const started = performance.now();
    for (let pass = 0; pass < options.rounds * PASSES; pass++) {
      for (const unit of group.units) {
        const able = unit.turns.map((turn) => ({
          ...turn,
          cells: problems.has(turn.contender) ? [] : leftOf(turn, runner),
        }));
        const wanting = wantedTurns({ ...unit, turns: able }, into, options.rounds);
        if (wanting.length === 0 || options.over()) continue;
        // The first in one pass is the last in the next.
        const first = pass % wanting.length;
        const gated = await gate.run(async () =>
          together([...wanting.slice(first), ...wanting.slice(0, first)], runner, problems),
        );
        const unitNumber = units++;
        if (gated === undefined) continue;
        const { result, placement } = gated;
        for (const { contender, setting, cell, us } of result)
          for (const one of us) into.add({ contender, setting, cell, placement, us: one, unit: unitNumber });
      }
    }
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    options.progress(`${index + 1}/${groups.length} ${group.name}: ${seconds} s`);
  }
  return problems;
}

/**
 * The turns of a unit that still need rounds, each with the cells that need them. Our turn runs
 * with those of the peers.
 */
function wantedTurns({ turns, beside }: Unit, into: Samples, rounds: number): readonly BenchTurn[] {
  const [ours, ...peers] = turns;
  if (ours === undefined) return [];
  if (peers.length === 0) {
    const cells = ours.cells.filter((cell) =>
      placements.every((placement) => fewer(into.summaries('ours', cell, placement)[0], rounds)),
    );
    return withCells(ours, cells);
  }
  const wanting = peers.flatMap((turn) =>
    withCells(
      turn,
      turn.cells.filter((cell) => beside(cell).some((own) => isWanted(turn, cell, own, into, rounds))),
    ),
  );
  const near = new Set(wanting.flatMap(({ cells }) => cells.flatMap((cell) => beside(cell).map(cellKey))));
  const own = withCells(
    ours,
    ours.cells.filter((cell) => near.has(cellKey(cell))),
  );
  return own.length === 0 ? [] : [...own, ...wanting];
}

function withCells(turn: BenchTurn, cells: readonly BenchCell[]): readonly BenchTurn[] {
  return cells.length === 0 ? [] : [{ ...turn, cells }];
}

/** The result of a turn. */
type TurnResult = CellTimes & Pick<Sample, 'contender' | 'setting'>;

/**
 * Runs the turns in sequence. A contender that fails has no result, and is reported as a problem.
 */
async function together(
  turns: readonly BenchTurn[],
  runner: TurnRunner,
  problems: Map<ContenderName, string>,
): Promise<readonly TurnResult[]> {
  const all: TurnResult[] = [];
  for (const turn of turns) {
    const { contender, setting } = turn;
    if (problems.has(contender)) continue;
    try {
      for (const measured of await runner.run(turn)) all.push({ ...measured, contender, setting: setting?.name ?? '' });
    } catch (error) {
      if (!isNcclError(error, 'NCCL_SYSTEM_ERROR')) throw error;
      problems.set(contender, error.message);
    }
  }
  return all;
}

function leftOf(turn: BenchTurn, runner: TurnRunner): readonly BenchCell[] {
  return turn.cells.filter(({ what }) => runner.missing(turn.contender, what) === undefined);
}

/**
 * True if a peer's cell needs more rounds of this setting next to our cell. It needs none if there
 * are enough, or if another setting is clearly faster.
 */
function isWanted(
  { contender, setting }: BenchTurn,
  cell: BenchCell,
  own: BenchCell,
  samples: Samples,
  rounds: number,
): boolean {
  const ours: Side = { contender: 'ours', setting: '', cell: own };
  const name = setting?.name ?? '';
  const settings = new Set(samples.of(contender, cell).map((sample) => sample.setting));
  return placements.every((placement) => {
    const pairsOf = (of: string): Pairs | undefined => samples.pairs(ours, { contender, setting: of, cell }, placement);
    const mine = pairsOf(name);
    if (mine === undefined || mine.peer.rounds < TRIAL_ROUNDS) return fewer(mine?.peer, rounds);
    if (!fewer(mine.peer, rounds)) return false;
    return [...settings].every((one) => {
      const other = pairsOf(one);
      return other === undefined || other.peer.rounds < TRIAL_ROUNDS || mine.ratio <= other.ratio * CLEARLY_SLOWER;
    });
  });
}

function fewer(summary: Summary | undefined, rounds: number): boolean {
  return (summary?.rounds ?? 0) < rounds;
}

/** The method of a contender that does not support it. */
export function nothingFor(cell: BenchCell): NcclError {
  return new NcclError('NCCLTS_NOT_SUPPORTED', `nothing measures ${cellKey(cell)}`);
}
