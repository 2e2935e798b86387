import { assignedLocals, statementTarget, type Expression, type LocalId, type Statement } from '@nccl-ts/ir';

/**
 * Compares two pieces of code for equivalence, apart from the locals that they set. Spans are
 * ignored.
 */
export class SameCode {
  /** Maps locals of one piece to the locals with the same value in the other. */
  readonly #counterparts = new Map<LocalId, LocalId>();
  readonly #setByOne = new Set<LocalId>();
  readonly #setByOther = new Set<LocalId>();

  /** True if the next statements of the two have the same effect. */
  statement(one: Statement, other: Statement): boolean {
    if (one.kind !== other.kind || one.kind === 'if' || one.kind === 'wait') return false;
    const [target, counterpart] = [statementTarget(one), statementTarget(other)];
    if (!this.#parts({ ...one, local: undefined }, { ...other, local: undefined })) return false;
    if (target === undefined || counterpart === undefined) return target === counterpart;
    // Locals whose counterpart was this one no longer have a counterpart.
    for (const [id, value] of this.#counterparts) if (value === counterpart) this.#counterparts.delete(id);
    this.#counterparts.set(target, counterpart);
    for (const id of assignedLocals([one])) this.#setByOne.add(id);
    for (const id of assignedLocals([other])) this.#setByOther.add(id);
    return true;
  }

  /** True if two expressions have the same value after the compared code. */
  expression(one: Expression, other: Expression): boolean {
    return this.#parts(one, other);
  }

  /** The locals whose values differ after the two pieces. */
  differing(): ReadonlySet<LocalId> {
    const set = new Set([...this.#setByOne, ...this.#setByOther]);
    return new Set([...set].filter((id) => this.#counterparts.get(id) !== id));
  }

  #parts(one: unknown, other: unknown): boolean {
    if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
      return Object.is(one, other);
    }
    const [left, right] = [partsOf(one), partsOf(other)];
    if (left.get('kind') === 'local' && right.get('kind') === 'local') {
      const [id, counterpart] = [left.get('local'), right.get('local')];
      return typeof id === 'number' && typeof counterpart === 'number' && this.#isSame(id, counterpart);
    }
    if (left.size !== right.size) return false;
    for (const [key, part] of left) if (!right.has(key) || !this.#parts(part, right.get(key))) return false;
    return true;
  }

  #isSame(id: LocalId, counterpart: LocalId): boolean {
    if (this.#setByOne.has(id)) return this.#counterparts.get(id) === counterpart;
    return id === counterpart && !this.#setByOther.has(id);
  }
}

function partsOf(value: object): ReadonlyMap<string, unknown> {
  const entries: [string, unknown][] = Object.entries(value);
  return new Map(entries.filter(([key]) => key !== 'span'));
}
