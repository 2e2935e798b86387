import { shown } from '../describe.ts';
import { invalidArgument, notSupported } from '../errors.ts';
import { AllocatedMemory, type DeviceMemory } from './memory.ts';
import type { RankState } from '../rank/rank-state.ts';

/** Adopts memory of the program: see `Communicator.adoptMemory`. */
export async function adoptMemory(owner: RankState, foreign: object): Promise<DeviceMemory> {
  const what = 'adoptMemory';
  owner.check(what);
  const given: unknown = foreign;
  if (typeof given !== 'object' || given === null) {
    throw invalidArgument(`${what}: the memory must be an object, such as a GPUBuffer; given ${shown(given)}.`);
  }
  const { world, worldRank } = owner;
  const { device, backend } = world;
  if (device.adopt === undefined) {
    throw notSupported(
      `${what}: backend ${backend.name} takes no memory of the program's; allocate it with memAlloc(bytes) or ` +
        'allocWindow(type, count), and copy, or see expose().',
    );
  }
  const adopt = device.adopt.bind(device);
  const buffer = await owner.move(async () => adopt(worldRank, given));
  return owner.adopt(new AllocatedMemory(owner, buffer), what);
}
