import { touchedBytes, type NativePart, type NativeWork } from './native-work.ts';

/**
 * How sums get to their destinations: `straight`, stored to each as they are made; `zeroedFirst`,
 * the same where zeroes were written just before, by an instruction that knows it is to write whole
 * lines, since some processors do not read such lines from memory, as they do for stores;
 * `passedOn`, stored to the first, and copied from there while they are in the first cache, since a
 * copy may have wider registers than code here.
 */
export type SumWay = 'straight' | 'zeroedFirst' | 'passedOn';

/**
 * As many streams of addresses as processors look ahead for. More sources are added up one group
 * after the other, in a destination, and that goes to the others.
 */
export const SOURCES_AT_ONCE = 8;

/**
 * From so few a sum may be passed on: with more, most of the time goes into loads, which stay as
 * narrow as they are.
 */
const SOURCES_PASSED_ON = 4;

/**
 * Bytes for which a way may be faster than the straight one. Where zeroes were written, what is
 * less is in caches anyway, and what is more goes as fast as memory either way. In place, lines are
 * read whatever is done: it is wider stores that tell, where caches do not hold everything.
 */
const WORTHWHILE = {
  zeroedFirst: { least: 1 << 23, most: 1 << 27 },
  passedOn: { least: 1 << 26, most: Infinity },
} as const;

/**
 * The way beside the straight one that may be faster, which depends on the processor; undefined
 * where there is none.
 */
export function otherWayOf(work: NativeWork): SumWay | undefined {
  const bytes = touchedBytes(work);
  return (['zeroedFirst', 'passedOn'] as const).find((way) => {
    const { least, most } = WORTHWHILE[way];
    return bytes >= least && bytes <= most && work.every((part) => canGo(part, way));
  });
}

/**
 * True if a part can be done that way. What is zeroed must not be what is read; what is passed on
 * has somewhere to go.
 */
export function canGo(part: NativePart, way: SumWay): boolean {
  if (way === 'straight') return true;
  if (part.kind === 'copy' || part.sources.length > SOURCES_AT_ONCE) return false;
  const read = new Set(part.sources);
  if (way === 'zeroedFirst') return part.destinations.every((destination) => !read.has(destination));
  if (part.sources.length > SOURCES_PASSED_ON || part.destinations.length < 2) return false;
  return part.destinations.every((destination) => read.has(destination));
}
