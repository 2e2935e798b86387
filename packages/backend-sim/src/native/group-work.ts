import { collectiveShapes } from '@nccl-ts/core';
import type { CollectiveMemory, CollectiveWork, RankCollectives, RankGroup } from '@nccl-ts/transport';
import { isNative } from './plan-collective.ts';

/** One rank's part of a collective that needs no kernel. */
export interface GroupWork {
  readonly group: RankGroup;
  /** The values that must be equal on all ranks, in words. */
  readonly what: string;
  readonly work: CollectiveWork;
  /** The address of the rank's own data. */
  readonly send: number;
  readonly recv: number;
}

/**
 * Returns the parts of `rank`, a rank of the world, all in one group; `undefined` if the kernel
 * must do them.
 */
export function groupWorks(
  memory: CollectiveMemory,
  rank: number,
  works: readonly CollectiveWork[],
): readonly [GroupWork, ...GroupWork[]] | undefined {
  const [first, ...others] = works.map((work) => groupWork(memory, rank, work));
  if (first === undefined) return undefined;
  const known: [GroupWork, ...GroupWork[]] = [first];
  for (const other of others) {
    if (other === undefined || other.group !== first.group) return undefined;
    known.push(other);
  }
  return known;
}

function groupWork(memory: CollectiveMemory, rank: number, work: CollectiveWork): GroupWork | undefined {
  if (!isNative(work)) return undefined;
  const { collective, element, reduction, count, root, send, recv } = work;
  const [from, to] = [memory.locate(send.window, rank), memory.locate(recv.window, rank)];
  if (from === undefined || to === undefined || from.group !== to.group) return undefined;
  const rooted = collectiveShapes[collective].rooted ? `, root ${root}` : '';
  return {
    group: from.group,
    what: `${collective} of ${count} ${element}${reduction === undefined ? '' : ` by ${reduction}`}${rooted}`,
    work,
    send: from.address + send.offset,
    recv: to.address + recv.offset,
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

/** The work of all ranks of a group, one part for each. */
export interface JointWorks {
  readonly group: RankGroup;
  readonly parts: readonly { readonly rank: number; readonly steps: readonly RepeatedWork[] }[];
}

/**
 * Returns the work of all ranks of one group; `undefined` if there are not exactly these ranks, or
 * if the kernels must do some work.
 */
export function jointWorks(memory: CollectiveMemory, collectives: readonly RankCollectives[]): JointWorks | undefined {
  const lists = collectives.map(({ rank, works }) => ({ rank, works: groupWorks(memory, rank, works) }));
  const group = lists[0]?.works?.[0].group;
  const ranks = new Set(lists.map(({ rank }) => rank));
  if (group === undefined || ranks.size !== lists.length || ranks.size !== group.members.length) return undefined;
  if (!group.members.every((rank) => ranks.has(rank))) return undefined;
  const parts: { rank: number; steps: readonly RepeatedWork[] }[] = [];
  for (const { rank, works } of lists) {
    if (works?.[0].group !== group) return undefined;
    parts.push({ rank, steps: runsOf(works) });
  }
  return { group, parts };
}
