import { window, type Window } from '@nccl-ts/devcomm';
import { addr, intrinsic, u32, u64, windowPointer, type Coop, type DeviceFn } from '@nccl-ts/kernel';
import { ginStruct, type GinParts } from './impl/gin-struct.ts';
import { resetWord } from './impl/primitives.ts';
import { readWord, waitWord } from './impl/read-word.ts';
import { checkSignal, shadowWord, signalWord } from './impl/state-words.ts';
import { readOptions, waitOptions, type ReadOptions, type TimedReadOptions } from './options.ts';

const coop = { kind: 'coop' } as const;

/**
 * `net.readSignal(signal, { bits?, order? })`: returns the signal's low bits.
 *
 * @see ncclGin::readSignal
 */
export const readSignal: DeviceFn<(self: GinParts, signal: number, options?: ReadOptions) => number> = intrinsic(
  {
    name: 'gin.readSignal',
    use: { checkSignal, signalWord, readWord },
    params: { self: ginStruct, signal: u32, 'options?': readOptions },
  },
  ({ checkSignal, signalWord, readWord, u32 }, self: GinParts, signal: number, options: ReadOptions) => {
    checkSignal(self, signal);
    return readWord(
      signalWord(self, signal),
      options.bits === undefined ? u32(64) : options.bits,
      options.order === undefined ? 'acquire' : options.order,
    );
  },
);

/**
 * `net.waitSignal(coop, signal, least, { bits?, order?, timeoutCycles?
 * })`: returns, to all threads of `coop`, once the low bits of the signal, which wrap around, have
 * reached `least`. With `timeoutCycles` it gives up after these cycles, and returns 0 or
 * `ResultCode.Timeout`: see `TimedReadOptions`.
 *
 * @see ncclGin::waitSignal
 */
export const waitSignal: DeviceFn<
  (
    self: GinParts,
    coop: Coop,
    signal: number,
    least: number,
    options?: ReadOptions & Partial<TimedReadOptions>,
  ) => number | undefined
> = intrinsic(
  {
    name: 'gin.waitSignal',
    use: { checkSignal, signalWord, waitWord },
    params: { self: ginStruct, coop, signal: u32, least: u64, 'options?': waitOptions },
  },
  (
    { checkSignal, signalWord, waitWord, u32 },
    self: GinParts,
    coop: Coop,
    signal: number,
    least: number,
    options: ReadOptions & Partial<TimedReadOptions>,
  ) => {
    checkSignal(self, signal);
    const bits = options.bits === undefined ? u32(64) : options.bits;
    const order = options.order === undefined ? 'acquire' : options.order;
    return waitWord(coop, signalWord(self, signal), least, bits, order, options.timeoutCycles);
  },
);

/**
 * `net.resetSignal(signal)`: sets the signal and its shadow to 0. No signal to it may be in flight,
 * which the simulator checks. One thread calls it.
 *
 * @see ncclGin::resetSignal
 */
export const resetSignal: DeviceFn<(self: GinParts, signal: number) => void> = intrinsic(
  {
    name: 'gin.resetSignal',
    use: { checkSignal, signalWord, shadowWord, resetWord },
    params: { self: ginStruct, signal: u32 },
  },
  ({ checkSignal, signalWord, shadowWord, resetWord }, self: GinParts, signal: number) => {
    checkSignal(self, signal);
    resetWord(signalWord(self, signal));
    shadowWord(self, signal).store(0, 0);
  },
);

/**
 * `net.readVASignal(win, offset, { bits?, order? })`: reads the word at byte `offset` of the
 * calling rank's copy of a window.
 * @see ncclGin::readSignal
 */
export const readVASignal: DeviceFn<(self: GinParts, win: Window, offset: number, options?: ReadOptions) => number> =
  intrinsic(
    {
      name: 'gin.readVASignal',
      use: { windowPointer, readWord },
      params: { self: ginStruct, win: window, offset: addr, 'options?': readOptions },
    },
    ({ windowPointer, readWord, u32, u64 }, _self: GinParts, win: Window, offset: number, options: ReadOptions) =>
      readWord(
        windowPointer(win, u64, offset, win.lsaRank),
        options.bits === undefined ? u32(64) : options.bits,
        options.order === undefined ? 'acquire' : options.order,
      ),
  );

/**
 * `net.waitVASignal(coop, win, offset, least, { bits?, order?, timeoutCycles?
 * })`: like `waitSignal`.
 * @see ncclGin::waitSignal
 */
export const waitVASignal: DeviceFn<
  (
    self: GinParts,
    coop: Coop,
    win: Window,
    offset: number,
    least: number,
    options?: ReadOptions & Partial<TimedReadOptions>,
  ) => number | undefined
> = intrinsic(
  {
    name: 'gin.waitVASignal',
    use: { windowPointer, waitWord },
    params: { self: ginStruct, coop, win: window, offset: addr, least: u64, 'options?': waitOptions },
  },
  (
    { windowPointer, waitWord, u32, u64 },
    _self: GinParts,
    coop: Coop,
    win: Window,
    offset: number,
    least: number,
    options: ReadOptions & Partial<TimedReadOptions>,
  ) => {
    const bits = options.bits === undefined ? u32(64) : options.bits;
    const order = options.order === undefined ? 'acquire' : options.order;
    return waitWord(coop, windowPointer(win, u64, offset, win.lsaRank), least, bits, order, options.timeoutCycles);
  },
);

/** `net.resetVASignal(win, offset)`: like `resetSignal`. @see ncclGin::resetSignal */
export const resetVASignal: DeviceFn<(self: GinParts, win: Window, offset: number) => void> = intrinsic(
  {
    name: 'gin.resetVASignal',
    use: { windowPointer, resetWord },
    params: { self: ginStruct, win: window, offset: addr },
  },
  ({ windowPointer, resetWord, u64 }, _self: GinParts, win: Window, offset: number) => {
    resetWord(windowPointer(win, u64, offset, win.lsaRank));
  },
);
