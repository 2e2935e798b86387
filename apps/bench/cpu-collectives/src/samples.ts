import { medianOf } from '@nccl-ts/core';
import type { CoreDistance } from './calibration.ts';
import { cellKey, type BenchCell } from './cell.ts';
import type { ContenderName } from './contenders.ts';

/** One accepted round. */
export interface Sample {
  readonly contender: ContenderName;
  readonly setting: string;
  readonly cell: BenchCell;
  readonly placement: CoreDistance;
  /** The time of one call. */
  readonly us: number;
  /** Samples with the same number were measured shortly after each other. */
  readonly unit: number;
}

/** A side of a pair: a contender in a setting on a cell. */
export type Side = Pick<Sample, 'contender' | 'setting' | 'cell'>;

/** The times of one setting of a peer and ours, unit by unit. */
export interface Pairs {
  readonly ours: Summary;
  readonly peer: Summary;
  /** The median of the peer's time divided by ours. */
  readonly ratio: number;
  /** The largest ratio divided by the smallest. */
  readonly spread: number;
}

/** The accepted rounds of one setting on one cell in one placement. */
export interface Summary {
  readonly setting: string;
  readonly us: number;
  readonly rounds: number;
  /** The time of the slowest round divided by that of the fastest. */
  readonly spread: number;
}

export function geomean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

/** All accepted rounds of a run. */
export interface Samples {
  add(sample: Sample): void;
  /** The medians of each setting with rounds there, the fastest first. */
  summaries(contender: ContenderName, cell: BenchCell, placement: CoreDistance): readonly Summary[];
  readonly all: () => readonly Sample[];
  of(contender: ContenderName, cell: BenchCell): readonly Sample[];
  /** The rounds of both within the same units, or `undefined` if there are none. */
  pairs(ours: Side, peer: Side, placement: CoreDistance): Pairs | undefined;
}

export function samples(): Samples {
  const byCell = new Map<string, Sample[]>();
  const key = (contender: ContenderName, cell: BenchCell): string => `${contender}/${cellKey(cell)}`;
  const byUnit = ({ contender, setting, cell }: Side, placement: CoreDistance): ReadonlyMap<number, number> =>
    new Map(
      (byCell.get(key(contender, cell)) ?? [])
        .filter((sample) => sample.setting === setting && sample.placement === placement)
        .map(({ unit, us }) => [unit, us]),
    );
  return {
    all: () => [...byCell.values()].flat(),
    of: (contender, cell) => byCell.get(key(contender, cell)) ?? [],
    add(sample) {
      const at = key(sample.contender, sample.cell);
      const there = byCell.get(at);
      if (there === undefined) byCell.set(at, [sample]);
      else there.push(sample);
    },
    pairs(ours, peer, placement) {
      const beside = byUnit(peer, placement);
      const both = [...byUnit(ours, placement)].flatMap(([unit, us]): readonly (readonly [number, number])[] => {
        const other = beside.get(unit);
        return other === undefined ? [] : [[us, other]];
      });
      if (both.length === 0) return undefined;
      const ratios = both.map(([us, other]) => other / us);
      return Object.freeze({
        ours: summary(
          ours.setting,
          both.map(([us]) => us),
        ),
        peer: summary(
          peer.setting,
          both.map(([, other]) => other),
        ),
        ratio: medianOf(ratios),
        spread: spreadOf(ratios),
      });
    },
    summaries(contender, cell, placement) {
      const bySetting = new Map<string, number[]>();
      for (const sample of byCell.get(key(contender, cell)) ?? []) {
        if (sample.placement !== placement) continue;
        const us = bySetting.get(sample.setting) ?? [];
        us.push(sample.us);
        bySetting.set(sample.setting, us);
      }
      return [...bySetting].map(([setting, us]) => summary(setting, us)).toSorted((a, b) => a.us - b.us);
    },
  };
}

function summary(setting: string, us: readonly number[]): Summary {
  return Object.freeze({ setting, us: medianOf(us), rounds: us.length, spread: spreadOf(us) });
}

function spreadOf(values: readonly number[]): number {
  return Math.max(...values) / Math.min(...values);
}
