import { ranksToCheck, type Harness, type HarnessKernel, type Surroundings } from '@nccl-ts/harness';

/** One program in which a kernel is checked. */
export interface RelaxInput {
  /** Such as `64 threads` or `a consumer`. */
  readonly name: string;
  readonly harness: Harness;
  readonly ranks: number;
}

/** The allocations that a producer writes and a consumer overwrites. */
export type ContextMemory = Pick<Surroundings, 'inputs' | 'outputs'>;

const WARP = 32;

/** The name of the input that is the harness itself. */
export const AS_IT_IS = 'as it is';

/**
 * The programs in which a kernel is checked. Those come first that most often show that a
 * synchronization is needed: a producer and a consumer, with several warps in each CTA. The harness
 * as it is follows, then other numbers of launches, of ranks and of CTAs.
 */
export function inputsOf(harness: Harness, memory: ContextMemory = {}): readonly RelaxInput[] {
  const [ranks, ...others] = ranksToCheck(harness);
  const isNarrow = isOneWarp(harness);
  const wide = isNarrow ? resized(harness, { block: 2 * WARP }) : harness;
  const as = (name: string, changed: Harness, onRanks = ranks): RelaxInput => ({
    name,
    harness: changed,
    ranks: onRanks,
  });
  const around = (base: Harness, surroundings: Surroundings): Harness => ({
    ...base,
    launches: Math.max(2, base.launches),
    around: { ...memory, ...surroundings },
  });
  const contexts = (base: Harness, suffix: string): readonly RelaxInput[] => [
    as(`a producer${suffix}`, around(base, { producer: true })),
    as(`a consumer${suffix}`, around(base, { consumer: true })),
  ];
  const both = { producer: true, consumer: true };
  return [
    ...contexts(wide, isNarrow ? ', 64 threads' : ''),
    ...(isNarrow ? contexts(harness, '') : []),
    as(AS_IT_IS, harness),
    ...(isNarrow ? [as('64 threads', wide)] : []),
    ...[1, 3].filter((one) => one !== harness.launches).map((one) => as(launchesText(one), { ...wide, launches: one })),
    ...others.map((one) => as(`${one} ranks`, harness, one)),
    as('twice the CTAs', resized(harness, { grids: 2 })),
    as('twice the CTAs, a producer and a consumer', around(resized(wide, { grids: 2 }), both)),
  ];
}

/** True if no kernel of a harness has several warps in a CTA. */
export function isOneWarp(harness: Harness): boolean {
  return kernelsOf(harness).every(({ block }) => sizeOf(block) <= WARP);
}

function launchesText(launches: number): string {
  return launches === 1 ? '1 launch' : `${launches} launches`;
}

function kernelsOf(harness: Harness): readonly HarnessKernel[] {
  return harness.kernels === undefined ? [harness] : Object.values(harness.kernels);
}

function resized(
  harness: Harness,
  { block, grids = 1 }: { readonly block?: number; readonly grids?: number },
): Harness {
  const changed = <K extends HarnessKernel>(kernel: K): K => ({
    ...kernel,
    ...(block === undefined ? {} : { block }),
    grid: times(kernel.grid, grids),
  });
  if (harness.kernels === undefined) return changed(harness);
  const kernels = Object.fromEntries(Object.entries(harness.kernels).map(([name, one]) => [name, changed(one)]));
  return { ...harness, kernels };
}

function times(extent: HarnessKernel['grid'], by: number): HarnessKernel['grid'] {
  return typeof extent === 'number' ? extent * by : { ...extent, x: extent.x * by };
}

function sizeOf(extent: HarnessKernel['block']): number {
  return typeof extent === 'number' ? extent : extent.x * (extent.y ?? 1) * (extent.z ?? 1);
}
