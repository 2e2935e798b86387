import { inject } from 'vitest';
import {
  createTimelineRecorder,
  sliceCategories,
  tracksOf,
  type Slice,
  type SliceCategory,
  type Timeline,
} from '@nccl-ts/timeline';
import * as fc from 'fast-check';

interface Tree {
  readonly name: string;
  readonly category: SliceCategory;
  /** The times before its start, before its first child, and after its last one. All may be 0. */
  readonly lead: number;
  readonly head: number;
  readonly tail: number;
  readonly children: readonly Tree[];
}

const duration = fc.oneof(
  fc.constant(0),
  fc.constant(0.25),
  fc.integer({ min: 0, max: 40 }),
  fc.double({ min: 0, max: 3, noNaN: true }),
  fc.double({ min: 0, max: 1e6, noNaN: true }),
);

function treeOf(levels: number): fc.Arbitrary<Tree> {
  return fc.record({
    name: fc.string({ unit: 'binary', maxLength: 8 }),
    category: fc.constantFrom(...sliceCategories),
    lead: duration,
    head: duration,
    tail: duration,
    children: levels === 0 ? fc.constant([]) : fc.array(treeOf(levels - 1), { maxLength: 3 }),
  });
}

const track = fc.record({
  kind: fc.constantFrom('cta' as const, 'network' as const),
  order: fc.integer({ min: -2, max: 2 }),
  name: fc.string({ unit: 'binary', maxLength: 6 }),
  trees: fc.array(treeOf(3), { maxLength: 4 }),
});

const input = fc.record({
  ranks: fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { maxLength: 4 }),
  tracks: fc.array(fc.tuple(fc.nat(), track), { maxLength: 7 }),
  start: fc.oneof(fc.constant(0), duration, fc.constant(2 ** 49)),
  /**
   * Pairs of slices with a flow between them, and the points in the slices where it begins and
   * ends.
   */
  flows: fc.array(
    fc.record({
      from: fc.nat(),
      to: fc.nat(),
      begin: fc.constantFrom(0, 0.5, 1),
      arrive: fc.constantFrom(0, 0.5, 1),
      side: fc.constantFrom('ending' as const, 'starting' as const, undefined),
    }),
    { maxLength: 12 },
  ),
  shuffle: fc.infiniteStream(fc.nat()),
});

type Spans = Omit<Slice, 'depth' | 'args'>;

/** Timelines of every shape, recorded in any order. */
export const timelines: fc.Arbitrary<Timeline> = input.map(({ ranks, tracks, start, flows, shuffle }) => {
  const recorder = createTimelineRecorder();
  for (const rank of ranks) recorder.openProcess(rank);
  const spans: Spans[] = [];
  for (const [at, { trees, ...track }] of ranks.length === 0 ? [] : tracks) {
    const id = recorder.openTrack(ranks[at % ranks.length] ?? 0, track);
    let time = start;
    for (const tree of trees) time = spread(tree, id, time, spans);
  }
  const order = spans.map((span) => ({ span, key: shuffle.next().value }));
  for (const { span } of order.sort((a, b) => a.key - b.key)) {
    recorder.slice(span.track, { ...span, args: { length: span.end - span.start } });
  }
  for (const { from, to, begin, arrive, side } of spans.length === 0 ? [] : flows) {
    const ends = [pointIn(spans[from % spans.length], begin), pointIn(spans[to % spans.length], arrive)] as const;
    // The earlier point sends.
    const [first, second] = ends[0].time <= ends[1].time ? ends : [ends[1], ends[0]];
    recorder.finish(recorder.flow('signal', first), side === undefined ? second : { ...second, side });
  }
  return recorder.build();
});

function spread(
  { name, category, lead, head, tail, children }: Tree,
  track: number,
  time: number,
  into: Spans[],
): number {
  const start = time + lead;
  const inner = children.reduce((at, child) => spread(child, track, at, into), start + head);
  const end = inner + tail;
  into.push({ track, name, category, start, end });
  return end;
}

function pointIn(span: Spans | undefined, share: number): { readonly track: number; readonly time: number } {
  if (span === undefined) throw new Error('there are slices');
  const { track, start, end } = span;
  return { track, time: share === 1 ? end : start + (end - start) * share };
}

/** Returns all slices. */
export function slicesOf(timeline: Timeline): readonly Slice[] {
  return tracksOf(timeline).flatMap(({ slices }) => slices);
}

export const properties: { readonly seed: number; readonly numRuns: number } = {
  seed: 11,
  numRuns: inject('slow') ? 300 : 40,
};
