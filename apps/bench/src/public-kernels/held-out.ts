import { createHash } from 'node:crypto';

/** The number of kernels whose measurements may mend the model. */
const USED = 10;

/** Part of the hash that orders the kernels. It was chosen before the draw, and never changed. */
const SEED = 'nccl-ts 59';

/**
 * The kernels that are held out: no rule of the model may come from their measurements. They are
 * all but the first ten, by the hash of the seed and the name.
 */
export function heldOut(names: readonly string[]): ReadonlySet<string> {
  const place = (name: string): string => createHash('sha256').update(`${SEED} ${name}`).digest('hex');
  const drawn = [...new Set(names)].toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
  return new Set(drawn.slice(USED));
}
