import type { ImportOptions, PtxFunction } from '@nccl-ts/ptx';
import { describeRanks } from './describe-ranks.ts';
import type { Harness } from './harness.ts';
import { isTypedValue } from './memory/memory-type.ts';
import { layOutParameters } from './parameter-bytes.ts';
import { argumentsOf } from './run-rank.ts';

/**
 * Returns what is known about an entry's launches before the first, from the harness and from the
 * types of its arguments: words of the parameters, and if multicast addresses are passed.
 */
export function knownWords(
  harness: Harness,
  nRanks: number,
  { params }: PtxFunction,
): Required<Pick<ImportOptions, 'known' | 'ranges' | 'multicast'>> {
  const known = new Map<number, bigint>();
  const ranges = new Set<number>();
  const described = describeRanks(harness, nRanks);
  const [first] = described;
  const { placed } = layOutParameters(params);
  for (const [i, arg] of (first === undefined ? [] : argumentsOf(first, 0)).entries()) {
    const parameter = placed[i];
    // A mismatch is reported at the launch.
    if (parameter === undefined || !isTypedValue(arg) || arg.type.bytes !== parameter.variable.bytes) continue;
    for (const { offset, value } of arg.type.known ?? []) known.set(parameter.offset + offset, value);
    for (const offset of arg.type.ranges ?? []) ranges.add(parameter.offset + offset);
  }
  for (const [offset, value] of Object.entries(harness.known)) known.set(Number(offset), BigInt(value));
  const multicast = harness.devComm?.lsaMultimem === true || described.some(({ usesMulticast }) => usesMulticast());
  return { known, ranges, multicast };
}
