import { expectInteger, reading, scalarInfo, takeOptions, type NcclError, type ScalarKind } from '@nccl-ts/core';
import { hasWindowFlag, isWindowFlags, WIN_ALIGNMENT, WindowFlags } from '@nccl-ts/window';
import { shown } from '../describe.ts';
import { elementOf, type ElementType } from './element-type.ts';
import { invalidArgument, notSupported } from '../errors.ts';
import { AllocatedMemory, type DeviceMemory } from './memory.ts';
import type { RankState } from '../rank/rank-state.ts';
import { RegisteredWindow, type HostWindow } from './window.ts';
import { windowAllocations, windowRegistrations } from './window-registration.ts';

export interface AllocWindowOptions {
  /** @default `CollSymmetric` */
  readonly flags?: WindowFlags;
  /**
   * The window's name in findings and errors, if the backend reports them. It must be the same on
   * all ranks.
   *
   * @default a number
   */
  readonly name?: string;
}

export interface RegisterWindowOptions {
  /** The first byte, a multiple of 4096. @default 0 */
  readonly offset?: number;
  /** The number of bytes. @default all that follow the offset */
  readonly bytes?: number;
  /** @default `CollSymmetric` */
  readonly flags?: WindowFlags;
  /** If true, throws if there is no symmetric memory, instead of returning null. @default false */
  readonly required?: boolean;
}

/** Allocates a window of `count` elements on all ranks: see `Communicator.allocWindow`. */
export async function allocWindow<K extends ScalarKind>(
  owner: RankState,
  type: ElementType<K>,
  count: number,
  options: AllocWindowOptions,
): Promise<HostWindow<K>> {
  const what = 'allocWindow';
  owner.checkActive(what);
  const taken = takeOptions(what, options, { flags: true, name: true });
  const element = elementOf(type, what);
  const elementBytes = scalarInfo[element.scalar].bytes * element.width;
  expectInteger(`${what}: count`, count, 1, Math.floor(Number.MAX_SAFE_INTEGER / elementBytes));
  const bytes = count * elementBytes;
  const flags = flagsOf(taken.flags, what);
  checkNetwork(owner, flags, what);
  if (!owner.properties.deviceApiSupport) throw withoutSymmetricMemory(owner, what);
  const { collectiveContext: context, rendezvous } = owner.group;
  const name = nameOf(taken.name, what);
  const requested = { bytes: String(bytes), flags: flagsText(flags), ...(name === undefined ? {} : { name }) };
  const { shared, memories } = await rendezvous.meet(owner.rank, windowAllocations.at(context), requested, {
    owner,
    bytes,
    flags,
    ...(name === undefined ? {} : { name }),
  });
  const memory = memories.get(owner);
  if (memory === undefined) throw new RangeError(`No memory was made for rank ${owner.rank}.`);
  return owner.adopt(
    new RegisteredWindow({ owner, type: element.scalar, memory, shared, offset: 0, ownsMemory: true }),
    what,
  );
}

/** Registers memory of each rank as a window: see `Communicator.registerWindow`. */
export async function registerWindow<K extends ScalarKind>(
  owner: RankState,
  memory: DeviceMemory,
  type: ElementType<K>,
  options: RegisterWindowOptions,
): Promise<HostWindow<K> | null> {
  const what = 'registerWindow';
  owner.checkActive(what);
  const own = ownMemory(owner, memory, what);
  const element = elementOf(type, what);
  const flags = flagsOf(options.flags, what);
  const { offset = 0, bytes = own.bytes - offset } = options;
  checkRange(own, offset, bytes, what);
  checkNetwork(owner, flags, what);
  if (!owner.properties.deviceApiSupport) {
    if (options.required === true) throw withoutSymmetricMemory(owner, what);
    return null;
  }
  const { collectiveContext: context, rendezvous } = owner.group;
  const requested = { bytes: String(bytes), flags: flagsText(flags) };
  const { shared } = await rendezvous.meet(owner.rank, windowRegistrations.at(context), requested, {
    memory: own,
    offset,
    bytes,
    flags,
  });
  return owner.adopt(
    new RegisteredWindow({ owner, type: element.scalar, memory: own, shared, offset, ownsMemory: false }),
    what,
  );
}

/** @throws NcclError if a window requires a network or a fabric that does not exist. */
function checkNetwork({ world, properties }: RankState, flags: WindowFlags, what: string): void {
  if (hasWindowFlag(flags, WindowFlags.CftCounted) && !properties.cftCountedSupport) {
    throw notSupported(
      `${what}: cannot register a window with counted endpoints (WindowFlags.CftCounted) because these ranks have ` +
        `none; leave the flag out. Backend: ${world.backend.name}.`,
    );
  }
  if (!hasWindowFlag(flags, WindowFlags.GinOnly) || properties.ginSupport.length > 0) return;
  throw notSupported(
    `${what}: cannot register a window for GIN alone (WindowFlags.GinOnly) because these ranks have no network; ` +
      `leave the flag out. Backend: ${world.backend.name}.`,
  );
}

function withoutSymmetricMemory({ world }: RankState, what: string): NcclError {
  return notSupported(
    `${what}: the ranks of this world have no symmetric memory; given backend ${world.backend.name}.`,
  );
}

function isAllocated(memory: unknown, what: string): memory is AllocatedMemory {
  return reading(what, () => memory instanceof AllocatedMemory);
}

/** @throws NcclError if `memory` is not memory of this communicator's device, or was freed. */
export function ownMemory(owner: RankState, memory: unknown, what: string): AllocatedMemory {
  if (!isAllocated(memory, what)) {
    throw invalidArgument(`${what}: memory must come from memAlloc or adoptMemory; given ${shown(memory)}.`);
  }
  if (memory.owner.world !== owner.world || memory.owner.worldRank !== owner.worldRank) {
    throw invalidArgument(
      `${what}: the memory belongs to rank ${memory.rank} or another world; this is rank ${owner.rank}.`,
    );
  }
  memory.check(what);
  return memory;
}

function checkRange(memory: AllocatedMemory, offset: number, bytes: number, what: string): void {
  expectInteger(`${what}: offset`, offset, 0, memory.bytes - 1);
  if (offset % WIN_ALIGNMENT !== 0) {
    throw invalidArgument(`${what}: offset must be a multiple of ${WIN_ALIGNMENT}; given ${offset}.`);
  }
  expectInteger(`${what}: bytes`, bytes, 1, memory.bytes - offset);
}

function flagsOf(flags: unknown, what: string): WindowFlags {
  if (flags === undefined) return WindowFlags.CollSymmetric;
  if (isWindowFlags(flags)) return flags;
  throw invalidArgument(`${what}: flags must be a combination of WindowFlags, 0 to 15; given ${shown(flags)}.`);
}

function nameOf(name: unknown, what: string): string | undefined {
  if (name === undefined) return undefined;
  if (typeof name === 'string' && name !== '') return name;
  throw invalidArgument(`${what}: name must be a text that is not empty; given ${shown(name)}.`);
}

function flagsText(flags: WindowFlags): string {
  const names = [
    ...(hasWindowFlag(flags, WindowFlags.CollSymmetric) ? ['CollSymmetric'] : []),
    ...(hasWindowFlag(flags, WindowFlags.StrictOrdering) ? ['StrictOrdering'] : []),
    ...(hasWindowFlag(flags, WindowFlags.GinOnly) ? ['GinOnly'] : []),
    ...(hasWindowFlag(flags, WindowFlags.CftCounted) ? ['CftCounted'] : []),
  ];
  return names.length === 0 ? 'Default' : names.join(' | ');
}
