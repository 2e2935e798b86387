import type { BenchCell, What } from './cell.ts';
import { runNative, settingsOf, type ContenderName, type CellTimes } from './contenders.ts';
import { nothingFor, type TurnRunner } from './measure.ts';
import type { NativeProgram, ProgramName } from './native-programs.ts';
import type { NcclTsImplementation } from './own.ts';
import type { Running } from './processes.ts';

/** The duration of a round in milliseconds, in native programs and in ours. */
const ROUND_MS = 20;

export interface TurnRunnerOptions {
  readonly own: NcclTsImplementation;
  readonly programs: ReadonlyMap<ProgramName, NativeProgram>;
  /** The folder for the files of native programs. */
  readonly scratch: string;
  readonly running: Running;
  /** Receives the width of the twin's vectors. */
  readonly onVectorBits: (contender: ContenderName, bits: number) => void;
}

/**
 * Runs native programs as processes, and our side in this process. This process is idle while a
 * native program runs.
 */
export function runner({ own, programs, scratch, running, onVectorBits }: TurnRunnerOptions): TurnRunner {
  return {
    missing(contender, what) {
      if (contender === 'ours') return ownMeasures[what](own) === undefined ? `ours has no ${what}` : undefined;
      if (contender === 'plainJs') return undefined;
      for (const { program } of settingsOf[contender]) {
        const compiled = programs.get(program);
        if (compiled !== undefined && 'missing' in compiled) return compiled.missing;
      }
      return undefined;
    },
    async run({ contender, setting, cells }) {
      if (setting === undefined) {
        const measured: CellTimes[] = [];
        for (const cell of cells) {
          const measures = contender === 'plainJs' ? collective(own.plainJs) : ownMeasures[cell.what](own);
          if (measures === undefined) throw nothingFor(cell);
          measured.push({ cell, us: await measures(cell) });
        }
        await own.idle();
        return measured;
      }
      const compiled = programs.get(setting.program);
      const [first] = cells;
      if (compiled === undefined || 'missing' in compiled || first === undefined) throw nothingFor(cells[0] ?? nowhere);
      const measured = await runNative(setting, cells, {
        path: compiled.path,
        scratch,
        running,
        rounds: 1,
        ms: ROUND_MS,
      });
      for (const { vectorBits } of measured) if (vectorBits !== undefined) onVectorBits(contender, vectorBits);
      return measured;
    },
  };
}

const nowhere: BenchCell = { what: 'barrier', ranks: 0, bytes: 0, place: 'in' };

type Measure = (cell: BenchCell) => Promise<readonly number[]>;

function collective(time: NcclTsImplementation['allReduce']): Measure | undefined {
  if (time === undefined) return undefined;
  return async ({ ranks, bytes, place }) => time({ ranks, bytes, inPlace: place === 'in', rounds: 1 });
}

function single(time: (() => Promise<number>) | undefined, scale = 1): Measure | undefined {
  return time === undefined ? undefined : async () => [(await time()) * scale];
}

/** The measurement of each of our methods. Only peers have `wake`, `copy` and `add`. */
const ownMeasures: Readonly<Record<What, (own: NcclTsImplementation) => Measure | undefined>> = {
  allReduce: (own) => collective(own.allReduce),
  allGather: (own) => collective(own.allGather),
  allToAll: (own) => collective(own.allToAll),
  reduceScatter: (own) => collective(own.reduceScatter),
  barrier: ({ barrier }) => single(barrier === undefined ? undefined : async () => barrier({ threads: 2 }), 1e-3),
  barrierOfRanks: ({ barrierOfRanks }) =>
    single(barrierOfRanks === undefined ? undefined : async () => barrierOfRanks(8)),
  launchParked: (own) => single(own.launchParked),
  launchHot: (own) => single(own.launchHot),
  launchOverhead: (own) => single(own.launchOverhead),
  wake: () => undefined,
  copy: () => undefined,
  add: () => undefined,
};
