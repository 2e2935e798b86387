import { expectInteger } from '@nccl-ts/core';
import { hostCallLocation } from '@nccl-ts/kernel';
import type { DeviceBuffer, ExposedMemory } from '@nccl-ts/transport';
import { shown } from '../describe.ts';
import { invalidArgument, notSupported } from '../errors.ts';
import type { RankState } from '../rank/rank-state.ts';

/** The bytes of a buffer that a host may copy: all of them, or those of a window. */
export interface HostPart {
  readonly buffer: DeviceBuffer;
  readonly offset: number;
  readonly bytes: number;
}

/**
 * Copies `data` to the buffer, after the earlier launches on the rank's default stream have ended.
 */
export async function copyToDevice(
  owner: RankState,
  part: HostPart,
  data: ArrayBufferView,
  offset: number,
  what: string,
): Promise<void> {
  const at = hostCallLocation();
  checkRange(part.bytes, offset, data.byteLength, what);
  await owner.defaultStream.drain(what);
  owner.check(what);
  await owner.move(async () => owner.world.device.write(part.buffer, data, part.offset + offset, at));
}

/** Copies from the buffer, after the earlier launches on the rank's default stream have ended. */
export async function copyFromDevice<T extends ArrayBufferView>(
  owner: RankState,
  part: HostPart,
  into: T,
  offset: number,
  what: string,
): Promise<T> {
  if (!ArrayBuffer.isView(into)) throw invalidArgument(`${what}: it copies into a typed array; given ${shown(into)}.`);
  const at = hostCallLocation();
  checkRange(part.bytes, offset, into.byteLength, what);
  await owner.defaultStream.drain(what);
  owner.check(what);
  await owner.move(async () => owner.world.device.read(part.buffer, into, part.offset + offset, at));
  return into;
}

/**
 * Returns the buffer's memory itself, after the earlier launches on the rank's default stream have
 * ended.
 */
export async function exposed(owner: RankState, part: HostPart, what: string): Promise<ExposedMemory> {
  const { device, backend } = owner.world;
  await owner.defaultStream.drain(what);
  owner.check(what);
  if (device.expose === undefined) {
    throw notSupported(`${what}: backend ${backend.name} has no memory that a program could use; copy it with read().`);
  }
  return device.expose(part.buffer, part.offset, part.bytes);
}

function checkRange(total: number, offset: number, bytes: number, what: string): void {
  expectInteger(`${what}: offset`, offset, 0, total);
  if (offset + bytes > total) {
    throw invalidArgument(`${what}: ${bytes} bytes at offset ${offset} end past the memory's ${total} bytes.`);
  }
}
