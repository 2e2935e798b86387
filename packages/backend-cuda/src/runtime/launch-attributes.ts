import type { LaunchAttributes } from '@nccl-ts/transport';
import { cuLaunchAttribute, cuMemSyncDomain } from '../ffi/cu-constants.ts';
import type { LaunchAttribute } from '../ffi/launch-struct.ts';

const none: readonly LaunchAttribute[] = Object.freeze([]);
const known = new Map<string, readonly LaunchAttribute[]>();

/**
 * Returns the attributes in the driver's form. Equal attributes give the same array. With
 * `overlaps`, the kernel itself waits for earlier work, so the device need not.
 */
export function driverAttributes(
  attributes: LaunchAttributes | undefined,
  overlaps: boolean,
): readonly LaunchAttribute[] {
  if (attributes === undefined && !overlaps) return none;
  const { memSyncDomain, cooperative = false } = attributes ?? {};
  // All CTAs of a cooperative launch start together, so they must not occupy room while they wait
  // for those before them.
  const programmaticStreamSerialization = attributes?.programmaticStreamSerialization ?? (overlaps && !cooperative);
  const key = `${memSyncDomain ?? ''} ${cooperative} ${programmaticStreamSerialization}`;
  let found = known.get(key);
  if (found === undefined) {
    found = Object.freeze([
      ...(memSyncDomain === undefined
        ? []
        : [{ id: cuLaunchAttribute.memSyncDomain, words: [cuMemSyncDomain[memSyncDomain]] }]),
      ...(cooperative ? [{ id: cuLaunchAttribute.cooperative, words: [1] }] : []),
      ...(programmaticStreamSerialization
        ? [{ id: cuLaunchAttribute.programmaticStreamSerialization, words: [1] }]
        : []),
    ]);
    known.set(key, found);
  }
  return found;
}
