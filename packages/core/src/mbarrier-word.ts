/**
 * The 64 bits of an mbarrier, as translated kernels keep it: the missing arrivals of the phase (20
 * bits), the arrivals per phase (20), the awaited bytes (22), and the parity of the phase. The
 * number of bytes may be temporarily negative, so `noBytes` is its zero.
 */
export const mbarrierLayout: Readonly<
  Record<'arrivals' | 'expectedAt' | 'bytesAt' | 'bytes' | 'noBytes' | 'phaseAt', bigint>
> = Object.freeze({
  arrivals: 0xfffffn,
  expectedAt: 20n,
  bytesAt: 40n,
  bytes: 0x3fffffn,
  noBytes: 1n << 20n,
  phaseAt: 62n,
});

/** The state of an mbarrier. */
export interface MbarrierState {
  /** The arrivals that the phase still lacks, and those that a phase has. */
  readonly left: number;
  readonly expected: number;
  /** The announced bytes that have not come. Negative if more have come than were announced. */
  readonly bytes: number;
  /** The parity of the phase that has not ended. */
  readonly parity: 0 | 1;
}

/** Decodes the word of an mbarrier; `undefined` if it cannot be one. */
export function mbarrierState(word: bigint): MbarrierState | undefined {
  const { arrivals, expectedAt, bytesAt, bytes, noBytes, phaseAt } = mbarrierLayout;
  const left = Number(word & arrivals);
  const expected = Number((word >> expectedAt) & arrivals);
  if (expected === 0 || left > expected || word >> (phaseAt + 1n) !== 0n) return undefined;
  return {
    left,
    expected,
    bytes: Number(((word >> bytesAt) & bytes) - noBytes),
    parity: ((word >> phaseAt) & 1n) === 0n ? 0 : 1,
  };
}
