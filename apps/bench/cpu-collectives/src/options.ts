import { parseArgs } from 'node:util';
import { UsageError } from '#bench/nccl-tests/usage-error';
import { quickSizes, rankCounts, rowIds, sizes, type RowId } from './goals.ts';

export const usage = `cpu-collectives: the simulator's collectives beside native ones, in one run

  --rows 1,2,...   rows of the table of goals: ${rowIds.join(' ')} (default: all)
  --ranks 2,4,8    only what so many ranks do (default: any number)
  --rounds N       accepted rounds of each contender on each size (default: 9; quick: 2)
  --minutes N      after which no turn begins any more (default: 30)
  --quick          fewer sizes and rounds, for development
  --ungated        takes every round, however busy the machine is: for development, and nothing counts
  --cells          a line for each size as well
  --json FILE      every accepted round and every verdict

Exit codes: 0 all hold; 1 a bar fails; 2 something was not measured, or the command line is wrong.`;

export interface PeersOptions {
  readonly help: boolean;
  readonly rows: readonly RowId[];
  /** Any number if undefined. */
  readonly ranks: readonly number[] | undefined;
  readonly rounds: number;
  readonly minutes: number;
  readonly quick: boolean;
  readonly ungated: boolean;
  readonly cells: boolean;
  readonly json: string | undefined;
  readonly sizes: readonly number[];
}

/** @throws UsageError if the command line names something that does not exist. */
export function peersOptions(args: readonly string[]): PeersOptions {
  const values = parsed(args);
  const quick = values.quick === true;
  const rounds = values.rounds === undefined ? (quick ? 2 : 9) : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100)
    throw new UsageError(`--rounds ${values.rounds}: it must be an integer from 1 to 100`);
  const minutes = Number(values.minutes ?? 30);
  if (!(minutes > 0)) throw new UsageError(`--minutes ${values.minutes}: more than 0`);
  const named = values.rows?.split(',') ?? rowIds;
  const unknown = named.find((name) => !rowIds.some((id) => id === name));
  if (unknown !== undefined) throw new UsageError(`--rows ${unknown}: there are ${rowIds.join(' ')}`);
  const ranks = values.ranks?.split(',').map(Number);
  if (ranks?.every((number) => rankCounts.includes(number)) === false)
    throw new UsageError(`--ranks ${values.ranks}: there are ${rankCounts.join(' ')}`);
  return Object.freeze({
    help: values.help === true,
    rows: rowIds.filter((id) => named.includes(id)),
    ranks,
    rounds,
    minutes,
    quick,
    ungated: values.ungated === true,
    cells: values.cells === true,
    json: values.json,
    sizes: quick ? quickSizes : sizes,
  });
}

function parsed(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean' },
        rows: { type: 'string' },
        ranks: { type: 'string' },
        rounds: { type: 'string' },
        minutes: { type: 'string' },
        quick: { type: 'boolean' },
        ungated: { type: 'boolean' },
        cells: { type: 'boolean' },
        json: { type: 'string' },
      },
    });
    return values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
