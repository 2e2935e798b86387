import { AcquiredDevice } from '@nccl-ts/backend-webgpu/devices';
import { createMacrotaskQueue, NcclError } from '@nccl-ts/core';
import { RemoteWorld } from '../client/remote-world.ts';
import { loop, worldEnd, type WorldEnd } from '../messages/connection.ts';
import { serializeError } from '../messages/serialized-error.ts';
import type { SharedOptions, ToWorld } from '../messages/world-messages.ts';
import type { DeviceDescription } from '../remote-gpu/gpu-messages.ts';
import { RemoteGpu } from '../remote-gpu/remote-gpu.ts';
import { WorldServer } from '../server/world-server.ts';
import { createWorld } from '../world/create-world.ts';
import type { DistributedWebgpuWorld } from '../world/distributed-world.ts';
import { optionDifferences, sharedOptions, type JoinOptions } from './join-options.ts';
import { announce, whenGone } from './liveness.ts';

/** A rank that has joined, as the world sees it. */
interface JoinedRank {
  readonly end: WorldEnd;
  readonly remote: RemoteGpu;
  readonly device: AcquiredDevice;
}

/**
 * Opens the world in this worker or tab, which has rank 0, when all other ranks have joined it.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the options of another rank differ
 */
export async function hostWorld(
  join: JoinOptions,
  device: AcquiredDevice,
  name: string,
): Promise<DistributedWebgpuWorld> {
  const { options, capabilities, topology } = join;
  const leave = await announce(`${name}/0`);
  let server: WorldServer | undefined;
  const ends: WorldEnd[] = [];
  const release = (): void => {
    for (const end of ends) end.close();
    leave();
  };
  try {
    const others = Array.from({ length: topology.nRanks - 1 }, (_, i) => i + 1);
    const joined = await Promise.all(
      others.map(async (rank) => {
        const end = worldEnd(`${name}/${rank}`);
        ends.push(end);
        return acceptRank(end, sharedOptions(options), (message) => server?.receive(rank, message));
      }),
    );
    const devices = [device, ...joined.map((rank) => rank.device)] as const;
    const world = await createWorld(devices, topology, {
      ...options,
      onStall: (error) => server?.reportStall(error),
    });
    const local = loop();
    const serving = new WorldServer(world, capabilities, [local.world, ...joined.map(({ end }) => end)]);
    server = serving;
    local.world.onMessage = (message) => serving.receive(0, message);
    for (const one of devices) one.onLost((error) => serving.end(error));
    const watches = joined.map(({ remote }, i) =>
      whenGone(`${name}/${i + 1}`, () => remote.lose('unknown', `the worker or tab of rank ${i + 1} is gone`)),
    );
    void stopWhenEnded(serving, watches);
    const own = new RemoteWorld({
      rank: 0,
      topology,
      device,
      end: local.rank,
      onStall: join.world.onStall,
      onCompile: ({ sources }) => serving.addSources(sources),
      onClosed: async () => {
        // Messages in flight to the others are delivered first.
        const queue = createMacrotaskQueue();
        await new Promise<void>((resolve) => queue.post(resolve));
        queue.close();
        const error = serializeError(
          serving.failure ?? new NcclError('NCCL_REMOTE_ERROR', 'Rank 0, which ran the world, has closed it.'),
        );
        for (const { end } of joined) end.send({ kind: 'ended', error });
        await world[Symbol.asyncDispose]();
        release();
      },
    });
    local.rank.onMessage = (message) => own.receive(message);
    for (const { end } of joined) end.send({ kind: 'joined' });
    return own;
  } catch (error) {
    for (const end of ends) end.send({ kind: 'refused', error: serializeError(error) });
    release();
    throw error;
  }
}

/** If a worker or tab ends after the world, this is not an error. */
async function stopWhenEnded(server: WorldServer, watches: readonly (() => void)[]): Promise<void> {
  await server.ended;
  for (const stop of watches) stop();
}

/** Waits for a rank to join, and makes its device usable here. `receive` gets its later messages. */
async function acceptRank(
  end: WorldEnd,
  shared: SharedOptions,
  receive: (message: ToWorld) => void,
): Promise<JoinedRank> {
  return new Promise((resolve, reject) => {
    let remote: RemoteGpu | undefined;
    end.onMessage = (message) => {
      if (message.kind === 'gpu') remote?.receive(message.message);
      else if (message.kind !== 'join') receive(message);
      else if (remote === undefined) {
        const differing = optionDifferences(shared, message.options);
        if (differing !== '') {
          reject(
            new NcclError(
              'NCCL_INVALID_ARGUMENT',
              `The ranks disagree on the backend's options, rank 0 / another: ${differing}.`,
            ),
          );
          return;
        }
        remote = remoteGpu(end, message.device);
        const { device } = remote;
        resolve({ end, remote, device: new AcquiredDevice(device, message.device.owned, device.adapterInfo) });
      }
    };
    // A rank that began before receives this and joins again. A rank that begins later joins by
    // itself.
    end.send({ kind: 'open' });
  });
}

function remoteGpu(end: WorldEnd, description: DeviceDescription): RemoteGpu {
  return new RemoteGpu(description, (calls) => end.send({ kind: 'gpu', calls }));
}
