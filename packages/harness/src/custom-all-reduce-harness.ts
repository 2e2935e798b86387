import { wordTable } from '@nccl-ts/core';
import type { EntryFacts } from './first-harness/entry-facts.ts';

/** The parts of a launch of the custom AllReduce of vLLM, SGLang, FlashInfer and aiter. */
export interface CustomAllReduceLaunch {
  /** The scalar type of the elements: `f32`. */
  readonly element: string;
  /** Absent if the kernel does not fix the number of ranks. */
  readonly ranks?: number;
}

const elements: Readonly<Record<string, string>> = wordTable({
  float: 'f32',
  __half: 'f16',
  half: 'f16',
  __nv_bfloat16: 'bf16',
  nv_bfloat16: 'bf16',
});

/**
 * The parts of the launch of an entry, if it is a custom AllReduce. Such an entry takes `(RankData
 * *, RankSignals, Signal *, T *, int rank, int size)`.
 */
export function customAllReduceLaunch({ title }: Pick<EntryFacts, 'title'>): CustomAllReduceLaunch | undefined {
  const [, name] =
    /[(:]RankData ?\*, (?:\w+::)*RankSignals, (?:\w+::)*Signal ?\*, (\w+) ?\*, int, int\)$/.exec(title) ?? [];
  const element = name === undefined ? undefined : elements[name];
  if (element === undefined) return undefined;
  const ranks = Number(/<[^<>]*\b(\d+)[^<>]*>\(/.exec(title)?.[1]);
  return { element, ...(ranks >= 2 && ranks <= 8 ? { ranks } : {}) };
}

/** The text of a module that launches it. */
export function customAllReduceHarness(
  { title }: Pick<EntryFacts, 'title'>,
  { element, ranks }: CustomAllReduceLaunch,
  kernel: string,
  entry: string,
): string {
  return `import { customAllReduce, ${element}, harness } from '@nccl-ts/harness';

/** Launches ${title}. */
export default harness({
  kernel: ${kernel},
  entry: ${entry},
${ranks === undefined ? '' : `  ranks: ${ranks},\n`}  // CTAs of each rank, and threads of each CTA: as few as use every barrier and flag of the kernel.
  grid: 1,
  block: 32,
  // Launches one after the other, so that state left by one affects the next.
  launches: 2,
  setup({ rank, ranks, nRanks, alloc, peer }) {
    const count = 16 * nRanks;
    const input = alloc('input', ${element}, count, (i) => rank + (i % 8));
    const result = alloc('result', ${element}, count);
    const { rankData, rankSignals, signal } = customAllReduce(
      { ranks, alloc, peer },
      // signal: 'flags' where struct Signal has start, end and _flag, 'counters' where it has self_counter and peer_counter.
      { input, signal: 'flags', scratchBytes: count * ${element}.bytes },
    );
    return {
      // The last argument counts packs of 16 bytes.
      args: [rankData, rankSignals, signal, result, rank, (count * ${element}.bytes) / 16],
      expect: () => result.equals((i) => ranks.reduce((sum, r) => sum + r + (i % 8), 0)),
    };
  },
});
`;
}
