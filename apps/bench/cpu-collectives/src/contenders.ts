import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NcclError } from '@nccl-ts/core';
import { caseArgument, nativeNames, type BenchCell } from './cell.ts';
import { nativeLines, type NativeLine } from './native-output.ts';
import type { ProgramName } from './native-programs.ts';
import { run, type Running } from './processes.ts';

export type ContenderName = 'ours' | 'plainJs' | 'sse' | 'vector' | 'memory' | 'sync' | 'openMpi' | 'mpich' | 'gloo';

/** A setting of a native contender. For each cell its best setting counts. */
export interface Setting {
  readonly name: string;
  readonly program: ProgramName;
  /** The last field of its cases. */
  readonly form?: string;
  /** The options of mpirun. */
  readonly options?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The sizes at which it can win. If absent, all sizes. */
  readonly covers?: (cell: BenchCell) => boolean;
}

const MIB = 1 << 20;

/**
 * Makes glibc keep its memory, so that large temporaries are not mapped and unmapped for every
 * call.
 */
const heap: Readonly<Record<string, string>> = Object.freeze({
  MALLOC_MMAP_MAX_: '0',
  MALLOC_TRIM_THRESHOLD_: '8589934592',
  MALLOC_TOP_PAD_: '67108864',
});
const exported = Object.entries(heap).flatMap(([name, value]) => ['-x', `${name}=${value}`]);
const withoutCma = ['--mca', 'btl_vader_single_copy_mechanism', 'none'];
const large = ({ bytes }: BenchCell): boolean => bytes >= 4 * MIB;

const openMpi = (name: string, options: readonly string[], covers?: (cell: BenchCell) => boolean): Setting => ({
  name,
  program: 'openMpi',
  options,
  ...(covers === undefined ? {} : { covers }),
});

const twin = (program: ProgramName, form: string): Setting => ({ name: `${program} ${form}`, program, form });
/** Non-temporal stores pay off out of place, where a line would be read only to be overwritten. */
const streaming = (program: ProgramName): Setting => ({
  ...twin(program, 'pointers-stream'),
  covers: ({ bytes, place }) => place === 'out' && bytes >= MIB,
});

/** The settings of each native contender. */
export const settingsOf: Readonly<Record<Exclude<ContenderName, 'ours' | 'plainJs'>, readonly Setting[]>> =
  Object.freeze({
    sse: [twin('sse2', 'pointers'), twin('sse2', 'baked'), twin('sse4', 'pointers'), twin('sse4', 'baked')],
    vector: [
      twin('vector1', 'pointers'),
      twin('vector1', 'baked'),
      twin('vector2', 'pointers'),
      twin('vector2', 'baked'),
      streaming('vector1'),
      streaming('vector2'),
    ],
    memory: [{ name: 'memory', program: 'memory' }],
    sync: [{ name: 'sync', program: 'sync' }],
    openMpi: [
      openMpi('default', []),
      openMpi('withoutCma', withoutCma),
      openMpi('algorithm2', [
        '--mca',
        'coll_tuned_use_dynamic_rules',
        '1',
        '--mca',
        'coll_tuned_allreduce_algorithm',
        '2',
      ]),
      openMpi('withoutTuned', ['--mca', 'coll', '^tuned']),
      openMpi('heap', exported, large),
      openMpi('heapWithoutCma', [...exported, ...withoutCma], large),
    ],
    mpich: [
      { name: 'default', program: 'mpich' },
      { name: 'heap', program: 'mpich', env: heap, covers: large },
    ],
    gloo: ['ring', 'bcube', 'ring-chunked', 'halving-doubling'].map((form): Setting => ({
      name: form,
      program: 'gloo',
      form,
    })),
  });

/** The times of a setting for a cell, in microseconds per call, with one number per round. */
export interface CellTimes {
  readonly cell: BenchCell;
  readonly us: readonly number[];
  readonly vectorBits?: number;
}

/** The command of a native program. */
export interface Asking {
  /** The path of the compiled program. */
  readonly path: string;
  /** A directory for its files. */
  readonly scratch: string;
  readonly running: Running;
  readonly rounds: number;
  /** The duration of a round in milliseconds. */
  readonly ms: number;
}

/** The command of a setting for cells that all have the same number of ranks. */
export function commandOf(
  setting: Setting,
  cells: readonly BenchCell[],
  asking: Omit<Asking, 'running'>,
): readonly string[] {
  const { path, rounds, ms, scratch } = asking;
  const cases = cells.map((cell) => caseArgument(cell, setting.form));
  const plain = [path, String(rounds), String(ms), ...cases];
  const ranks = String(cells[0]?.ranks ?? 1);
  const options = setting.options ?? [];
  switch (setting.program) {
    case 'openMpi':
      return ['mpirun.openmpi', '--oversubscribe', '-n', ranks, ...options, ...plain];
    case 'mpich':
      return ['mpirun.mpich', '-n', ranks, ...options, ...plain];
    case 'gloo':
      return [path, String(rounds), String(ms), scratch, ...cases];
    case 'calibrate':
    case 'memory':
    case 'sync':
    case 'sse2':
    case 'sse4':
    case 'vector1':
    case 'vector2':
      return plain;
  }
}

/**
 * Runs a setting once for all cells.
 *
 * @throws NcclError `NCCL_SYSTEM_ERROR` if the program fails, or leaves out a cell.
 */
export async function runNative(
  setting: Setting,
  cells: readonly BenchCell[],
  asking: Asking,
): Promise<readonly CellTimes[]> {
  const scratch = await mkdtemp(join(asking.scratch, 'run-'));
  try {
    const root = { OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1' };
    const env = { ...root, ...setting.env };
    const ended = await run(commandOf(setting, cells, { ...asking, scratch }), { env, running: asking.running });
    if (!ended.ok) throw failed(setting, ended.problem);
    const lines = nativeLines(ended.stdout);
    return cells.map((cell, index): CellTimes => {
      const line = lines[index];
      if (line === undefined || !isOf(line, cell)) throw failed(setting, `no line for ${caseArgument(cell)}`);
      const { us, vectorBits } = line;
      return { cell, us, ...(vectorBits === undefined ? {} : { vectorBits }) };
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function isOf({ name, ranks, bytes, inPlace }: NativeLine, cell: BenchCell): boolean {
  if (name !== nativeNames[cell.what] || ranks !== cell.ranks) return false;
  return bytes === cell.bytes && inPlace === (cell.place === 'in');
}

function failed({ program, name }: Setting, problem: string): NcclError {
  return new NcclError('NCCL_SYSTEM_ERROR', `${program} (${name}): ${problem}`);
}
