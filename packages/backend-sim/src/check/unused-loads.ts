import type { Approximations, FindingLabel } from '@nccl-ts/findings';
import type { GroupClocks, HappensBefore, Race, SeenAccess, Who } from '@nccl-ts/memory-model';

/** The values that a load has returned to a thread between two steps of its clock. */
interface LoadedValue {
  readonly stamp: number;
  readonly site: number;
  /** True if the thread has used one of the values. */
  isUsed: boolean;
  /** True if it has told others something before that. */
  isLate: boolean;
}

/** GPUs may store a flag while an earlier load of the thread has not returned yet. */
const OPEN_LOAD = 'a load whose value is not used before a later flag as one that has ended by then';

/** Receives what is assumed of GPUs. */
interface Assuming {
  readonly approximations: Approximations;
  label(access: SeenAccess): FindingLabel;
}

/** Follows the values of plain loads. */
export interface FollowedLoads {
  loads(group: GroupClocks, thread: number, site: number): void;
  uses(group: GroupClocks, thread: number, site: number): void;
  /** Called after `uses` for a strong write, or the store of a flag. */
  tells(group: GroupClocks, thread: number): void;
}

/**
 * Recognises races of loads whose values nobody uses. A compiler that gives all threads of a block
 * the same loads, and lets only some of them store, makes such loads.
 *
 * A load that has no use in the text is not one of them. No compiler leaves it there, so its author
 * wants it.
 *
 * If a thread later reaches none of the accesses through which a loaded value leaves it, the value
 * makes no difference. The first run shows which loads race. A further run then follows their
 * values.
 */
export class UnusedLoads<Key> implements FollowedLoads {
  /** The sites of plain loads that race, as far as it is known how their values leave a thread. */
  readonly candidates: Set<number> = new Set();
  /** The sites of loads whose values are followed. Empty in a first run. */
  readonly followed: Set<number> = new Set();
  readonly #order: HappensBefore;
  readonly #values = new Map<Who, LoadedValue[]>();
  readonly #matters = new Set<Key>();
  readonly #loads = new Map<Key, Set<LoadedValue>>();

  constructor(order: HappensBefore) {
    this.#order = order;
  }

  /** Called for each plain load, before it is checked. */
  loads(group: GroupClocks, thread: number, site: number): void {
    const of = group.siteBase + site;
    if (!this.followed.has(of)) return;
    const who = group.whoBase + thread;
    const values = this.#values.get(who) ?? [];
    this.#values.set(who, values);
    const last = values.findLast((one) => one.site === of);
    if (last?.stamp !== group.stamp) values.push({ stamp: group.stamp, site: of, isUsed: false, isLate: false });
  }

  /** Called for each access of a thread after which others may know a value. */
  uses(group: GroupClocks, thread: number, site: number): void {
    if (this.followed.size === 0) return;
    for (const value of this.#values.get(group.whoBase + thread) ?? [])
      if (this.#order.sites[value.site]?.usedAt?.()?.has(site) === true) value.isUsed = true;
  }

  /** Called after `uses` for a strong write of a thread, or its store of a flag. */
  tells(group: GroupClocks, thread: number): void {
    if (this.followed.size === 0 || !this.#order.isOnHardware) return;
    for (const value of this.#values.get(group.whoBase + thread) ?? []) value.isLate ||= !value.isUsed;
  }

  /**
   * Called for a load that counts as over since its thread has stored a flag. Only a use of the
   * value before that shows it.
   */
  isOver(load: SeenAccess, assuming: Assuming): void {
    if (this.#valueOf(load)?.isLate === false) return;
    const { place } = assuming.label(load);
    assuming.approximations.add({ how: OPEN_LOAD, ...(place === undefined ? {} : { place }) });
  }

  /** Called for each race of the pair `of`. */
  examine(of: Key, { now, before }: Race): void {
    if (this.#matters.has(of)) return;
    const load = [now, before].find((access) => this.#isCandidate(access));
    const value = load === undefined ? undefined : this.#valueOf(load);
    if (value === undefined) {
      this.#matters.add(of);
      return;
    }
    const loads = this.#loads.get(of) ?? new Set();
    this.#loads.set(of, loads.add(value));
  }

  /** True if no value of a load of the pair was used so far. */
  isUnused(of: Key): boolean {
    if (this.#matters.has(of)) return false;
    const loads = this.#loads.get(of);
    return loads !== undefined && ![...loads].some(({ isUsed }) => isUsed);
  }

  #isCandidate({ site }: SeenAccess): boolean {
    const { kind, access, polls, usedAt } = this.#order.sites[site] ?? {};
    if (kind !== 'load' || access !== undefined || polls === true || !hasUses(usedAt?.())) return false;
    this.candidates.add(site);
    return true;
  }

  #valueOf({ who, stamp, site }: SeenAccess): LoadedValue | undefined {
    return this.#values.get(who)?.findLast((one) => one.site === site && one.stamp === stamp);
  }
}

function hasUses(uses: ReadonlySet<number> | undefined): boolean {
  return uses !== undefined && uses.size > 0;
}
