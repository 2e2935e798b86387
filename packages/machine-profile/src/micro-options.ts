/** A measured time or rate, and how it was taken. */
export interface MicroResult {
  readonly name: string;
  readonly unit: 'ns' | 'bytes/ns';
  /** The median of the rounds. */
  readonly value: number;
  readonly rounds: readonly number[];
  readonly ctas: number;
  readonly threads: number;
  readonly packs: number;
  /** The number of ranks, if it is not two. */
  readonly ranks?: number;
}

/** The amount of measurement: enough for a GPU's figures, or only a test run on a stand-in. */
export interface MicroAmounts {
  /** Bytes of the buffer of a rank: more than the L2 cache of a GPU. */
  readonly bytes: number;
  readonly rounds: number;
  /** Turns of the shorter launch of a latency; the longer one has five times as many. */
  readonly turns: number;
  /** CTAs of the sweeps. */
  readonly ctas: readonly number[];
  readonly threads: number;
  /** Bytes that one CTA of a sweep moves, at least. */
  readonly bytesPerCta: number;
  /** Launches of the shorter graph of a launch's cost, as in the graphs of the tables' calls. */
  readonly graph: number;
  /** Graph launches that are timed together. */
  readonly launches: number;
}

/** The amount of measurement, and the reports of its progress. */
export interface MicroOptions extends MicroAmounts {
  /** Called with each result. */
  readonly report: (result: MicroResult) => void;
  /** Called for a micro-benchmark that threw; the others continue. @default the error is thrown */
  readonly failed?: (name: string, error: unknown) => void;
}

/** Measures, and keeps the median of what `rounds` gives. */
export type KeepResult = (
  name: string,
  unit: MicroResult['unit'],
  rounds: () => Promise<readonly number[]>,
  at?: Partial<MicroResult>,
) => Promise<void>;

/** The most CTAs of launches that are measured by their shape. */
export function shapeLimit({ ctas }: MicroOptions): number {
  return 3 * Math.max(...ctas);
}
