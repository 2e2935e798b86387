/** A set of bytes, as ranges that neither overlap nor touch. */
export class ByteRanges {
  /** By address, ascending. */
  #ranges: readonly { readonly low: number; readonly high: number }[] = [];

  add(low: number, bytes: number): void {
    if (bytes === 0) return;
    const high = low + bytes;
    const joined = this.#ranges.filter((one) => one.low <= high && low <= one.high);
    this.#ranges = [
      ...this.#ranges.filter((one) => one.high < low),
      { low: Math.min(low, ...joined.map((one) => one.low)), high: Math.max(high, ...joined.map((one) => one.high)) },
      ...this.#ranges.filter((one) => one.low > high),
    ];
  }

  /** True if all these bytes are in the set. */
  has(low: number, bytes: number): boolean {
    return this.#ranges.some((one) => one.low <= low && low + bytes <= one.high);
  }
}
