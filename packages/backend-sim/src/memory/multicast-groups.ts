import { SLOT_BYTES } from './flat-address.ts';

/** Ranks that multicast addresses reach together. */
export interface MulticastGroup {
  /**
   * The start of its addresses, which kernels and hosts use as its name, and the `mcBasePtr` of its
   * handles.
   */
  readonly base: number;
  /** World ranks, in the order of the team. */
  readonly members: readonly number[];
}

/**
 * The multicast groups of a world. Each has a slot of the flat address space behind those of the
 * ranks, of the same size, in which a window has the same offset too. Equal groups are one, and
 * exist until the world ends.
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

  /** The group of these ranks, if it exists. */
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

  /** The group whose slot contains an address. */
  at(address: number): MulticastGroup | undefined {
    return this.#bySlot[Math.floor(address / SLOT_BYTES) - this.#firstSlot];
  }
}
