/** A possible value of a register: an address in memory that a parameter leads to. */
export interface FlowAddress {
  /** The key of the memory. */
  readonly memory: string;
  readonly offset: number;
  /** For an address with an index: the bytes of an element, or 0 if they are unknown. */
  readonly stride?: number;
}
