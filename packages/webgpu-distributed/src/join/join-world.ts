import { acquireDevice, type AcquiredDevice } from '@nccl-ts/backend-webgpu/devices';
import { expectInteger, NcclError } from '@nccl-ts/core';
import type { ProcessRank } from '@nccl-ts/transport';
import { RemoteWorld } from '../client/remote-world.ts';
import { rankEnd } from '../messages/connection.ts';
import { deserializeError } from '../messages/serialized-error.ts';
import type { ResolvedDistributedOptions } from '../options/resolve-distributed-options.ts';
import { describeDevice, GpuServer } from '../remote-gpu/gpu-server.ts';
import type { DistributedWebgpuWorld } from '../world/distributed-world.ts';
import { hostWorld } from './host-world.ts';
import { sharedOptions, type JoinOptions } from './join-options.ts';
import { announce, whenGone } from './liveness.ts';

/** NCCL's length. The name of the channel uses a part of it. */
const ID_BYTES = 128;
const NAME_BYTES = 24;

/** The identifier by which the ranks of one world find each other: a unique name. */
export function createUniqueId(): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(ID_BYTES));
}

/**
 * Joins a world whose ranks are in separate workers or tabs, each with a device. Resolves when all
 * have joined. The world runs in rank 0's worker or tab, and uses the others' devices from there.
 * It exchanges messages with each of them over a channel.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the options are invalid, or differ from those of
 *   rank 0.
 */
export async function joinWorld(join: JoinOptions, given: ProcessRank): Promise<DistributedWebgpuWorld> {
  const { rank, name } = resolveRank(join.options, given);
  const device = await acquireDevice(join.options);
  try {
    return await (rank === 0 ? hostWorld(join, device, name) : joinHost(join, device, rank, name));
  } catch (error) {
    device.dispose();
    throw error;
  }
}

function resolveRank(
  options: ResolvedDistributedOptions,
  given: ProcessRank,
): { readonly rank: number; readonly name: string } {
  const { nRanks = options.ranks, uniqueId } = given;
  if (nRanks !== options.ranks) {
    throw invalid(
      `nRanks and the backend's ranks must be the same; given ${nRanks} and distributedWebgpu({ ranks: ${options.ranks} }).`,
    );
  }
  if (options.devices.length > 1) throw invalid('devices must be 1 if each rank has its own worker or tab.');
  const rank = expectInteger('rank', given.rank, 0, nRanks - 1);
  if (uniqueId === undefined && nRanks > 1) {
    throw invalid(
      'The workers or tabs of a world find each other by a unique id: pass uniqueId, made by one of them with ' +
        'Communicator.getUniqueId and passed to all.',
    );
  }
  if (uniqueId !== undefined && uniqueId.length !== ID_BYTES) {
    throw invalid(`uniqueId must have ${ID_BYTES} bytes; given ${uniqueId.length}.`);
  }
  const digits = Array.from(uniqueId?.subarray(0, NAME_BYTES) ?? [], (byte) => byte.toString(16).padStart(2, '0'));
  return { rank, name: `nccl-ts/${digits.join('')}` };
}

/** Joins the world that rank 0 hosts. */
async function joinHost(
  join: JoinOptions,
  device: AcquiredDevice,
  rank: number,
  name: string,
): Promise<DistributedWebgpuWorld> {
  const leave = await announce(`${name}/${rank}`);
  const end = rankEnd(`${name}/${rank}`);
  const release = (): void => {
    end.close();
    leave();
  };
  try {
    const serving = new GpuServer(device, (message) => end.send({ kind: 'gpu', message }));
    const request = { kind: 'join', options: sharedOptions(join.options), device: describeDevice(device) } as const;
    let stop: (() => void) | undefined;
    const world = new RemoteWorld({
      rank,
      topology: join.topology,
      device,
      end,
      onStall: join.world.onStall,
      onCompile: () => undefined,
      onClosed: async () => {
        stop?.();
        release();
        device.dispose();
      },
    });
    await new Promise<void>((resolve, reject) => {
      end.onMessage = (message) => {
        // Rank 0 announces itself before it sends messages.
        stop ??= whenGone(`${name}/0`, () => {
          const gone = new NcclError('NCCL_REMOTE_ERROR', 'The worker or tab of rank 0, which ran the world, is gone.');
          world.lose(gone);
          reject(gone);
        });
        if (message.kind === 'open') end.send(request);
        else if (message.kind === 'gpu') serving.receive(message.calls);
        else if (message.kind === 'joined') resolve();
        else if (message.kind === 'refused') reject(deserializeError(message.error));
        else world.receive(message);
      };
      end.send(request);
    });
    return world;
  } catch (error) {
    release();
    throw error;
  }
}

function invalid(message: string): NcclError {
  return new NcclError('NCCL_INVALID_ARGUMENT', message);
}
