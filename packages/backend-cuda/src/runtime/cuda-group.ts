import { at } from '@nccl-ts/core';
import type { Topology } from '@nccl-ts/topology';
import type { RankGroup } from '@nccl-ts/transport';
import { ncclSplit } from '../ffi/nccl-constants.ts';
import type { NcclLibrary } from '../ffi/nccl-library.ts';
import { communicatorsOf } from './communicators.ts';
import type { LocalRank } from './local-rank.ts';

/** Some ranks of a world, all in this process, with their own communicators. */
export class CudaGroup implements RankGroup {
  readonly members: readonly number[];
  readonly topology: Topology;
  /** The ranks with their numbers in the world, in the order of the group. */
  readonly ranks: readonly LocalRank[];

  constructor(topology: Topology, ranks: readonly LocalRank[]) {
    this.topology = topology;
    this.ranks = Object.freeze([...ranks]);
    this.members = Object.freeze(ranks.map(({ rank }) => rank));
  }
}

/**
 * Creates the communicators of some of the ranks, in the order of `members`.
 *
 * @throws NcclError with NCCL's error
 */
export function splitGroup(nccl: NcclLibrary, world: readonly LocalRank[], members: readonly number[]): CudaGroup {
  const outs = world.map(() => new BigUint64Array(1));
  nccl.group(() => {
    world.forEach(({ rank, device, comm }, i) => {
      const key = members.indexOf(rank);
      device.makeCurrent();
      nccl.check('ncclCommSplit', comm, key < 0 ? ncclSplit.noColor : 0, Math.max(0, key), outs[i], 0);
    });
  });
  const ranks = members.map((member): LocalRank => {
    const index = world.findIndex(({ rank }) => rank === member);
    const found = world[index];
    if (found === undefined) throw new RangeError(`Rank ${member} is not a rank of this process.`);
    return { ...found, comm: Number(at(at(outs, index), 0)) };
  });
  const handles = ranks.map(({ comm }) => comm);
  return new CudaGroup(communicatorsOf(nccl, handles, members.length).topology, ranks);
}
