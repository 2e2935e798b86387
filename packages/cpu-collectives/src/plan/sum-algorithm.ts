import { touchedBytes, type NativePart, type NativeWork } from './native-work.ts';

/**
 * How sums reach their destinations. `straight` stores them to each destination when they are
 * computed. `zeroedFirst` first writes zeros as whole lines, since some processors then need not
 * read these lines from memory. `passedOn` stores them to the first destination, and copies from
 * there while they are in the first-level cache, since a copy may use wider registers than this
 * code.
 */
export type SumAlgorithm = 'straight' | 'zeroedFirst' | 'passedOn';

/**
 * The number of address streams that processors prefetch. More sources are added group by group in
 * one destination, which is then copied to the others.
 */
export const SOURCES_AT_ONCE = 8;

/**
 * The largest number of sources of a sum that is passed on. With more, most of the time goes into
 * loads, which stay narrow.
 */
const SOURCES_PASSED_ON = 4;

/**
 * The sizes in bytes for which a way may be faster than the straight one. For `zeroedFirst`,
 * smaller data is in caches anyway, and memory limits larger data either way. In place, all lines
 * are read in any case. Then wider stores help if the caches do not hold everything.
 */
const WORTHWHILE = {
  zeroedFirst: { least: 1 << 23, most: 1 << 27 },
  passedOn: { least: 1 << 26, most: Infinity },
} as const;

/**
 * Returns the alternative that may be faster than the straight way, depending on the processor;
 * undefined if there is none.
 */
export function alternativeAlgorithm(work: NativeWork): SumAlgorithm | undefined {
  const bytes = touchedBytes(work);
  return (['zeroedFirst', 'passedOn'] as const).find((way) => {
    const { least, most } = WORTHWHILE[way];
    return bytes >= least && bytes <= most && work.every((part) => canGo(part, way));
  });
}

/**
 * True if a part supports a way. Zeroed memory must not be a source, and passing sums on needs a
 * further destination.
 */
export function canGo(part: NativePart, algorithm: SumAlgorithm): boolean {
  if (algorithm === 'straight') return true;
  if (part.kind === 'copy' || part.sources.length > SOURCES_AT_ONCE) return false;
  const read = new Set(part.sources);
  if (algorithm === 'zeroedFirst') return part.destinations.every((destination) => !read.has(destination));
  if (part.sources.length > SOURCES_PASSED_ON || part.destinations.length < 2) return false;
  return part.destinations.every((destination) => read.has(destination));
}
