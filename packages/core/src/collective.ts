/** The names of the collectives, and the shape of each one's buffers. All lists follow from them. */
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

/** The sizes of one rank's buffers in a collective. */
export interface CollectiveShape {
  /**
   * How many elements of `send` and of `recv` a rank's call uses, as a multiple of `count`: 1, or
   * one for each rank.
   */
  readonly send: 'one' | 'each';
  readonly recv: 'one' | 'each';
  readonly reduces: boolean;
  readonly rooted: boolean;
}

function shape(send: 'one' | 'each', recv: 'one' | 'each', reduces = false, rooted = false): CollectiveShape {
  return Object.freeze({ send, recv, reduces, rooted });
}

/** The shape of each collective's buffers. @see ncclAllReduce and the other collectives */
export const collectiveShapes: Readonly<Record<CollectiveName, CollectiveShape>> = /* @__PURE__ */ Object.freeze({
  allReduce: /* @__PURE__ */ shape('one', 'one', true),
  broadcast: /* @__PURE__ */ shape('one', 'one', false, true),
  reduce: /* @__PURE__ */ shape('one', 'one', true, true),
  allGather: /* @__PURE__ */ shape('one', 'each'),
  reduceScatter: /* @__PURE__ */ shape('each', 'one', true),
  allToAll: /* @__PURE__ */ shape('each', 'each'),
  gather: /* @__PURE__ */ shape('one', 'each', false, true),
  scatter: /* @__PURE__ */ shape('each', 'one', false, true),
});
