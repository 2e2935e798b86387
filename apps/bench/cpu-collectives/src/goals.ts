import type { BenchCell, DataPlacement, What } from './cell.ts';
import type { ContenderName } from './contenders.ts';

/** The rows of the table of goals. `launch` is the cost of a small launch on one thread. */
export const rowIds = ['1', '2', '3', '4', '5', '6', '7', '8', '8b', '9', '10', '11', '12', '13', 'launch'] as const;
export type RowId = (typeof rowIds)[number];

/**
 * A peer of a bar: its best setting, or the best of `settings`. Absent properties are those of our
 * cell.
 */
export interface Peer {
  readonly contender: ContenderName;
  readonly settings?: readonly string[];
  readonly what?: What;
  readonly ranks?: number;
  readonly bytes?: number;
  readonly place?: DataPlacement;
}

/**
 * A limit for all cells that it covers. `speedUp` is the peer's time divided by ours, and must be
 * at least the gate. Compared with `add` and `copy`, it is the bandwidth of a collective divided by
 * that of the reference. `multiple` is our time divided by the peer's, and `us` is our time. Both
 * must be at most the gate.
 */
export interface Bar {
  readonly row: RowId;
  readonly what: What;
  readonly ranks: readonly number[];
  readonly places: readonly DataPlacement[];
  /** The smallest and the largest size. */
  readonly bytes: readonly [number, number];
  /** The smallest and largest total size of the buffers of all ranks, if that matters. */
  readonly touched?: readonly [number, number];
  readonly peers: readonly Peer[];
  readonly value: 'speedUp' | 'multiple' | 'us';
  /** The limit applies to every cell, or to the geometric mean of all. */
  readonly over: 'each' | 'geomean';
  /** True if the bar is only for cores that are close to each other. */
  readonly placement?: 'near';
  readonly gate: number;
  readonly stretch?: number;
}

const KIB = 1 << 10;
const MIB = 1 << 20;
const BOTH: readonly DataPlacement[] = ['out', 'in'];
const ALL_RANKS: readonly number[] = [2, 4, 8];
/** All numbers of ranks of the benchmark. 1 is only a launch. */
export const rankCounts: readonly number[] = Object.freeze([1, ...ALL_RANKS]);
/** Row 6: larger than the last cache. */
const MEMORY_BYTES = 256 * MIB;

/** All sizes of the benchmark. A bar uses those in its range. */
export const sizes: readonly number[] = Object.freeze(
  [1, 4, 16, 64, 256].flatMap((n) => [n * KIB]).concat([1, 4, 16, 64, 256].map((n) => n * MIB)),
);

/** The sizes of a quick run. */
export const quickSizes: readonly number[] = Object.freeze([KIB, 256 * KIB, MIB, 64 * MIB, 256 * MIB]);

const openMpi: readonly Peer[] = [{ contender: 'openMpi' }];
const span = { what: 'allReduce', value: 'speedUp', over: 'each' } as const;

/** Rows 1 and 2 have two bars for each number of ranks. */
function besideOpenMpi(
  row: RowId,
  place: DataPlacement,
  bars: readonly (readonly [ranks: number, each: number, geomean: number, stretch: number])[],
): readonly Bar[] {
  return bars.flatMap(([ranks, each, geomean, stretch]): readonly Bar[] => {
    const range = { ...span, row, ranks: [ranks], places: [place], bytes: [MIB, 64 * MIB], peers: openMpi } as const;
    return [
      { ...range, gate: each },
      { ...range, over: 'geomean', gate: geomean, stretch },
    ];
  });
}

const memoryRange = (place: DataPlacement, gate: number, stretch: number): readonly Bar[] => {
  const reference = place === 'in' ? 'add' : 'copy';
  const peers: readonly Peer[] = [{ contender: 'memory', what: reference, ranks: 1, bytes: MEMORY_BYTES, place }];
  // Out of place there are two buffers for each rank.
  const two = place === 'in' ? 256 * MIB : 64 * MIB;
  return [
    { ...span, row: '6', ranks: [2], places: [place], bytes: [two, 256 * MIB], peers, gate, stretch },
    { ...span, row: '6', ranks: [4, 8], places: [place], bytes: [64 * MIB, 64 * MIB], peers, gate, stretch },
  ];
};

const moving = (what: What, places: readonly DataPlacement[], gate: number, stretch: number): Bar => ({
  row: '10',
  what,
  ranks: ALL_RANKS,
  places,
  bytes: [MIB, 64 * MIB],
  peers: [{ contender: 'openMpi', settings: ['default'] }],
  value: 'speedUp',
  over: 'each',
  gate,
  stretch,
});

const openMpiOfReduceScatter: Peer = { contender: 'openMpi', settings: ['default', 'heap', 'heapWithoutCma'] };
const reduceScatter = { row: '11', what: 'reduceScatter', places: BOTH, bytes: [MIB, 64 * MIB] } as const;

const pair = { ranks: [2], places: ['in'], bytes: [0, 0], over: 'each' } as const;

/**
 * The size at which memory bars begin: 16 MiB for each rank, as in the table of goals, and beyond
 * the last cache.
 */
const besideVector = (lastCache: number): readonly Bar[] => {
  const row = { ...span, row: '5', ranks: ALL_RANKS, peers: [{ contender: 'vector' }] } as const;
  const cached = { ...row, places: BOTH, gate: 0.4, stretch: 0.55 } as const;
  const large = [16 * MIB, 64 * MIB] as const;
  const held: Bar = { ...cached, bytes: large, touched: [0, lastCache] };
  const memory = { ...row, bytes: large, touched: [lastCache + 1, Infinity] } as const;
  return [
    { ...cached, bytes: [KIB, 4 * MIB] },
    ...(cellsOf(held, sizes).length === 0 ? [] : [held]),
    { ...memory, places: ['in'], gate: 0.85, stretch: 1 },
    { ...memory, places: ['out'], gate: 0.45, stretch: 0.7 },
  ];
};

/** The bars for a machine with a last cache of this size in bytes, or 0 if the size is unknown. */
export function barsWith(lastCache: number): readonly Bar[] {
  return Object.freeze(table(lastCache).map((bar) => Object.freeze(bar)));
}

/** The part of a bar that applies to these numbers of ranks, or `undefined` if there is none. */
export function barOfRanks(bar: Bar, ranks: readonly number[]): Bar | undefined {
  const left = bar.ranks.filter((number) => ranks.includes(number));
  return left.length === 0 ? undefined : Object.freeze({ ...bar, ranks: left });
}

const table = (lastCache: number): readonly Bar[] => [
  ...besideOpenMpi('1', 'out', [
    [2, 1.8, 2.2, 3],
    [4, 2.4, 3, 4.5],
    [8, 1.9, 2.7, 4.5],
  ]),
  ...besideOpenMpi('2', 'in', [
    [2, 2, 2.7, 4.5],
    [4, 3.1, 4.2, 6.5],
    [8, 3.1, 4, 6.5],
  ]),
  ...[
    { ranks: [2], bytes: [KIB, KIB] as const, placement: 'near' as const, gate: 1.3, stretch: 1.8 },
    { ranks: [2], bytes: [4 * KIB, 256 * KIB] as const, placement: 'near' as const, gate: 2.5, stretch: 3.5 },
    { ranks: [4, 8], bytes: [KIB, 256 * KIB] as const, gate: 5, stretch: 9 },
  ].map((bar): Bar => ({ ...span, row: '3', places: BOTH, peers: openMpi, ...bar })),
  {
    ...span,
    row: '4',
    ranks: ALL_RANKS,
    places: BOTH,
    bytes: [16 * KIB, 64 * MIB],
    peers: [{ contender: 'sse' }],
    gate: 0.8,
    stretch: 0.95,
  },
  ...besideVector(lastCache),
  ...memoryRange('in', 0.85, 1),
  ...memoryRange('out', 0.7, 0.9),
  {
    ...pair,
    row: '7',
    what: 'barrier',
    value: 'multiple',
    gate: 1.6,
    stretch: 1.2,
    peers: [{ contender: 'sync' }],
  },
  {
    ...pair,
    row: '7',
    what: 'barrier',
    value: 'multiple',
    placement: 'near',
    gate: 1,
    peers: [{ contender: 'openMpi', settings: ['default'] }],
  },
  {
    ...pair,
    row: '8',
    what: 'launchParked',
    value: 'multiple',
    gate: 1.5,
    peers: [{ contender: 'sync', what: 'wake' }],
  },
  { ...pair, row: '8b', what: 'launchHot', value: 'us', peers: [], gate: 2, stretch: 1 },
  { ...pair, row: '9', what: 'barrierOfRanks', ranks: [8], value: 'us', peers: [], gate: 50, stretch: 1 },
  moving('allGather', BOTH, 1.3, 1.8),
  // There is no AlltoAll in place here.
  moving('allToAll', ['out'], 1, 1.3),
  {
    ...reduceScatter,
    ranks: [2],
    value: 'speedUp',
    over: 'each',
    gate: 1.4,
    stretch: 3,
    peers: [openMpiOfReduceScatter, { contender: 'mpich' }],
  },
  // MPICH takes milliseconds if there are more ranks than cores.
  {
    ...reduceScatter,
    ranks: [4, 8],
    value: 'speedUp',
    over: 'each',
    gate: 1.4,
    stretch: 3,
    peers: [openMpiOfReduceScatter],
  },
  {
    ...span,
    row: '12',
    ranks: ALL_RANKS,
    places: BOTH,
    bytes: [16 * MIB, 64 * MIB],
    peers: [{ contender: 'gloo', place: 'in' }],
    gate: 4,
    stretch: 8,
  },
  {
    ...span,
    row: '13',
    ranks: ALL_RANKS,
    places: BOTH,
    bytes: [64 * KIB, 4 * MIB],
    peers: [{ contender: 'plainJs' }],
    gate: 2.8,
    stretch: 8,
  },
  { ...pair, row: 'launch', what: 'launchOverhead', ranks: [1], value: 'us', peers: [], gate: 30 },
];

/** The cells of a bar. */
export function cellsOf(bar: Bar, of: readonly number[]): readonly BenchCell[] {
  const [from, to] = bar.bytes;
  const within = to === 0 ? [0] : of.filter((bytes) => bytes >= from && bytes <= to);
  const [least, most] = bar.touched ?? [0, Infinity];
  return bar.ranks
    .flatMap((ranks) =>
      bar.places.flatMap((place) => within.map((bytes): BenchCell => ({ what: bar.what, ranks, bytes, place }))),
    )
    .filter(({ ranks, bytes, place }) => {
      const touched = ranks * bytes * (place === 'in' ? 1 : 2);
      return touched >= least && touched <= most;
    });
}

/** The cell that a peer measures for `cell`. */
export function peerCell(peer: Peer, cell: BenchCell): BenchCell {
  const { what = cell.what, ranks = cell.ranks, bytes = cell.bytes, place = cell.place } = peer;
  return { what, ranks, bytes, place };
}
