import { assignedLocals, readLocals, type Expression, type LocalId, type Statement } from '@nccl-ts/ir';

import { LocalHistory, type HistoryPoint } from '../emit-shared/local-history.ts';

/** The values of locals at the current point of a walk, as expressions of unchanged values. */
export class KnownValues {
  readonly #values = new LocalHistory<Expression>();
  /** By local: the locals whose values may read it. */
  readonly #readers = new Map<LocalId, Set<LocalId>>();

  get now(): HistoryPoint {
    return this.#values.now;
  }

  get(local: LocalId): Expression | undefined {
    return this.#values.get(local);
  }

  learn(local: LocalId, value: Expression): void {
    this.#values.set(local, value);
    for (const read of readLocals(value)) {
      const readers = this.#readers.get(read);
      if (readers === undefined) this.#readers.set(read, new Set([local]));
      else readers.add(local);
    }
  }

  /** Forgets the values of locals that have changed, and the values that depend on them. */
  forget(changed: Iterable<LocalId>): void {
    for (const local of changed) {
      this.#values.set(local, undefined);
      for (const reader of this.#readers.get(local) ?? []) {
        const value = this.#values.get(reader);
        if (value !== undefined && readLocals(value).has(local)) this.#values.set(reader, undefined);
      }
      this.#readers.delete(local);
    }
  }

  /** Updates the values after a statement. */
  pass(s: Statement): void {
    this.forget(assignedLocals([s]));
    if (s.kind === 'assign' && !readLocals(s.value).has(s.local)) this.learn(s.local, s.value);
  }

  /** Restores the known values of a point. */
  back(point: HistoryPoint): void {
    for (const local of this.#values.back(point)) {
      const value = this.#values.get(local);
      if (value !== undefined) this.learn(local, value);
    }
  }
}
