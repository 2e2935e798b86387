import { medianOf } from '@nccl-ts/core';

/** The microseconds of a launch of a micro-kernel with so many rounds. */
export interface MicroTime {
  readonly kernel: string;
  readonly rounds: number;
  readonly us: number;
}

interface Value {
  readonly value: number;
  readonly unit: 'ns';
  readonly source: string;
}

interface ByCtas {
  readonly byCtas: readonly (readonly [ctas: number, value: number])[];
  readonly unit: 'ns';
  readonly source: string;
}

/** The CTAs of the launches whose fences are compared. */
const CTAS = [1, 8, 64];

/** The launches that are made both ways. */
const SHAPES = ['1x32', '1x512', '16x1024', '132x512'];

/** Parameters of a profile from runs of all micro-kernels, and from one of long graphs. */
export function microParameters(
  runs: readonly (readonly MicroTime[])[],
  long: readonly MicroTime[],
): Readonly<Record<string, Value | ByCtas>> {
  const rounded = (us: number): number => Number((1000 * us).toPrecision(4));
  const one = (times: readonly MicroTime[], kernel: string, rounds: number): number => {
    const found = times.find((time) => time.kernel === `micro-${kernel}` && time.rounds === rounds);
    if (found === undefined) throw new RangeError(`There is no time of ${kernel} with ${rounds} rounds.`);
    return found.us;
  };
  /** The mean of all runs of what one more round takes. */
  const round = (kernel: string, few: number, many: number): number =>
    mean(runs.map((times) => (one(times, kernel, many) - one(times, kernel, few)) / (many - few)));
  const fence = (kernel: string, ctas: number): number =>
    round(`${kernel}-${ctas}x1024`, 1, 9) - round(`relaxedAfterNothing-${ctas}x1024`, 1, 9);
  const byCtas = (kernel: string): ByCtas => ({
    byCtas: CTAS.map((ctas) => [ctas, rounded(Math.max(0, fence(kernel, ctas) - fence(kernel, 1)))]),
    unit: 'ns',
    source: `micro-kernels: ${kernel} less relaxedAfterNothing, less that of 1 CTA`,
  });
  const plain = SHAPES.map((shape) => one(long, `flagsPlain-${shape}`, 1) - one(long, `flagsEarly-${shape}`, 1));
  return {
    'launch.plain': {
      value: rounded(medianOf(plain)),
      unit: 'ns',
      source: 'micro-kernels: flagsPlain less flagsEarly, in long graphs, the median of four shapes',
    },
    'fence.byCtas': byCtas('releaseAfterNothing'),
    'fence.ofCtaByCtas': byCtas('fenceAfterNothing'),
    'sync.cluster': {
      value: rounded(round('clusterBarriers-8x128-of-8', 1, 65)),
      unit: 'ns',
      source: 'micro-kernels: clusterBarriers, 8 x 128, one cluster',
    },
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
