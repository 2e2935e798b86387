import { at } from '@nccl-ts/core';

import type { LocalId } from '@nccl-ts/ir';

/** The number of changes before a point. */
export type HistoryPoint = number;

/**
 * The known values of locals at any point of a walk over code. Each change has constant cost, for
 * any number of locals.
 */
export class LocalHistory<T> {
  readonly #changes = new Map<LocalId, { readonly since: HistoryPoint; readonly value: T | undefined }[]>();
  readonly #changed: LocalId[] = [];

  get now(): HistoryPoint {
    return this.#changed.length;
  }

  /** Sets the known value of a local. */
  set(local: LocalId, value: T | undefined): void {
    if (value === undefined && !this.#changes.has(local)) return;
    this.#changed.push(local);
    const changes = this.#changes.get(local);
    const change = { since: this.now, value };
    if (changes === undefined) this.#changes.set(local, [change]);
    else changes.push(change);
  }

  /** Returns its known value at a point. */
  at(local: LocalId, point: HistoryPoint): T | undefined {
    const changes = this.#changes.get(local) ?? [];
    let [low, high] = [0, changes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (at(changes, middle).since <= point) low = middle + 1;
      else high = middle;
    }
    return changes[low - 1]?.value;
  }

  get(local: LocalId): T | undefined {
    return this.#changes.get(local)?.at(-1)?.value;
  }

  /** Restores the known values of a point. Returns the locals whose known value changes. */
  back(point: HistoryPoint): ReadonlySet<LocalId> {
    const since = new Set(this.#changed.slice(point));
    for (const local of since) this.set(local, this.at(local, point));
    return since;
  }
}
