import type { ImportOptions, PtxFunction } from '@nccl-ts/ptx';
import type { RankDescription } from './describe-ranks.ts';
import type { Harness } from './harness.ts';
import type { HarnessKernel } from './harness-kernel.ts';
import { isTypedValue } from './memory/memory-type.ts';
import { layOutParameters } from './parameter-bytes.ts';
import type { HarnessArgument } from './memory/harness-argument.ts';

/**
 * Returns what is known about an entry's launches before the first, from the harness and from the
 * types of the arguments of all of them: words of the parameters, and if multicast addresses are
 * passed.
 */
export function knownWords(
  { devComm }: Harness,
  { known: given = {} }: HarnessKernel,
  described: readonly RankDescription[],
  launches: readonly (readonly HarnessArgument[])[],
  { params }: PtxFunction,
): Required<Pick<ImportOptions, 'known' | 'ranges' | 'multicast'>> {
  const { placed } = layOutParameters(params);
  const ranges = new Set<number>();
  const wordsOf = (args: readonly HarnessArgument[]): ReadonlyMap<number, bigint> => {
    const words = new Map<number, bigint>();
    for (const [i, arg] of args.entries()) {
      const parameter = placed[i];
      // A mismatch is reported at the launch.
      if (parameter === undefined || !isTypedValue(arg) || arg.type.bytes !== parameter.variable.bytes) continue;
      for (const { offset, value } of arg.type.known ?? []) words.set(parameter.offset + offset, value);
      for (const offset of arg.type.ranges ?? []) ranges.add(parameter.offset + offset);
    }
    return words;
  };
  const [first = new Map<number, bigint>(), ...others] = launches.map(wordsOf);
  // A word is known if all launches have the same.
  const known = new Map([...first].filter(([offset, value]) => others.every((one) => one.get(offset) === value)));
  for (const [offset, value] of Object.entries(given)) known.set(Number(offset), BigInt(value));
  const multicast = devComm?.lsaMultimem === true || described.some(({ usesMulticast }) => usesMulticast());
  return { known, ranges, multicast };
}
