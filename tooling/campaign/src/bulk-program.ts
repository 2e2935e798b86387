import { Random } from './random.ts';

/** One of two lines of 16 bytes: in the shared memory of each CTA, or in rank 1's window. */
export type BulkLine = 0 | 1;

/** One or a few instructions of the only thread of a rank. */
export type BulkStep =
  /** Plain stores of 16 bytes, and a plain load of 4 that the host reads at the end. */
  | { readonly kind: 'store'; readonly space: 'shared' | 'global'; readonly line: BulkLine; readonly value: number }
  | { readonly kind: 'load'; readonly space: 'shared' | 'global'; readonly line: BulkLine }
  /** `fence.proxy.async`. */
  | { readonly kind: 'fence'; readonly space: 'shared' | 'global' }
  /** A bulk copy of 16 bytes from shared memory to the window. */
  | { readonly kind: 'copyOut'; readonly from: BulkLine; readonly to: BulkLine }
  | { readonly kind: 'commit' }
  /** A wait until all groups have read their sources, or until they are complete. */
  | { readonly kind: 'waitGroup'; readonly read: boolean }
  /** A bulk copy of 16 bytes to shared memory, on the thread's mbarrier. */
  | { readonly kind: 'copyIn'; readonly from: BulkLine; readonly to: BulkLine }
  /** A wait for the phase of the mbarrier that the earlier copies complete. */
  | { readonly kind: 'waitBarrier' }
  | { readonly kind: 'setFlag'; readonly order: 'relaxed' | 'release' }
  | { readonly kind: 'waitFlag'; readonly order: 'relaxed' | 'acquire' };

/** A PTX kernel with bulk copies, with one thread on each of two ranks. */
export interface BulkProgram {
  readonly language: 'bulk';
  /** The instructions, by rank. */
  readonly steps: readonly [readonly BulkStep[], readonly BulkStep[]];
}

/** The program of a seed. The same seed gives the same program. */
export function generateBulk(seed: number): BulkProgram {
  const random = new Random(seed);
  const care = random.pick([1, 0.9, 0.7]);
  const may = <T>(step: T): readonly T[] => (random.chance(care) ? [step] : []);
  const [source, target] = [line(random), line(random)];
  const sends: readonly BulkStep[] = [
    { kind: 'store', space: 'shared', line: source, value: 1 + random.below(3) },
    ...may<BulkStep>({ kind: 'fence', space: 'shared' }),
    { kind: 'copyOut', from: source, to: target },
    ...may<BulkStep>({ kind: 'commit' }),
    ...may<BulkStep>({ kind: 'waitGroup', read: !random.chance(care) }),
    { kind: 'setFlag', order: random.chance(care) ? 'release' : 'relaxed' },
  ];
  const waits: readonly BulkStep[] = may<BulkStep>({
    kind: 'waitFlag',
    order: random.chance(care) ? 'acquire' : 'relaxed',
  });
  const to = line(random);
  const receives: readonly BulkStep[] = random.chance(0.5)
    ? [{ kind: 'load', space: 'global', line: target }]
    : [
        ...may<BulkStep>({ kind: 'fence', space: 'global' }),
        { kind: 'copyIn', from: target, to },
        ...may<BulkStep>({ kind: 'waitBarrier' }),
        { kind: 'load', space: 'shared', line: to },
      ];
  return { language: 'bulk', steps: [withMore(random, sends), withMore(random, [...waits, ...receives])] };
}

function withMore(random: Random, steps: readonly BulkStep[]): readonly BulkStep[] {
  const all = [...steps];
  for (let more = random.below(3); more > 0; more--) all.splice(random.below(all.length + 1), 0, oneMore(random));
  return all;
}

function oneMore(random: Random): BulkStep {
  const space = random.pick(['shared', 'global'] as const);
  const kind = random.weighted({ store: 3, load: 2, fence: 2, copyOut: 1, copyIn: 1, waitGroup: 2 });
  switch (kind) {
    case 'store':
      return { kind, space, line: line(random), value: 4 + random.below(3) };
    case 'load':
      return { kind, space: 'global', line: line(random) };
    case 'fence':
      return { kind, space };
    case 'copyOut':
    case 'copyIn':
      return { kind, from: line(random), to: line(random) };
    case 'waitGroup':
      return { kind, read: random.chance(0.3) };
  }
}

function line(random: Random): BulkLine {
  return random.chance(0.7) ? 0 : 1;
}
