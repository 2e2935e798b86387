import { debugLog } from '@nccl-ts/core';
import type { RankGroup, StreamHandle } from '@nccl-ts/transport';
import { notSupported, settleAll } from '../errors.ts';
import { CommunicatorGroup } from './group.ts';
import { RankState } from './rank-state.ts';
import { Shared } from './shared.ts';
import type { WorldState } from './world-state.ts';

/**
 * Creates a communicator for the owners in each of the lists, in the order of the list.
 *
 * @returns each owner's new communicator
 */
export async function derive(lists: readonly (readonly RankState[])[]): Promise<ReadonlyMap<RankState, RankState>> {
  const made = new Map<RankState, RankState>();
  try {
    for (const owners of lists) await deriveOne(owners, made);
    return made;
  } catch (error) {
    // The caller must get the first error.
    const endings = [...made.values()].map((state) => async () => state.close());
    await settleAll(endings, 'a communicator').catch(() => undefined);
    throw error;
  }
}

async function deriveOne(owners: readonly RankState[], made: Map<RankState, RankState>): Promise<void> {
  const [first] = owners;
  if (first === undefined) return;
  const { world } = first;
  const { device, lifecycle } = world;
  const members = owners.map(({ worldRank }) => worldRank);
  const handle = await groupOf(world, members);
  const streams = await streamsOf(world, members).catch(async (error: unknown) => {
    if (handle !== undefined) await device.destroyGroup?.(handle).catch(() => undefined);
    throw error;
  });
  const group = new CommunicatorGroup(world, handle);
  world.groups.add(group);
  const shared = new Shared(group, owners.length, async () => {
    world.groups.delete(group);
    if (handle !== undefined && lifecycle.isAlive) await device.destroyGroup?.(handle);
  });
  debugLog('communicator', () => `of ranks ${members.join(', ')}`);
  for (const [rank, stream] of streams.entries()) {
    const owner = owners[rank];
    if (owner !== undefined) made.set(owner, new RankState(world, group, rank, stream, shared));
  }
}

/**
 * Creates a default stream for each of the ranks. If one cannot be created, the others are
 * destroyed.
 */
async function streamsOf({ device }: WorldState, members: readonly number[]): Promise<readonly StreamHandle[]> {
  const streams: StreamHandle[] = [];
  try {
    for (const member of members) streams.push(await device.createStream(member));
    return streams;
  } catch (error) {
    const endings = streams.map((stream) => async () => device.destroyStream(stream));
    await settleAll(endings, 'a communicator').catch(() => undefined);
    throw error;
  }
}

/** @returns undefined for the unchanged world, which every backend supports */
async function groupOf(world: WorldState, members: readonly number[]): Promise<RankGroup | undefined> {
  const { device, backend } = world;
  if (members.length === device.topology.nRanks && members.every((member, rank) => member === rank)) return undefined;
  if (device.createGroup === undefined) {
    throw notSupported(
      `A communicator of ${members.length} of the world's ${device.topology.nRanks} ranks, or of all in another order: ` +
        `backend ${backend.name} does not support it. Open a separate world for these ranks, or use a team of the world.`,
    );
  }
  return device.createGroup(members);
}
