import { harnessProgram, ranksToCheck, translate, type Harness } from '@nccl-ts/harness';
import { edited, type OfferedProgram, type RelaxReport } from '@nccl-ts/relax';
import type { PtxText } from '../module/read-ptx.ts';

/** The launches of a harness, with the offers of a report. */
export function offeredHarness(
  harness: Harness,
  { name, text, source }: PtxText,
  { places, joint }: RelaxReport,
): OfferedProgram {
  const [ranks] = ranksToCheck(harness);
  const edits = places.map(({ place, weakening }) =>
    weakening === undefined ? undefined : { span: place.span, with: weakening.text },
  );
  return {
    ranks,
    offers: new Map(
      places.flatMap(({ place, weakening }, i) => (weakening === undefined ? [] : [[i, place.instruction]])),
    ),
    joint,
    withOffers: (chosen) => {
      const changed = edited(
        text,
        chosen.flatMap((index) => edits[index] ?? []),
      );
      return harnessProgram(harness, translate(harness, changed, { name, ranks, source }));
    },
  };
}
