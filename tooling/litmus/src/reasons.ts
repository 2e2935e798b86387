const allThreads =
  'PTX ISA, instruction barrier{.cta}: without a count, every thread of the CTA must take part. These threads wait at different barriers, so that none of them goes on. Dat3M does not let them wait.';

const countOfTwo =
  'PTX ISA, instruction barrier{.cta}: a barrier of two warps completes when two have arrived, and is then ready for others. The third warp waits for a fourth, which there is not, so that no execution ends. Dat3M lets it pass.';

const fenceOfOtherBlock =
  'PTX ISA, Memory Consistency Model, Causality Order: operations by one proxy other than the generic one are ordered by synchronization only within one thread block, and a proxy fence must be in that of the operation. Dat3M is right: here, a fence anywhere on the way is enough.';

const completedCopy =
  'A bulk copy stands for the surface store. PTX ISA, instruction cp.async.bulk.wait_group: when it completes, its writes are visible to the thread that waits. A surface store has no such wait, so the translation says more than the test.';

/** Why a test may differ from what Dat3M expects, by its path below `litmus/PTX`. */
export const reasons: Readonly<Record<string, string>> = {
  'Barrier/quorum1-pass': countOfTwo,
  'Barrier/quorum2-pass': countOfTwo,
  'Barrier/quorum3-fail': countOfTwo,
  'Barrier/quorum3-pass': countOfTwo,
  'Barrier/quorum4-fail': countOfTwo,
  'Barrier/quorum4-pass': countOfTwo,
  'Manual/SB+bar-const-diff': allThreads,
  'Manual/SB+named-bar-dyn-reg-const': allThreads,
  'Manual/SB+named-bar-reg-const-diff': allThreads,
  'Manual/SB+named-bar-reg-diff': allThreads,
  'Manual/SB+twice-bars-diff': allThreads,
  'Manual/barrier-instance-id-exists': allThreads,
  'Manual/barrier-instance-id-forall': allThreads,
  'Manual/barrier-logical-id-exists': allThreads,
  'Manual/barrier-logical-id-forall': allThreads,
  'Nvidia/proxy/Proxy-MP-gpu3': completedCopy,
  'Nvidia/proxy/Proxy-MP-gpu5': fenceOfOtherBlock,
  'Nvidia/proxy/Proxy-MP-gpu14': fenceOfOtherBlock,
  'Nvidia/proxy/Proxy-MP-sur-gen-no-proxyFence': completedCopy,
  'Nvidia/proxy/Proxy-SingleThread-rf-surW-genR': completedCopy,
  'Nvidia/proxy/Proxy-SingleThread-rf-surW-texR-genR': completedCopy,
};
