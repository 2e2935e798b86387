/** Cycles that one reading of the counter takes. */
const READ_CYCLES = 16n;

/** The simulated cycle counter: it begins anywhere, grows with every reading, and means nothing else. */
export class CycleCounter {
  #cycles: bigint;

  constructor(start: bigint) {
    this.#cycles = BigInt.asUintN(48, start);
  }

  read(): bigint {
    this.#cycles += READ_CYCLES;
    return this.#cycles;
  }
}
