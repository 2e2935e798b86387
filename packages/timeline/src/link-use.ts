import type { Process, Slice } from '@nccl-ts/core';

/** The links of a rank: to peers whose memory it can load and store, and to the network. */
export const links = ['peer loads', 'peer stores', 'network'] as const;
export type LinkName = (typeof links)[number];

/** The bytes of a rank on one of its links, over time. */
export interface LinkUse {
  readonly link: LinkName;
  /**
   * The rate in bytes per nanosecond, which is GB/s, from each `time` in nanoseconds. There are at
   * least two points, sorted by time.
   */
  readonly points: readonly { readonly time: number; readonly rate: number }[];
  /** The total number of bytes. */
  readonly bytes: number;
}

/** The argument of a slice with its bytes on a link. */
const argument: Readonly<Record<LinkName, string>> = {
  'peer loads': 'loads',
  'peer stores': 'stores',
  network: 'bytes',
};

/**
 * Returns the use of each link that a rank uses. The bytes of a slice are spread evenly over its
 * time. `compute` slices have them in `loads` and `stores`, and `network` slices in `bytes`.
 */
export function linkUses({ tracks }: Process): readonly LinkUse[] {
  const all = tracks.flatMap((track) => track.slices);
  return links.flatMap((link) => {
    const category = link === 'network' ? 'network' : 'compute';
    const slices = all.filter((slice) => slice.category === category);
    const moved = slices.map((slice) => ({ slice, bytes: bytesOf(slice, argument[link]) }));
    const used = moved.filter(({ slice, bytes }) => bytes > 0 && slice.end > slice.start);
    if (used.length === 0) return [];
    const steps = used.flatMap(({ slice: { start, end }, bytes }) => {
      const rate = bytes / (end - start);
      return [
        { time: start, change: rate, opens: 1 },
        { time: end, change: -rate, opens: -1 },
      ];
    });
    const points: { time: number; rate: number }[] = [];
    let [rate, open] = [0, 0];
    for (const step of steps.toSorted((a, b) => a.time - b.time)) {
      open += step.opens;
      // Sums of fractions need not return to exactly 0.
      rate = open === 0 ? 0 : rate + step.change;
      if (points.at(-1)?.time === step.time) points.pop();
      points.push({ time: step.time, rate });
    }
    return [{ link, points, bytes: used.reduce((sum, { bytes }) => sum + bytes, 0) }];
  });
}

function bytesOf({ args }: Slice, name: string): number {
  const value = args[name];
  return typeof value === 'number' ? value : 0;
}
