import type { ShownSeverity } from '@nccl-ts/ir';
import type { MissingKind, Severity } from './finding.ts';

/** The first word of a finding's headline. */
export const severityWord: Readonly<Record<Severity, ShownSeverity>> = {
  error: 'error',
  model: 'warning',
  note: 'note',
};

/**
 * Describes the existing path from one access to the other, which follows from the missing
 * ingredient.
 */
export const todayText: Readonly<Record<MissingKind, string>> = {
  synchronisation: 'no synchronization leads from one access to the other',
  release: 'a flag or barrier connects the two accesses, but does not release earlier accesses',
  acquire: 'a flag or barrier connects the two accesses, but its reader does not acquire',
  scope: 'a flag or barrier connects the two accesses, but its scope is too narrow',
  'coop-sync':
    'the thread that synchronises is not the thread that accesses, and the two do not synchronize with each other',
  strong: 'both access the same bytes, but not both with ordered accesses of one size',
  completion: 'the operation is posted, but no thread waits for its completion',
  'proxy-fence': 'the accesses are ordered, but use two proxies: two addresses of the same bytes, or a bulk copy',
};

/** A missing ingredient, and how to add it. */
export const missingHelp: Readonly<Record<MissingKind, { readonly title: string; readonly help: string }>> = {
  synchronisation: {
    title: 'the two accesses are not synchronized',
    help: 'Put a barrier between the two accesses, or a flag that one side sets with release and the other awaits with acquire.',
  },
  release: {
    title: 'this side does not release',
    help:
      'Store the flag with order release, put a fence before it, or give the barrier an order that releases. Otherwise ' +
      'earlier writes may be invisible to a thread that sees the flag.',
  },
  acquire: {
    title: 'the other side does not acquire',
    help:
      'Load the flag with order acquire, put a fence after it, or give the barrier an order that acquires. Otherwise ' +
      'data that is read afterwards may be older than the flag.',
  },
  scope: {
    title: 'the scope is too narrow',
    help: 'Scope block covers one CTA, and scope device covers one GPU. Between GPUs, both sides need scope system.',
  },
  'coop-sync': {
    title: 'the threads do not synchronize',
    help:
      'Release and acquire order only the accesses of the thread that makes them. Let the threads of the group meet ' +
      '(coop.sync) between the accesses and the thread that releases, and behind the one that acquires.',
  },
  strong: {
    title: 'the two are not ordered accesses of one size',
    help: 'A flag must be stored and loaded with ordered accesses of one size, whose scopes include the other side.',
  },
  completion: {
    title: 'nothing waits for the operation',
    help:
      'A source may be written again after flush or its counter; a destination may be read after a signal that covers ' +
      'the put, from the same context; what a get brings, after flush.',
  },
  'proxy-fence': {
    title: 'no proxy fence',
    help: 'Put fenceProxy("alias") between the access through the multicast address and the other; before a bulk copy, fence.proxy.async; with a logical endpoint, fences of the fabric proxy.',
  },
};
