import { expectInteger } from '@nccl-ts/core';
import type { DeviceBuffer } from '@nccl-ts/transport';
import { invalidArgument } from './errors.ts';
import type { RankState } from './rank-state.ts';

/** Copies `data` to the buffer once the launches made before on the rank's default stream have ended. */
export async function copyToDevice(
  owner: RankState,
  buffer: DeviceBuffer,
  data: ArrayBufferView,
  offset: number,
  what: string,
): Promise<void> {
  checkRange(buffer.bytes, offset, data.byteLength, what);
  await owner.defaultStream.drain(what);
  owner.check(what);
  await owner.move(async () => owner.world.device.write(buffer, data, offset));
}

/** Copies from the buffer once the launches made before on the rank's default stream have ended. */
export async function copyFromDevice<T extends ArrayBufferView>(
  owner: RankState,
  buffer: DeviceBuffer,
  into: T,
  offset: number,
  what: string,
): Promise<T> {
  checkRange(buffer.bytes, offset, into.byteLength, what);
  await owner.defaultStream.drain(what);
  owner.check(what);
  await owner.move(async () => owner.world.device.read(buffer, into, offset));
  return into;
}

function checkRange(total: number, offset: number, bytes: number, what: string): void {
  expectInteger(`${what}: offset`, offset, 0, total);
  if (offset + bytes > total) {
    throw invalidArgument(`${what}: ${bytes} bytes at offset ${offset} end past the ${total} bytes that there are.`);
  }
}
