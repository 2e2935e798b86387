import type { Verdict } from './verdict.ts';
import type { FindingKind } from './finding.ts';

/** All facts about a kind of finding. */
export interface FindingKindFacts {
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
  readonly toldBy: 'pair' | 'places' | 'places and message';
  /** True if the kind is about memory. An access without an order is then a plain access. */
  readonly isAboutMemory: boolean;
  /** A title for readers who meet the kind for the first time. */
  readonly title: string;
  readonly help: string;
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
    toldBy: 'pair',
    isAboutMemory: true,
    title: 'Two accesses to the same bytes are not ordered',
    help:
      'Two threads, or a thread and the network, access the same bytes, one of them writes, and no release and acquire, ' +
      'barrier, signal or end of a kernel orders the two. A reader may get either value.',
  },
  proxy: {
    verdict: 'race',
    exitCode: 1,
    level: 'error',
    toldBy: 'pair',
    isAboutMemory: true,
    title: 'Bytes are accessed by a multicast address and by their own, or by a bulk copy, with no proxy fence between',
    help:
      'An access through a multicast address and one through the address of the memory itself are ordered only with ' +
      'fenceProxy("alias") between them, in addition to the synchronization that orders them. A bulk copy and an access by a thread are ordered only ' +
      'with fence.proxy.async between. An operation of a logical endpoint and another access need fenceProxy("fabric", …) between.',
  },
  'out-of-bounds': {
    verdict: 'out-of-bounds',
    exitCode: 1,
    level: 'error',
    toldBy: 'places',
    isAboutMemory: false,
    title: 'An access is misaligned, or outside its window or array',
    help:
      'The address is outside of the window or array that the pointer was made for, or is not a multiple of the size of ' +
      'what is accessed.',
  },
  misuse: {
    verdict: 'misuse',
    exitCode: 1,
    level: 'error',
    toldBy: 'places and message',
    isAboutMemory: false,
    title: 'A rule of the device API is broken',
    help: 'NCCL does not check this rule: on a GPU the behaviour is undefined.',
  },
  fault: {
    verdict: 'fault',
    exitCode: 1,
    level: 'error',
    toldBy: 'places',
    isAboutMemory: false,
    title: 'A thread failed',
    help: 'An assertion failed, an integer was divided by zero, or an index does not exist.',
  },
  uninitialised: {
    verdict: 'uninitialised',
    exitCode: 1,
    level: 'error',
    toldBy: 'places',
    isAboutMemory: true,
    title: 'Memory is read before it is written',
    help: 'Windows and arrays have no values until a thread or the host writes them. Write the bytes before you read them.',
  },
  deadlock: {
    verdict: 'deadlock',
    exitCode: 1,
    level: 'error',
    toldBy: 'places',
    isAboutMemory: false,
    title: 'No thread can continue',
    help: 'Every remaining thread waits for a word that can no longer be written.',
  },
  leftover: {
    verdict: 'misuse',
    exitCode: 1,
    level: 'error',
    toldBy: 'places and message',
    isAboutMemory: false,
    title: 'A kernel ends with work that no thread has waited for',
    help:
      'A signal, an epoch of a barrier or a pending operation outlives the kernel: the next launch on the same ' +
      'resources finds it.',
  },
  incomplete: {
    verdict: 'incomplete',
    exitCode: 3,
    level: 'warning',
    toldBy: 'places and message',
    isAboutMemory: false,
    title: 'The check reached a bound',
    help: 'The check stopped at the bound. Raise the bound, or check a smaller input.',
  },
};

/** All kinds, the worst first. */
export const findingKindNames: readonly FindingKind[] = Object.keys(findingKinds).filter(isFindingKind);

export function isFindingKind(name: string): name is FindingKind {
  return Object.hasOwn(findingKinds, name);
}
