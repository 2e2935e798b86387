import type { Verdict } from './check-report.ts';
import type { FindingKind } from './finding.ts';

/** All that is known of a kind of finding, wherever it is asked for. */
export interface FindingKindFacts {
  /** The verdict of a report in which such an error is the worst. */
  readonly verdict: Exclude<Verdict, 'clean'>;
  /** How a program ends whose verdict it decides. */
  readonly exitCode: 1 | 3;
  /** In which level a SARIF log shows the rule. */
  readonly level: 'error' | 'warning';
  /**
   * Tells two findings of the kind apart: the two places, whichever was noticed first; the places
   * in order; or the places and the message, where one statement may break several rules.
   */
  readonly toldBy: 'pair' | 'places' | 'places and message';
  /** True if it is about memory: there an access that says nothing of order is a plain one. */
  readonly isAboutMemory: boolean;
  /** For people who meet it for the first time. */
  readonly title: string;
  readonly help: string;
}

/**
 * The kinds of findings, the worst first: a finding that may be the cause of others stands before
 * them, since a stale value leads a thread astray, and others wait for it in vain.
 */
export const findingKinds: Readonly<Record<FindingKind, FindingKindFacts>> = {
  race: {
    verdict: 'race',
    exitCode: 1,
    level: 'error',
    toldBy: 'pair',
    isAboutMemory: true,
    title: 'Two accesses to the same bytes that nothing orders',
    help:
      'Two threads, or a thread and the network, access the same bytes, one of them writes, and no release and acquire, ' +
      'barrier, signal or end of a kernel orders the two. What a reader gets is open.',
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
      'fenceProxy("alias") between, beside all else that orders them. What a thread writes, a bulk copy accesses only ' +
      'with fence.proxy.async between.',
  },
  'out-of-bounds': {
    verdict: 'out-of-bounds',
    exitCode: 1,
    level: 'error',
    toldBy: 'places',
    isAboutMemory: false,
    title: 'An access outside of its window or array, or misaligned',
    help:
      'The address lies outside of the window or array that the pointer was made for, or is no multiple of the size of ' +
      'what is accessed.',
  },
  misuse: {
    verdict: 'misuse',
    exitCode: 1,
    level: 'error',
    toldBy: 'places and message',
    isAboutMemory: false,
    title: 'A rule of the device API is broken',
    help: 'NCCL does not check this rule: on a GPU what follows is not defined.',
  },
  fault: {
    verdict: 'fault',
    exitCode: 1,
    level: 'error',
    toldBy: 'places',
    isAboutMemory: false,
    title: 'A thread failed',
    help: 'An assertion did not hold, an integer was divided by zero, or an index is one that does not exist.',
  },
  uninitialised: {
    verdict: 'uninitialised',
    exitCode: 1,
    level: 'error',
    toldBy: 'places',
    isAboutMemory: true,
    title: 'Memory is read that nobody has written',
    help: 'Windows and arrays hold no values until somebody writes them. Write the bytes, or do not read them.',
  },
  deadlock: {
    verdict: 'deadlock',
    exitCode: 1,
    level: 'error',
    toldBy: 'places',
    isAboutMemory: false,
    title: 'Nothing can go on',
    help: 'Every thread that is left waits for a word that nobody will write any more.',
  },
  leftover: {
    verdict: 'misuse',
    exitCode: 1,
    level: 'error',
    toldBy: 'places and message',
    isAboutMemory: false,
    title: 'Something is left at the end that nobody has waited for',
    help:
      'A signal, an epoch of a barrier or an operation under way outlives the kernel: the next launch on the same ' +
      'resources finds it.',
  },
  incomplete: {
    verdict: 'incomplete',
    exitCode: 3,
    level: 'warning',
    toldBy: 'places and message',
    isAboutMemory: false,
    title: 'A bound was reached',
    help: 'What lies behind the bound was not looked at. Raise the bound, or check a smaller input.',
  },
};

/** All kinds, the worst first. */
export const findingKindNames: readonly FindingKind[] = Object.keys(findingKinds).filter(isFindingKind);

export function isFindingKind(name: string): name is FindingKind {
  return Object.hasOwn(findingKinds, name);
}
