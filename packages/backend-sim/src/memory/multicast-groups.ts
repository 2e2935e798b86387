import { SLOT_BYTES } from '@nccl-ts/codegen';

/** Ranks that a multicast address reaches together. */
export interface MulticastGroup {
  /**
   * The start of its addresses. Kernels and hosts use it as the group's name, and it is the
   * `mcBasePtr` of its handles.
   */
  readonly base: number;
  /** World ranks, in the order of the team. */
  readonly members: readonly number[];
}

/**
 * The multicast groups of a world. Each has a slot in the flat address space after those of the
 * ranks, of the same size. A window has the same offset there too. Equal groups share one, which
 * exists until the world ends.
 */
export class MulticastGroups {
  readonly #firstSlot: number;
  readonly #byMembers = new Map<string, MulticastGroup>();
  readonly #bySlot: MulticastGroup[] = [];

  constructor(nRanks: number) {
    this.#firstSlot = nRanks + 1;
  }

  get all(): readonly MulticastGroup[] {
    return this.#bySlot;
  }

  /** Returns the group of these ranks, if it exists. */
  find(members: readonly number[]): MulticastGroup | undefined {
    return this.#byMembers.get(members.join());
  }

  add(members: readonly number[]): MulticastGroup {
    const base = SLOT_BYTES * (this.#firstSlot + this.#bySlot.length);
    const group = Object.freeze({ base, members: Object.freeze([...members]) });
    this.#byMembers.set(members.join(), group);
    this.#bySlot.push(group);
    return group;
  }

  /** Returns the group whose slot contains an address. */
  at(address: number): MulticastGroup | undefined {
    return this.#bySlot[Math.floor(address / SLOT_BYTES) - this.#firstSlot];
  }
}
