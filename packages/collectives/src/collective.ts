/** The collectives. */
export const collectiveNames = [
  'allReduce',
  'broadcast',
  'reduce',
  'allGather',
  'reduceScatter',
  'allToAll',
  'gather',
  'scatter',
] as const;
export type CollectiveName = (typeof collectiveNames)[number];

/** The parts of one rank's buffers in a collective. */
export interface CollectiveShape {
  /**
   * Elements of `send` and of `recv` that a rank's call uses, as multiples of `count`: 1, or one
   * for each rank.
   */
  readonly send: 'one' | 'each';
  readonly recv: 'one' | 'each';
  readonly reduces: boolean;
  readonly rooted: boolean;
}

function shape(send: 'one' | 'each', recv: 'one' | 'each', reduces = false, rooted = false): CollectiveShape {
  return Object.freeze({ send, recv, reduces, rooted });
}

/** The data that each collective sends and receives. @see ncclAllReduce and its kin */
export const collectiveShapes: Readonly<Record<CollectiveName, CollectiveShape>> = Object.freeze({
  allReduce: shape('one', 'one', true),
  broadcast: shape('one', 'one', false, true),
  reduce: shape('one', 'one', true, true),
  allGather: shape('one', 'each'),
  reduceScatter: shape('each', 'one', true),
  allToAll: shape('each', 'each'),
  gather: shape('one', 'each', false, true),
  scatter: shape('each', 'one', false, true),
});
