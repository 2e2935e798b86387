/**
 * The kind of a finding.
 *
 * - `race`: two accesses to the same bytes are not ordered. One is a write, and not both are strong
 *   enough.
 * - `uninitialised`: a thread reads memory that was never written.
 * - `proxy`: one access uses a multicast address or is a bulk copy, and no proxy fence separates it
 *   from another access to the same bytes.
 * - `out-of-bounds`: an access is outside its window or array, or misaligned.
 * - `misuse`: a kernel breaks a rule of the device API that NCCL does not check.
 * - `fault`: an integer division by zero, a failed assertion, or a wrong result.
 * - `deadlock`: no thread can continue.
 * - `leftover`: at the end, no thread has waited for a signal, an epoch or a pending operation. Or
 *   a wait is satisfied by a value that an earlier launch of the kernel has consumed.
 * - `incomplete`: the check ended at a limit of the checker or of the kernel.
 */
export type FindingKind =
  | 'race'
  | 'uninitialised'
  | 'proxy'
  | 'out-of-bounds'
  | 'misuse'
  | 'fault'
  | 'deadlock'
  | 'leftover'
  | 'incomplete';

/**
 * The most severe result: the kind of the worst finding, or `clean` if there are no findings and
 * the check was complete. Two kinds have the verdict of another: see `FindingKindFacts.verdict`.
 */
export type Verdict = 'clean' | Exclude<FindingKind, 'proxy' | 'leftover'>;

/** The explanation of a finding, which `nccl-ts explain` prints. */
export interface FindingText {
  /** A title for readers who meet the finding for the first time. */
  readonly title: string;
  /** The meaning, and the reason for the rule. */
  readonly help: string;
  /** An example that causes it: code, or an event. */
  readonly example: string;
  /** The fix. */
  readonly fix: string;
  /** The fixed example. */
  readonly instead?: string;
}

/** All facts about a kind of finding. */
export interface FindingKindFacts extends FindingText {
  /** The verdict of a report in which such a finding is the worst. */
  readonly verdict: Exclude<Verdict, 'clean'>;
  /** The exit code of a program whose verdict it decides. */
  readonly exitCode: 1 | 3;
  /** The level at which a SARIF log shows the rule. */
  readonly level: 'error' | 'warning';
  /**
   * How two findings of the kind are distinguished: by the two source locations in any order, or by
   * the locations in order. If one statement may break several rules, the message counts too.
   */
  readonly distinguishedBy: 'pair' | 'places' | 'places and message';
  /** True if the kind is about memory. An access without an order is then a plain access. */
  readonly isAboutMemory: boolean;
  /**
   * True if it counts in a run in which a time limit has expired. A kernel that gives up may fail
   * on purpose. Its peers then wait in vain and leave work behind, as time limits intend.
   */
  readonly countsAfterTimeOut: boolean;
}

/**
 * The kinds of findings, the worst first. A kind that may cause others comes before them. For
 * example, a stale value may send a thread down a wrong path, and others then wait for it forever.
 */
export const findingKinds: Readonly<Record<FindingKind, FindingKindFacts>> = {
  race: {
    verdict: 'race',
    exitCode: 1,
    level: 'error',
    distinguishedBy: 'pair',
    isAboutMemory: true,
    countsAfterTimeOut: true,
    title: 'Two accesses to the same bytes are not ordered',
    help:
      'Two threads, or a thread and the network, access the same bytes, one of them writes, and no release and acquire, ' +
      'barrier, signal or end of a kernel orders the two. A reader may get either value.',
    example:
      'next.store(0, x);            // rank 0 writes to rank 1\nconst y = mine.load(0);      // rank 1 reads it, and nothing is between',
    fix: 'Put a barrier between the two. Or use a flag that one side stores with release and the other awaits with acquire. The report names what is missing, and the line.',
    instead: "next.store(0, x);\nbar.sync(coopCta(), 'acq_rel');\nconst y = mine.load(0);",
  },
  proxy: {
    verdict: 'race',
    exitCode: 1,
    level: 'error',
    distinguishedBy: 'pair',
    isAboutMemory: true,
    countsAfterTimeOut: true,
    title: 'Bytes are accessed by a multicast address and by their own, or by a bulk copy, with no proxy fence between',
    help:
      'An access through a multicast address and one through the address of the memory itself are ordered only with ' +
      'fenceProxy("alias") between them, in addition to the synchronization that orders them. A bulk copy and an access by a thread are ordered only ' +
      'with fence.proxy.async between. An operation of a logical endpoint and another access need fenceProxy("fabric", …) between.',
    example: 'multicast.store(0, x);\nconst y = mine.load(0);      // the same bytes, by their own address',
    fix: "Put fenceProxy('alias') between the two accesses.",
    instead: "multicast.store(0, x);\nfenceProxy('alias');\nconst y = mine.load(0);",
  },
  'out-of-bounds': {
    verdict: 'out-of-bounds',
    exitCode: 1,
    level: 'error',
    distinguishedBy: 'places',
    isAboutMemory: false,
    countsAfterTimeOut: true,
    title: 'An access is misaligned, or outside its window or array',
    help:
      'The address is outside of the window or array that the pointer was made for, or is not a multiple of the size of ' +
      'what is accessed.',
    example: 'for (let i = threadIdx.x; i < count * comm.nRanks; i += blockDim.x) mine[i] = x;',
    fix: 'Compare the index with the size of the window. Window offsets are in bytes, and pointer indices are in elements.',
    instead: 'for (let i = threadIdx.x; i < count; i += blockDim.x) mine[i] = x;',
  },
  misuse: {
    verdict: 'misuse',
    exitCode: 1,
    level: 'error',
    distinguishedBy: 'places and message',
    isAboutMemory: false,
    countsAfterTimeOut: true,
    title: 'A rule of the device API is broken',
    help: 'NCCL does not check this rule: on a GPU the behaviour is undefined.',
    example: 'lsa.barrierSession(coopCta(), comm, blockIdx.x) with more CTAs than lsaBarrierCount',
    fix: 'Ask for what the kernel uses: createDevComm({ lsaBarrierCount: grid }), or --require on the command line.',
  },
  fault: {
    verdict: 'fault',
    exitCode: 1,
    level: 'error',
    distinguishedBy: 'places',
    isAboutMemory: false,
    countsAfterTimeOut: false,
    title: 'A thread failed, or a result is wrong',
    help:
      'An assertion failed, an integer was divided by zero, or an index does not exist. Or the memory after the launches ' +
      'differs from what a harness expects.',
    example: 'q[0] = n / q[1];             // q[1] is 0',
    fix: 'Look at the line and the values in the report. For a wrong result, look first at races and warnings of the same report.',
    instead: 'q[0] = q[1] === 0 ? 0 : n / q[1];',
  },
  uninitialised: {
    verdict: 'uninitialised',
    exitCode: 1,
    level: 'error',
    distinguishedBy: 'places',
    isAboutMemory: true,
    countsAfterTimeOut: true,
    title: 'Memory is read before it is written',
    help: 'Windows and arrays have no values until a thread or the host writes them. Write the bytes before you read them.',
    example: 'const sums = sharedArray(f32, 4);\nx += sums[0];                // never written',
    fix: 'Write the memory before you read it. On the host, win.write fills a window.',
    instead: 'const sums = sharedArray(f32, 4);\nsums[threadIdx.x] = 0;\ncoopCta().sync();\nx += sums[0];',
  },
  deadlock: {
    verdict: 'deadlock',
    exitCode: 1,
    level: 'error',
    distinguishedBy: 'places',
    isAboutMemory: false,
    countsAfterTimeOut: false,
    title: 'No thread can continue',
    help: 'Every remaining thread waits for a word that can no longer be written.',
    example: "if (comm.rank > 0) bar.sync(coopCta(), 'acquire');   // rank 0 never comes",
    fix: 'Make all members of a barrier reach it equally often. The report lists the ranks that wait and those that are missing.',
    instead: "bar.sync(coopCta(), 'acquire');",
  },
  leftover: {
    verdict: 'misuse',
    exitCode: 1,
    level: 'error',
    distinguishedBy: 'places and message',
    isAboutMemory: false,
    countsAfterTimeOut: false,
    title: 'A kernel leaves something that the next launch finds',
    help:
      'A signal, an epoch of a barrier or a pending operation outlives the kernel: the next launch on the same ' +
      'resources finds it. Or a flag keeps its value: the wait of a later launch is satisfied by what an earlier one ' +
      'has already waited for, so that it waits for nobody.',
    example: 'net.put(...) with a signal that no kernel waits for',
    fix: 'Wait for every operation, or reset its state, before the kernel ends. Reset a flag, or let each launch wait for another value, such as one more than the last.',
  },
  incomplete: {
    verdict: 'incomplete',
    exitCode: 3,
    level: 'warning',
    distinguishedBy: 'places and message',
    isAboutMemory: false,
    countsAfterTimeOut: false,
    title: 'The check reached a bound',
    help:
      'The check stopped at the bound, or several ranks ran and nothing happened between them. Raise the bound, check a ' +
      'smaller input, or say that the ranks work alone.',
    example: 'nccl-ts check kernel.ts --exhaustive --bound 1000',
    fix: 'Raise the bound or --time, or check a smaller input. As a rule, few ranks, CTAs, threads and elements show the same errors. If each rank is to work alone, say --local, or local: true.',
  },
};

/** All kinds, the worst first. */
export const findingKindNames: readonly FindingKind[] = Object.keys(findingKinds).filter(isFindingKind);

export function isFindingKind(name: string): name is FindingKind {
  return Object.hasOwn(findingKinds, name);
}
