import type { FindingKind, MissingKind } from '@nccl-ts/findings';
import type { Explanation } from './explanation.ts';

/**
 * The kinds of findings of a check. Titles and help are those of @nccl-ts/findings, which reports
 * also show.
 */
export const kindExplanations: Readonly<Record<FindingKind, Omit<Explanation, 'title' | 'meaning'>>> = {
  race: {
    example:
      'next.store(0, x);            // rank 0 writes to rank 1\nconst y = mine.load(0);      // rank 1 reads it, and nothing is between',
    fix: 'Put a barrier between the two. Or use a flag that one side stores with release and the other awaits with acquire. The report names what is missing, and the line.',
    instead: "next.store(0, x);\nbar.sync(coopCta(), 'acq_rel');\nconst y = mine.load(0);",
  },
  proxy: {
    example: 'multicast.store(0, x);\nconst y = mine.load(0);      // the same bytes, by their own address',
    fix: "Put fenceProxy('alias') between the two accesses.",
    instead: "multicast.store(0, x);\nfenceProxy('alias');\nconst y = mine.load(0);",
  },
  'out-of-bounds': {
    example: 'for (let i = threadIdx.x; i < count * comm.nRanks; i += blockDim.x) mine[i] = x;',
    fix: 'Compare the index with the size of the window. Window offsets are in bytes, and pointer indices are in elements.',
    instead: 'for (let i = threadIdx.x; i < count; i += blockDim.x) mine[i] = x;',
  },
  misuse: {
    example: 'lsa.barrierSession(coopCta(), comm, blockIdx.x) with more CTAs than lsaBarrierCount',
    fix: 'Ask for what the kernel uses: createDevComm({ lsaBarrierCount: grid }), or --require on the command line.',
  },
  fault: {
    example: 'q[0] = n / q[1];             // q[1] is 0',
    fix: 'Look at the line and the values in the report.',
    instead: 'q[0] = q[1] === 0 ? 0 : n / q[1];',
  },
  uninitialised: {
    example: 'const sums = sharedArray(f32, 4);\nx += sums[0];                // never written',
    fix: 'Write the memory before you read it. On the host, win.write fills a window.',
    instead: 'const sums = sharedArray(f32, 4);\nsums[threadIdx.x] = 0;\ncoopCta().sync();\nx += sums[0];',
  },
  deadlock: {
    example: "if (comm.rank > 0) bar.sync(coopCta(), 'acquire');   // rank 0 never comes",
    fix: 'Make all members of a barrier reach it equally often. The report lists the ranks that wait and those that are missing.',
    instead: "bar.sync(coopCta(), 'acquire');",
  },
  leftover: {
    example: 'net.put(...) with a signal that no kernel waits for',
    fix: 'Wait for every operation, or reset its state, before the kernel ends. Otherwise the next launch finds the leftovers.',
  },
  incomplete: {
    example: 'nccl-ts check kernel.ts --exhaustive --bound 1000',
    fix: 'Raise the bound or --time, or check a smaller input. As a rule, few ranks, CTAs, threads and elements show the same errors.',
  },
};

/** The missing synchronization between the two accesses of a race: `race/scope`. */
export const missingExplanations: Readonly<Record<MissingKind, Omit<Explanation, 'title' | 'meaning'>>> = {
  synchronisation: {
    example: 'next.store(0, x);\nconst y = mine.load(0);',
    fix: 'Put a barrier or a flag between the two.',
    instead: "next.store(0, x);\nbar.sync(coopCta(), 'acq_rel');\nconst y = mine.load(0);",
  },
  release: {
    example: "data.store(0, x);\nflag.store(0, 1, 'relaxed', 'system');",
    fix: 'Store the flag with release.',
    instead: "data.store(0, x);\nflag.store(0, 1, 'release', 'system');",
  },
  acquire: {
    example: "waitUntil(() => flag.load(0, 'relaxed', 'system') === 1);\nconst y = data.load(0);",
    fix: 'Load the flag with acquire.',
    instead: "waitUntil(() => flag.load(0, 'acquire', 'system') === 1);\nconst y = data.load(0);",
  },
  scope: {
    example: "flag.store(0, 1, 'release', 'device');   // the reader is on another GPU",
    fix: "Use scope 'system' on both sides between GPUs.",
    instead: "flag.store(0, 1, 'release', 'system');",
  },
  'coop-sync': {
    example:
      "data[threadIdx.x] = x;                   // every thread writes\nif (threadIdx.x === 0) flag.store(0, 1, 'release', 'system');",
    fix: 'Synchronize the group before its thread that releases, and after its thread that acquires.',
    instead: "data[threadIdx.x] = x;\ncoopCta().sync();\nif (threadIdx.x === 0) flag.store(0, 1, 'release', 'system');",
  },
  strong: {
    example:
      "flag[0] = 1;                             // a plain store\nwaitUntil(() => flag.load(0, 'acquire', 'system') === 1);",
    fix: 'Access the flag with ordered accesses of the same size on both sides.',
    instead: "flag.store(0, 1, 'release', 'system');\nwaitUntil(() => flag.load(0, 'acquire', 'system') === 1);",
  },
  completion: {
    example: 'net.put(...);\nsource[0] = 1;                           // the put may still read it',
    fix: 'Wait until the operation is done. Use flush for sources, and a signal for destinations.',
    instead: 'net.put(...);\nnet.flush(coopCta());\nsource[0] = 1;',
  },
  'proxy-fence': {
    example: 'multicast.store(0, x);\nconst y = mine.load(0);',
    fix: "Put fenceProxy('alias') between the two.",
    instead: "multicast.store(0, x);\nfenceProxy('alias');\nconst y = mine.load(0);",
  },
};
