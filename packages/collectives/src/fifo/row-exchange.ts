import type { DevResourceRequirements } from '@nccl-ts/devcomm';
import { structParam, u32, type StructParam } from '@nccl-ts/kernel';
import { SENTINEL_BANKS, SENTINEL_BYTES, SENTINEL_HEAD } from './sentinel.ts';

/** The most rows of a CTA that are under way together. */
export const MOST_ROWS_AT_ONCE = 4;

/**
 * The bytes in which a CTA tells the others of its row two values for each row of a turn, with the
 * turn.
 */
export const ROW_SUM_BYTES: number = SENTINEL_BANKS * MOST_ROWS_AT_ONCE * 2 * 8;

/** The memory through which CTAs exchange rows, as a kernel's parameter. */
export interface RowExchange {
  /** The handle of the resource that `rowExchangeRequirement` asked for. */
  readonly words: number;
  /** The number of 16-byte words that a CTA exchanges with each peer in a turn. */
  readonly turnWords: number;
}

/** The parameter type for a `RowExchange`. */
export const rowExchange: StructParam<RowExchange, RowExchange> = /* @__PURE__ */ structParam<RowExchange, RowExchange>(
  { struct: 'RowExchange', fields: { words: u32, turnWords: u32 } },
);

/** The size of the memory for exchanging rows. */
export interface RowRoom {
  /** The number of CTAs of the largest launch. */
  readonly ctas: number;
  /**
   * As `RowExchange.turnWords`: at least the number of threads of a CTA times the words of each
   * thread.
   */
  readonly turnWords: number;
}

/**
 * Returns the requirement that `allReduceRMSNormRows` has on a device communicator, for a
 * load-store domain of `lsaSize` ranks. All launches that use the resource must have the same
 * `turnWords`.
 */
export function rowExchangeRequirement({ ctas, turnWords }: RowRoom, lsaSize: number): DevResourceRequirements {
  const bank = turnWords * SENTINEL_BYTES * Math.max(1, lsaSize - 1);
  return { bufferSize: ctas * (SENTINEL_HEAD + SENTINEL_BANKS * bank + ROW_SUM_BYTES), bufferAlign: 128 };
}
