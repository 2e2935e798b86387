import { createMacrotaskQueue, expectInteger, NcclError, showValue } from '@nccl-ts/core';
import type { Capabilities } from '@nccl-ts/ir';
import type { Topology } from '@nccl-ts/topology';
import type { OpenWorldOptions, ProcessPlace } from '@nccl-ts/transport';
import { acquireDevice } from '../gpu/acquire-device.ts';
import { AcquiredDevice } from '../gpu/acquired-device.ts';
import type { ResolvedWebgpuOptions } from '../resolve-webgpu-options.ts';
import { createWebgpuWorld, type WebgpuWorld } from '../webgpu-world.ts';
import type { DeviceDescription } from './gpu-messages.ts';
import { describeDevice, GpuServer } from './gpu-server.ts';
import { PlaceWorld } from './place-world.ts';
import { announce, whenGone } from './presence.ts';
import { RemoteGpu } from './remote-gpu.ts';
import { receiveError, sendError } from './sent-error.ts';
import { loop, placeEnd, worldEnd, type WorldEnd } from './wire.ts';
import { WorldServer } from './world-server.ts';
import type { ToWorld, WorldTerms } from './world-messages.ts';

/** The options that a world's members share, and those of this one. */
export interface PlaceOptions {
  readonly options: ResolvedWebgpuOptions;
  readonly capabilities: Capabilities;
  readonly topology: Topology;
  readonly world: OpenWorldOptions;
}

/** NCCL's length. The name of the channel uses a part of it. */
const ID_BYTES = 128;
const NAME_BYTES = 24;

/** The identifier by which the members of one world find each other: a unique name. */
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
export async function openPlace(place: PlaceOptions, given: ProcessPlace): Promise<WebgpuWorld> {
  const { rank, name } = resolvePlace(place.options, given);
  const device = await acquireDevice(place.options);
  try {
    return await (rank === 0 ? host(place, device, name) : join(place, device, rank, name));
  } catch (error) {
    device.dispose();
    throw error;
  }
}

function resolvePlace(
  options: ResolvedWebgpuOptions,
  given: ProcessPlace,
): { readonly rank: number; readonly name: string } {
  const { nRanks = options.ranks, uniqueId } = given;
  if (nRanks !== options.ranks) {
    throw invalid(
      `nRanks and the backend's ranks must be the same; given ${nRanks} and webgpu({ ranks: ${options.ranks} }).`,
    );
  }
  if (options.others.length > 0) throw invalid('devices must be 1 if each rank has its own worker or tab.');
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

/** A member that has joined, as the world sees it. */
interface Guest {
  readonly end: WorldEnd;
  readonly remote: RemoteGpu;
  readonly device: AcquiredDevice;
}

async function host(place: PlaceOptions, device: AcquiredDevice, name: string): Promise<WebgpuWorld> {
  const { options, capabilities, topology } = place;
  const leave = await announce(`${name}/0`);
  let server: WorldServer | undefined;
  const ends: WorldEnd[] = [];
  const release = (): void => {
    for (const end of ends) end.close();
    leave();
  };
  try {
    const others = Array.from({ length: topology.nRanks - 1 }, (_, i) => i + 1);
    const guests = await Promise.all(
      others.map(async (rank) => {
        const end = worldEnd(`${name}/${rank}`);
        ends.push(end);
        return receive(end, termsOf(options), (message) => server?.take(rank, message));
      }),
    );
    const devices = guests.map((guest) => guest.device);
    const world = await createWebgpuWorld(device, devices, topology, {
      ...options,
      onStall: (error) => server?.stalled(error),
    });
    const own = loop();
    const serving = new WorldServer(world, capabilities, [own.world, ...guests.map(({ end }) => end)]);
    server = serving;
    own.world.onMessage = (message) => serving.take(0, message);
    for (const one of [device, ...devices]) one.onLost((error) => serving.end(error));
    const watches = guests.map(({ remote }, i) =>
      whenGone(`${name}/${i + 1}`, () => remote.lose('unknown', `the worker or tab of rank ${i + 1} is gone`)),
    );
    void stopWhenEnded(serving, watches);
    const far = new PlaceWorld({
      rank: 0,
      topology,
      device,
      end: own.place,
      onStall: place.world.onStall,
      onCompile: ({ sources }) => serving.know(sources),
      onClosed: async () => {
        // Messages in flight to the others are delivered first.
        const queue = createMacrotaskQueue();
        await new Promise<void>((resolve) => queue.post(resolve));
        queue.close();
        const error = sendError(
          serving.failure ?? new NcclError('NCCL_REMOTE_ERROR', 'Rank 0, which ran the world, has closed it.'),
        );
        for (const { end } of guests) end.send({ kind: 'over', error });
        await world[Symbol.asyncDispose]();
        release();
      },
    });
    own.place.onMessage = (message) => far.take(message);
    for (const { end } of guests) end.send({ kind: 'welcome' });
    return far;
  } catch (error) {
    for (const end of ends) end.send({ kind: 'refused', error: sendError(error) });
    release();
    throw error;
  }
}

/** If a member leaves a world that has ended, this is not an error. */
async function stopWhenEnded(server: WorldServer, watches: readonly (() => void)[]): Promise<void> {
  await server.ended;
  for (const stop of watches) stop();
}

/**
 * Waits for a member to join, and makes its device usable here. `take` receives its later messages.
 */
async function receive(end: WorldEnd, terms: WorldTerms, take: (message: ToWorld) => void): Promise<Guest> {
  return new Promise((resolve, reject) => {
    let remote: RemoteGpu | undefined;
    end.onMessage = (message) => {
      if (message.kind === 'gpu') remote?.take(message.news);
      else if (message.kind !== 'join') take(message);
      else if (remote === undefined) {
        const differing = differences(terms, message.terms);
        if (differing !== '') {
          reject(invalid(`The ranks disagree on the backend's options, rank 0 / another: ${differing}.`));
          return;
        }
        remote = remoteGpu(end, message.device);
        const { device } = remote;
        resolve({ end, remote, device: new AcquiredDevice(device, message.device.owned, device.adapterInfo) });
      }
    };
    // The member may have come before, and then receives this. If it comes later, it reports
    // itself.
    end.send({ kind: 'come' });
  });
}

function remoteGpu(end: WorldEnd, description: DeviceDescription): RemoteGpu {
  return new RemoteGpu(description, (calls) => end.send({ kind: 'gpu', calls }));
}

async function join(place: PlaceOptions, device: AcquiredDevice, rank: number, name: string): Promise<WebgpuWorld> {
  const leave = await announce(`${name}/${rank}`);
  const end = placeEnd(`${name}/${rank}`);
  const release = (): void => {
    end.close();
    leave();
  };
  try {
    const serving = new GpuServer(device, (news) => end.send({ kind: 'gpu', news }));
    const coming = { kind: 'join', terms: termsOf(place.options), device: describeDevice(device) } as const;
    let stop: (() => void) | undefined;
    const world = new PlaceWorld({
      rank,
      topology: place.topology,
      device,
      end,
      onStall: place.world.onStall,
      onCompile: () => undefined,
      onClosed: async () => {
        stop?.();
        release();
        device.dispose();
      },
    });
    await new Promise<void>((resolve, reject) => {
      end.onMessage = (message) => {
        // A member that has sent a message has joined.
        stop ??= whenGone(`${name}/0`, () => {
          const gone = new NcclError('NCCL_REMOTE_ERROR', 'The worker or tab of rank 0, which ran the world, is gone.');
          world.lose(gone);
          reject(gone);
        });
        if (message.kind === 'come') end.send(coming);
        else if (message.kind === 'gpu') serving.take(message.calls);
        else if (message.kind === 'welcome') resolve();
        else if (message.kind === 'refused') reject(receiveError(message.error));
        else world.take(message);
      };
      end.send(coming);
    });
    return world;
  } catch (error) {
    release();
    throw error;
  }
}

function termsOf({ ranks, lsaSize, exact, checks, fuel, memoryBytes }: ResolvedWebgpuOptions): WorldTerms {
  return { ranks, lsaSize, exact, checks, fuel, memoryBytes };
}

function differences(ours: WorldTerms, theirs: WorldTerms): string {
  const others = new Map<string, unknown>(Object.entries(theirs));
  return Object.entries(ours)
    .filter(([name, value]) => others.get(name) !== value)
    .map(([name, value]) => `${name} ${showValue(value)} / ${showValue(others.get(name))}`)
    .join(', ');
}

function invalid(message: string): NcclError {
  return new NcclError('NCCL_INVALID_ARGUMENT', message);
}
