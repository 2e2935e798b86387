import { at as itemAt } from '@nccl-ts/core';
import { readScalar, elementScalar, valueBytes, type ScalarValue, type Type } from '@nccl-ts/ir';
import { printedLine } from '@nccl-ts/transport';
import { printHeadWords } from '../emit-wgsl/print.ts';
import { launchStatusWords, printWords, worldStatus } from '../emit-wgsl/status-layout.ts';
import { stateWords } from '../emit-wgsl/value-type.ts';
import { blockIdxOf } from './fault.ts';
import type { LaunchGroup } from './group.ts';
import type { StatusBuffer } from './status.ts';

/**
 * Reads the lines that kernels have printed since the last call, and passes them to their streams.
 *
 * @param requested the words that the lines take, including lines for which there was no room
 */
export async function takePrinted(
  status: StatusBuffer,
  requested: number,
  groups: readonly LaunchGroup[],
): Promise<void> {
  const words = await status.words(worldStatus.printAt, Math.min(requested, printWords));
  status.write(worldStatus.printed, [0]);
  // Otherwise a later line that does not fit would appear to have the head of one of these.
  status.write(
    worldStatus.printAt,
    Array.from(words, () => 0),
  );
  const members = new Map(groups.flatMap((group) => group.members.map((member) => [member.slot, { group, member }])));
  for (let at = 0; at + printHeadWords <= words.length;) {
    const length = itemAt(words, at);
    // A line that did not fit has no head.
    if (length < printHeadWords || at + length > words.length) break;
    const slot = (itemAt(words, at + 2) - worldStatus.launches) / launchStatusWords;
    const found = members.get(slot);
    if (found !== undefined) {
      const { launch } = found.member;
      const { parts } = itemAt(found.group.code.source.prints, itemAt(words, at + 1));
      const view = new DataView(words.buffer, words.byteOffset + (at + printHeadWords) * 4);
      const who = {
        rank: launch.rank,
        blockIdx: blockIdxOf(itemAt(words, at + 3), launch.grid),
        thread: itemAt(words, at + 4),
      };
      launch.stream.print(printedLine(who, valuesOf(parts, view)));
    }
    at += length;
  }
  if (requested > printWords) {
    for (const stream of new Set(groups.flatMap((group) => group.members.map(({ launch }) => launch.stream)))) {
      stream.print(`[lines are missing: the kernels printed more at once than the ${printWords} words of the buffer]`);
    }
  }
}

function valuesOf(parts: readonly (string | Type)[], view: DataView): readonly (string | ScalarValue)[] {
  let at = 0;
  return parts.flatMap((part): readonly (string | ScalarValue)[] => {
    if (typeof part === 'string') return [part];
    const here = at;
    at += stateWords(part, false) * 4;
    if (part.kind !== 'scalar' && part.kind !== 'vector') return [view.getUint32(here, true)];
    const kind = elementScalar(part);
    const width = part.kind === 'vector' ? part.width : 1;
    const size = valueBytes(part) / width;
    return Array.from({ length: width }, (_, i) => readScalar(view, here + i * size, kind));
  });
}
