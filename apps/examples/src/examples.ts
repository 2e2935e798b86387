import { runAllToAllGin } from './03-alltoall-gin/run.ts';
import { runAllToAllHybrid } from './04-alltoall-hybrid/run.ts';
import { runRmsNorm, type RmsNormForm } from './05-rmsnorm/run.ts';
import { runAllReduceMulticast, type MulticastAlgorithm } from './06-allreduce-multicast/run.ts';
import { runAllToAllLsa } from './07-alltoall-lsa/run.ts';
import { runMoe } from './08-moe/run.ts';
import type { Example } from './example.ts';

/** The grid of NCCL's all-to-alls. */
const alltoall = { count: 1024, rounds: 2, ctas: 16, threads: 512 } as const;
/** The network barriers of 16 ranks take 15 threads. */
const smallAlltoall = { count: 3, rounds: 2, ctas: 2, threads: 16 } as const;

/**
 * The examples that check themselves. They support any number of ranks, in LSA teams of any size.
 */
export const examples: readonly Example[] = [
  {
    name: '03-alltoall-gin',
    title: 'an all-to-all through the network',
    needs: ['gin'],
    full: async (options) => runAllToAllGin({ ...options, ...alltoall }),
    small: async (options) => runAllToAllGin({ ...options, ...smallAlltoall }),
  },
  {
    name: '04-alltoall-hybrid',
    title: 'an all-to-all by stores within a domain, and through the network elsewhere',
    needs: ['gin'],
    full: async (options) => runAllToAllHybrid({ ...options, ...alltoall }),
    small: async (options) => runAllToAllHybrid({ ...options, ...smallAlltoall }),
  },
  rmsNorm('lsa', 'RMSNorm over the ranks of one domain, in one kernel', []),
  rmsNorm('push', 'RMSNorm on every rank, with data that signal their own arrival', []),
  rmsNorm('multimem', 'RMSNorm with sums and copies by the switches, in one kernel', ['multimem']),
  rmsNorm('gin', 'RMSNorm over the network', ['gin']),
  rmsNorm('hybrid', 'RMSNorm by stores within a domain, and through the network elsewhere', ['gin']),
  multicast('one-shot', 'an AllReduce in which every rank loads every sum from the switches'),
  multicast('two-shot', 'an AllReduce in which each rank loads its share of the sums, and stores it to all ranks'),
  multicast('two-shot-sentinel', 'the same, with data that signal their own arrival'),
  alltoallLsa('simple', 'an all-to-all by stores, and a barrier'),
  alltoallLsa('sentinel', 'an all-to-all with data that signal their own arrival'),
  {
    name: '08-moe',
    title: 'tokens to the experts of other ranks, and back',
    needs: ['gin'],
    full: async (options) =>
      runMoe({ ...options, tokens: 50, topK: 4, hidden: 512, perRank: 4, rounds: 2, threads: 256 }),
    small: async (options) => runMoe({ ...options, tokens: 2, topK: 2, hidden: 3, perRank: 1, rounds: 2, threads: 4 }),
  },
];

function rmsNorm(form: RmsNormForm, title: string, needs: Example['needs']): Example {
  return {
    name: `05-rmsnorm-${form}`,
    title,
    needs,
    // NCCL's examples have 4096 tokens of 1024 floats. Barriers need a CTA for each token, which is
    // slow in the simulator.
    full: async (options) => runRmsNorm({ ...options, form, tokensPerRank: 32, hidden: 1024, threads: 256, rounds: 2 }),
    small: async (options) => runRmsNorm({ ...options, form, tokensPerRank: 2, hidden: 5, threads: 16, rounds: 2 }),
  };
}

function multicast(algorithm: MulticastAlgorithm, title: string): Example {
  const sizes = { algorithm, ctas: 8, threads: 256, rounds: 10 } as const;
  return {
    name: `06-allreduce-${algorithm}`,
    title,
    needs: ['multimem'],
    full: async (options) => runAllReduceMulticast({ ...options, ...sizes, linesPerRank: 4096 }),
    small: async (options) =>
      runAllReduceMulticast({ ...options, ...sizes, linesPerRank: 3, ctas: 2, threads: 32, rounds: 5 }),
  };
}

function alltoallLsa(algorithm: 'simple' | 'sentinel', title: string): Example {
  return {
    name: `07-alltoall-lsa-${algorithm}`,
    title,
    needs: [],
    full: async (options) => runAllToAllLsa({ ...options, algorithm, lines: 1024, rounds: 10, ctas: 8, threads: 256 }),
    // In the fifth round a buffer is reused that a kernel has filled with sentinels.
    small: async (options) => runAllToAllLsa({ ...options, algorithm, lines: 3, rounds: 5, ctas: 2, threads: 64 }),
  };
}
