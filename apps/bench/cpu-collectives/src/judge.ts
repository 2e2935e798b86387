import type { CoreDistance } from './calibration.ts';
import type { BenchCell, What } from './cell.ts';
import type { ContenderName } from './contenders.ts';
import { cellsOf, peerCell, type Bar, type Peer } from './goals.ts';
import { TRIAL_ROUNDS } from './measure.ts';
import { settingNames } from './plan.ts';
import { geomean, type Pairs, type Samples, type Side, type Summary } from './samples.ts';

/** A cell of a bar, measured on both sides in one placement. */
export interface CellResult {
  readonly cell: BenchCell;
  readonly placement: CoreDistance;
  readonly ours: Summary;
  /** The fastest of the bar's peers, or `undefined` if the bar limits a time. */
  readonly peer: (Summary & { readonly contender: ContenderName }) | undefined;
  /** The value in the bar's unit: the median over the rounds of each unit. */
  readonly value: number;
  /** The largest of the values divided by the smallest. */
  readonly spread: number;
}

/** `noBar`: the bar does not exist for cores this far apart. */
export type Status = 'holds' | 'fails' | 'notMeasured' | 'noBar';

/** The result of a bar. */
export interface BarVerdict {
  readonly bar: Bar;
  readonly status: Status;
  /** The reason why the bar is not measured. */
  readonly reason: string | undefined;
  readonly cells: readonly CellResult[];
  /** The worst cell's value, or the geometric mean. `undefined` without cells. */
  readonly value: number | undefined;
  readonly worst: CellResult | undefined;
  readonly stretch: boolean;
}

/** The reason why a contender has no result, or `undefined` if it should have one. */
export type Missing = (contender: ContenderName, what: What) => string | undefined;

/**
 * Compares samples with a bar. A median of fewer than `rounds` accepted rounds is reported, but
 * does not count as measured.
 */
export function judge(
  bar: Bar,
  sizes: readonly number[],
  rounds: number,
  samples: Samples,
  missing: Missing,
): BarVerdict {
  const cells = cellsOf(bar, sizes);
  const looked = cells.map((cell) => ({ cell, result: cellResult(bar, cell, samples, rounds) }));
  const results = looked.flatMap(({ result }) => (typeof result === 'object' ? [result] : []));
  const unmeasured = looked.filter(({ result }) => result === 'nothing').length;
  const few = results.filter((result) => fewest(result) < rounds).length;
  const worst = results.toSorted((a, b) => (atLeast(bar) ? a.value - b.value : b.value - a.value))[0];
  const value = worst === undefined || bar.over === 'each' ? worst?.value : geomean(results.map((one) => one.value));
  const lacks = [
    missing('ours', bar.what),
    ...bar.peers.map((peer) => missing(peer.contender, peer.what ?? bar.what)),
  ].filter((reason) => reason !== undefined);
  const reason =
    lacks.length > 0
      ? lacks.join('; ')
      : cells.length === 0
        ? "none of this run's sizes are in its range"
        : unmeasured > 0
          ? `${unmeasured} of ${cells.length} cells lack accepted rounds of one side, or of one of its settings, or have them in different placements`
          : few > 0
            ? `${few} of ${cells.length} cells have fewer than ${rounds} accepted rounds`
            : undefined;
  const fails = value !== undefined && !meets(bar, value, bar.gate);
  const status: Status =
    fails && (lacks.length === 0 || bar.over === 'each')
      ? 'fails'
      : reason !== undefined
        ? 'notMeasured'
        : value === undefined
          ? 'noBar'
          : 'holds';
  const stretch =
    status === 'holds' && value !== undefined && bar.stretch !== undefined && meets(bar, value, bar.stretch);
  return Object.freeze({ bar, status, reason, cells: results, value, worst, stretch });
}

/** True if larger is better. */
export function atLeast({ value }: Bar): boolean {
  return value === 'speedUp';
}

function meets(bar: Bar, value: number, bound: number): boolean {
  return atLeast(bar) ? value >= bound : value <= bound;
}

/** `nothing` if a side is not measured. `elsewhere` if the bar does not apply to the placement. */
function cellResult(bar: Bar, cell: BenchCell, samples: Samples, rounds: number): CellResult | 'nothing' | 'elsewhere' {
  const [near, far] = (['near', 'far'] as const).map((placement) => placed(bar, cell, samples, placement, rounds));
  if (bar.placement === 'near') return near ?? (far === undefined ? 'nothing' : 'elsewhere');
  if (near === undefined || far === undefined) return near ?? far ?? 'nothing';
  return fewest(near) >= fewest(far) ? near : far;
}

/** The number of rounds of the side that has fewer. */
export function fewest({ ours, peer }: CellResult): number {
  return Math.min(ours.rounds, peer?.rounds ?? ours.rounds);
}

function placed(
  bar: Bar,
  cell: BenchCell,
  samples: Samples,
  placement: CoreDistance,
  rounds: number,
): CellResult | undefined {
  const ours = samples.summaries('ours', cell, placement)[0];
  if (ours === undefined) return undefined;
  if (bar.peers.length === 0)
    return Object.freeze({ cell, placement, ours, peer: undefined, value: ours.us, spread: ours.spread });
  const found = bar.peers.flatMap((peer) => {
    const best = bestOf(peer, cell, samples, placement, rounds);
    return best === undefined ? [] : [{ peer, best }];
  });
  const [fastest] = found.toSorted((a, b) => a.best.ratio - b.best.ratio);
  // A peer without rounds might have been the fastest.
  if (fastest === undefined || found.length < bar.peers.length) return undefined;
  const { peer, best } = fastest;
  const value = bar.value === 'multiple' ? 1 / best.ratio : speedUp(cell, peerCell(peer, cell), best.ratio);
  const { contender } = peer;
  return Object.freeze({
    cell,
    placement,
    ours: best.ours,
    peer: { ...best.peer, contender },
    value,
    spread: best.spread,
  });
}

/**
 * The fastest setting of the peer. `undefined` if a setting has too few rounds, because it might
 * have been the fastest. A setting that left because it was clearly slower may have rounds only in
 * the other placement.
 */
function bestOf(peer: Peer, cell: BenchCell, all: Samples, placement: CoreDistance, rounds: number): Pairs | undefined {
  const beside = peerCell(peer, cell);
  const { contender } = peer;
  const expected = settingNames(peer, beside);
  const tried = all.of(contender, beside);
  const enough = Math.min(TRIAL_ROUNDS, rounds);
  if (expected.some((name) => tried.filter(({ setting }) => setting === name).length < enough)) return undefined;
  const ours: Side = { contender: 'ours', setting: '', cell };
  return expected
    .flatMap((setting) => all.pairs(ours, { contender, setting, cell: beside }, placement) ?? [])
    .toSorted((a, b) => a.ratio - b.ratio)[0];
}

/** The number of arrays that a reference reads and writes. */
const touchedArrays: Readonly<Partial<Record<What, number>>> = { add: 3, copy: 2 };

/** `ratio` is the peer's time divided by ours. */
function speedUp(cell: BenchCell, reference: BenchCell, ratio: number): number {
  const arrays = touchedArrays[reference.what];
  if (arrays === undefined) return ratio;
  // An AllReduce reads each rank's buffer once and writes it once.
  const touched = 2 * cell.ranks * cell.bytes;
  return (touched / (arrays * reference.bytes)) * ratio;
}
