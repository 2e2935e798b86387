import type { Placement } from './calibration.ts';
import { cellKey, type Cell } from './cell.ts';
import type { ContenderName } from './contenders.ts';

/** One accepted round. */
export interface Sample {
  readonly contender: ContenderName;
  readonly setting: string;
  readonly cell: Cell;
  readonly placement: Placement;
  /** Of one call. */
  readonly us: number;
}

/** Accepted rounds of one setting on one cell in one placement. */
export interface Summary {
  readonly setting: string;
  readonly us: number;
  readonly rounds: number;
  /** The slowest round over the fastest. */
  readonly spread: number;
}

/** The middle one, or the mean of the two in the middle; NaN where there are none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = Number.NaN, high = Number.NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}

export function geomean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

/** All accepted rounds of a run. */
export interface Samples {
  add(sample: Sample): void;
  /** Of each setting that has rounds there, the fastest first. */
  summaries(contender: ContenderName, cell: Cell, placement: Placement): readonly Summary[];
  readonly all: () => readonly Sample[];
  of(contender: ContenderName, cell: Cell): readonly Sample[];
}

export function samples(): Samples {
  const byCell = new Map<string, Sample[]>();
  const key = (contender: ContenderName, cell: Cell): string => `${contender}/${cellKey(cell)}`;
  return {
    all: () => [...byCell.values()].flat(),
    of: (contender, cell) => byCell.get(key(contender, cell)) ?? [],
    add(sample) {
      const at = key(sample.contender, sample.cell);
      const there = byCell.get(at);
      if (there === undefined) byCell.set(at, [sample]);
      else there.push(sample);
    },
    summaries(contender, cell, placement) {
      const bySetting = new Map<string, number[]>();
      for (const sample of byCell.get(key(contender, cell)) ?? []) {
        if (sample.placement !== placement) continue;
        const us = bySetting.get(sample.setting) ?? [];
        us.push(sample.us);
        bySetting.set(sample.setting, us);
      }
      return [...bySetting]
        .map(([setting, us]): Summary => {
          const spread = Math.max(...us) / Math.min(...us);
          return Object.freeze({ setting, us: median(us), rounds: us.length, spread });
        })
        .toSorted((a, b) => a.us - b.us);
    },
  };
}
