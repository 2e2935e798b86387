import { collectiveShapes } from '@nccl-ts/core';
import type { CollectiveWork, RankGroup } from '@nccl-ts/transport';
import { SimWindow } from '../memory/sim-window.ts';
import { isNative } from './plan-collective.ts';

/** One rank's part of a collective that needs no kernel. */
export interface GroupWork {
  readonly group: RankGroup;
  /** The values that must be equal on all ranks, in words. */
  readonly what: string;
  readonly work: CollectiveWork;
  /** The heap address of the rank's own data. */
  readonly send: number;
  readonly recv: number;
}

/**
 * Returns the parts of `rank`, a rank of the world, all in one group; `undefined` if the kernel
 * must do them.
 */
export function groupWorks(
  rank: number,
  works: readonly CollectiveWork[] = [],
): readonly [GroupWork, ...GroupWork[]] | undefined {
  const [first, ...others] = works.map((work) => groupWork(rank, work));
  if (first === undefined) return undefined;
  const known: [GroupWork, ...GroupWork[]] = [first];
  for (const other of others) {
    if (other === undefined || other.group !== first.group) return undefined;
    known.push(other);
  }
  return known;
}

function groupWork(rank: number, work: CollectiveWork): GroupWork | undefined {
  if (!isNative(work)) return undefined;
  const { collective, element, reduction, count, root, send, recv } = work;
  const [from, to] = [send.window, recv.window];
  if (!(from instanceof SimWindow) || !(to instanceof SimWindow) || from.group !== to.group) return undefined;
  const rooted = collectiveShapes[collective].rooted ? `, root ${root}` : '';
  return {
    group: from.group,
    what: `${collective} of ${count} ${element}${reduction === undefined ? '' : ` by ${reduction}`}${rooted}`,
    work,
    send: from.addressAt(rank) + send.offset,
    recv: to.addressAt(rank) + recv.offset,
  };
}

/** Work that a rank repeats some number of times. */
export interface RepeatedWork {
  readonly work: GroupWork;
  readonly times: number;
}

/** Merges equal neighbours. */
export function runsOf(works: readonly GroupWork[]): readonly RepeatedWork[] {
  const runs: { work: GroupWork; times: number }[] = [];
  for (const work of works) {
    const last = runs.at(-1);
    if (last !== undefined && isSame(last.work, work)) last.times++;
    else runs.push({ work, times: 1 });
  }
  return runs;
}

function isSame(a: GroupWork, b: GroupWork): boolean {
  return a.what === b.what && a.send === b.send && a.recv === b.recv;
}
