import { intrinsic, u32, u64, type Coop, type DeviceFn } from '@nccl-ts/kernel';
import { ginStruct, type GinParts } from './impl/gin-struct.ts';
import { resetWord } from './impl/primitives.ts';
import { readWord, waitWord } from './impl/read-word.ts';
import { checkCounter, counterWord } from './impl/state-words.ts';
import { readOptions, waitOptions, type ReadOptions, type TimedReadOptions } from './options.ts';

/**
 * `net.readCounter(counter, { bits?, order? })`: reads at most 56 bits.
 *
 * @see ncclGin::readCounter
 */
export const readCounter: DeviceFn<(self: GinParts, counter: number, options?: ReadOptions) => number> = intrinsic(
  {
    name: 'gin.readCounter',
    use: { checkCounter, counterWord, readWord },
    params: { self: ginStruct, counter: u32, 'options?': readOptions },
  },
  ({ checkCounter, counterWord, readWord, u32 }, self: GinParts, counter: number, options: ReadOptions) => {
    checkCounter(self, counter);
    return readWord(
      counterWord(self, counter),
      options.bits === undefined ? u32(56) : options.bits,
      options.order === undefined ? 'acquire' : options.order,
    );
  },
);

/**
 * `net.waitCounter(coop, counter, least, { bits?, order?, timeoutCycles? })`: returns once the
 * counter has reached `least`. The sources of that many puts may then be reused. With
 * `timeoutCycles` it gives up after these cycles, and returns 0 or `ResultCode.Timeout`: see
 * `TimedReadOptions`.
 *
 * @see ncclGin::waitCounter
 */
export const waitCounter: DeviceFn<
  (
    self: GinParts,
    coop: Coop,
    counter: number,
    least: number,
    options?: ReadOptions & Partial<TimedReadOptions>,
  ) => number | undefined
> = intrinsic(
  {
    name: 'gin.waitCounter',
    use: { checkCounter, counterWord, waitWord },
    params: { self: ginStruct, coop: { kind: 'coop' }, counter: u32, least: u64, 'options?': waitOptions },
  },
  (
    { checkCounter, counterWord, waitWord, u32 },
    self: GinParts,
    coop: Coop,
    counter: number,
    least: number,
    options: ReadOptions & Partial<TimedReadOptions>,
  ) => {
    checkCounter(self, counter);
    const bits = options.bits === undefined ? u32(56) : options.bits;
    const order = options.order === undefined ? 'acquire' : options.order;
    return waitWord(coop, counterWord(self, counter), least, bits, order, options.timeoutCycles);
  },
);

/**
 * `net.resetCounter(counter)`: sets the counter to 0. No put that changes it may be in flight.
 *
 * @see ncclGin::resetCounter
 */
export const resetCounter: DeviceFn<(self: GinParts, counter: number) => void> = intrinsic(
  {
    name: 'gin.resetCounter',
    use: { checkCounter, counterWord, resetWord },
    params: { self: ginStruct, counter: u32 },
  },
  ({ checkCounter, counterWord, resetWord }, self: GinParts, counter: number) => {
    checkCounter(self, counter);
    resetWord(counterWord(self, counter));
  },
);
