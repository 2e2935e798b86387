import type { ShownSeverity } from '@nccl-ts/ir';
import type { FindingText } from './finding-kinds.ts';
import type { MissingKind, Severity } from './finding.ts';

/** The first word of a finding's headline. */
export const severityWord: Readonly<Record<Severity, ShownSeverity>> = {
  error: 'error',
  model: 'warning',
  note: 'note',
};

/** The explanation of a missing ingredient. */
export interface MissingText extends FindingText {
  /** The existing path from one access to the other, which follows from the missing ingredient. */
  readonly today: string;
}

/** Each missing ingredient, and how to add it. */
export const missingHelp: Readonly<Record<MissingKind, MissingText>> = {
  synchronisation: {
    today: 'no synchronization leads from one access to the other',
    title: 'the two accesses are not synchronized',
    help: 'Put a barrier between the two accesses, or a flag that one side sets with release and the other awaits with acquire.',
    example: 'next.store(0, x);\nconst y = mine.load(0);',
    fix: 'Put a barrier or a flag between the two.',
    instead: "next.store(0, x);\nbar.sync(coopCta(), 'acq_rel');\nconst y = mine.load(0);",
  },
  release: {
    today: 'a flag or barrier connects the two accesses, but does not release earlier accesses',
    title: 'this side does not release',
    help:
      'Store the flag with order release, put a fence before it, or give the barrier an order that releases. Otherwise ' +
      'earlier writes may be invisible to a thread that sees the flag.',
    example: "data.store(0, x);\nflag.store(0, 1, 'relaxed', 'system');",
    fix: 'Store the flag with release.',
    instead: "data.store(0, x);\nflag.store(0, 1, 'release', 'system');",
  },
  acquire: {
    today: 'a flag or barrier connects the two accesses, but its reader does not acquire',
    title: 'the other side does not acquire',
    help:
      'Load the flag with order acquire, put a fence after it, or give the barrier an order that acquires. Otherwise ' +
      'data that is read afterwards may be older than the flag.',
    example: "waitUntil(() => flag.load(0, 'relaxed', 'system') === 1);\nconst y = data.load(0);",
    fix: 'Load the flag with acquire.',
    instead: "waitUntil(() => flag.load(0, 'acquire', 'system') === 1);\nconst y = data.load(0);",
  },
  scope: {
    today: 'a flag or barrier connects the two accesses, but its scope is too narrow',
    title: 'the scope is too narrow',
    help: 'Scope block covers one CTA, and scope device covers one GPU. Between GPUs, both sides need scope system.',
    example: "flag.store(0, 1, 'release', 'device');   // the reader is on another GPU",
    fix: "Use scope 'system' on both sides between GPUs.",
    instead: "flag.store(0, 1, 'release', 'system');",
  },
  'coop-sync': {
    today:
      'the thread that synchronises is not the thread that accesses, and the two do not synchronize with each other',
    title: 'the threads do not synchronize',
    help:
      'Release and acquire order only the accesses of the thread that makes them. Let the threads of the group meet ' +
      '(coop.sync) between the accesses and the thread that releases, and behind the one that acquires.',
    example:
      "data[threadIdx.x] = x;                   // every thread writes\nif (threadIdx.x === 0) flag.store(0, 1, 'release', 'system');",
    fix: 'Synchronize the group before its thread that releases, and after its thread that acquires.',
    instead: "data[threadIdx.x] = x;\ncoopCta().sync();\nif (threadIdx.x === 0) flag.store(0, 1, 'release', 'system');",
  },
  strong: {
    today: 'both access the same bytes, but not both with ordered accesses of one size',
    title: 'the two are not ordered accesses of one size',
    help: 'A flag must be stored and loaded with ordered accesses of one size, whose scopes include the other side.',
    example:
      "flag[0] = 1;                             // a plain store\nwaitUntil(() => flag.load(0, 'acquire', 'system') === 1);",
    fix: 'Access the flag with ordered accesses of the same size on both sides.',
    instead: "flag.store(0, 1, 'release', 'system');\nwaitUntil(() => flag.load(0, 'acquire', 'system') === 1);",
  },
  completion: {
    today: 'the operation is posted, but no thread waits for its completion',
    title: 'nothing waits for the operation',
    help:
      'A source may be written again after flush or its counter; a destination may be read after a signal that covers ' +
      'the put, from the same context; what a get brings, after flush.',
    example: 'net.put(...);\nsource[0] = 1;                           // the put may still read it',
    fix: 'Wait until the operation is done. Use flush for sources, and a signal for destinations.',
    instead: 'net.put(...);\nnet.flush(coopCta());\nsource[0] = 1;',
  },
  'proxy-fence': {
    today: 'the accesses are ordered, but use two proxies: two addresses of the same bytes, or a bulk copy',
    title: 'no proxy fence',
    help: 'Put fenceProxy("alias") between the access through the multicast address and the other; before a bulk copy, fence.proxy.async; with a logical endpoint, fences of the fabric proxy.',
    example: 'multicast.store(0, x);\nconst y = mine.load(0);',
    fix: "Put fenceProxy('alias') between the two.",
    instead: "multicast.store(0, x);\nfenceProxy('alias');\nconst y = mine.load(0);",
  },
};
