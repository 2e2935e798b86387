import type { SimTraceOptions } from '@nccl-ts/cost-model';
import { harness as describe, harnessProgram, translate, type Harness, type KernelTexts } from '@nccl-ts/harness';
import { predict } from '@nccl-ts/prediction';

/** Launches before the one that counts. Kernels with three buffers take turns on them. */
const BEFORE = 3;

/** Later launches, of which the mean counts: a kernel with two buffers takes turns on them. */
const COUNTED = 2;

/**
 * Nanoseconds of one launch among others on two ranks, when caches and counters are in their turn.
 */
export async function predictKernel(harness: Harness, texts: KernelTexts, machine: SimTraceOptions): Promise<number> {
  const repeated = unchecked(harness, BEFORE + COUNTED);
  const program = harnessProgram(repeated, translate(repeated, texts, { name: 'public kernel', ranks: 2 }));
  const { launches } = await predict({ ranks: 2, machine, bounds: false }, program);
  return launches.slice(BEFORE).reduce((sum, { nanoseconds }) => sum + nanoseconds, 0) / COUNTED;
}

/** The harness without its expectations: results in place differ after several launches. */
function unchecked(given: Harness, launches: number): Harness {
  if (given.kernels !== undefined) throw new RangeError('A public kernel is one kernel.');
  return describe({
    ...given,
    launches,
    setup: (rank) => {
      const { args } = given.setup(rank);
      return { args };
    },
  });
}
