import { deviceFn, intrinsic, ptr, u32, u64, type Coop, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import { ginStruct, type GinParts } from './impl/gin-struct.ts';
import { readWord, waitWord } from './impl/read-word.ts';
import { checkSignal, shadowWord, signalWord } from './impl/state-words.ts';
import { readOptions, type ReadOptions } from './options.ts';

/**
 * `net.signalShadowPtr(signal)`: returns a pointer to the signal's shadow, a u64 of the calling
 * rank in which a kernel can keep a count.
 *
 * @see ncclGin::getSignalShadowPtr
 */
export const signalShadowPtr: DeviceFn<(self: GinParts, signal: number) => Ptr> = intrinsic(
  { name: 'gin.signalShadowPtr', use: { checkSignal, shadowWord }, params: { self: ginStruct, signal: u32 } },
  ({ checkSignal, shadowWord }, self: GinParts, signal: number) => {
    checkSignal(self, signal);
    return shadowWord(self, signal);
  },
);

/**
 * `net.increaseSignalShadow(signal, delta)`: adds to the shadow. One thread calls it.
 *
 * @see ncclGin::increaseSignalShadow
 */
export const increaseSignalShadow: DeviceFn<(self: GinParts, signal: number, delta: number) => void> = intrinsic(
  {
    name: 'gin.increaseSignalShadow',
    use: { checkSignal, shadowWord },
    params: { self: ginStruct, signal: u32, delta: u64 },
  },
  ({ checkSignal, shadowWord }, self: GinParts, signal: number, delta: number) => {
    checkSignal(self, signal);
    const shadow = shadowWord(self, signal);
    shadow.store(0, shadow.load(0) + delta);
  },
);

/**
 * `net.waitSignalMeetShadow(coop, signal, { bits?, order? })`: waits until the signal has reached
 * its shadow.
 *
 * @see ncclGin::waitSignalMeetShadow
 */
export const waitSignalMeetShadow: DeviceFn<
  (self: GinParts, coop: Coop, signal: number, options?: ReadOptions) => void
> = intrinsic(
  {
    name: 'gin.waitSignalMeetShadow',
    use: { checkSignal, shadowWord, signalWord, waitWord },
    params: { self: ginStruct, coop: { kind: 'coop' }, signal: u32, 'options?': readOptions },
  },
  (
    { checkSignal, shadowWord, signalWord, waitWord, u32 },
    self: GinParts,
    coop: Coop,
    signal: number,
    options: ReadOptions,
  ) => {
    checkSignal(self, signal);
    coop.sync();
    waitWord(
      coop,
      signalWord(self, signal),
      shadowWord(self, signal).load(0),
      options.bits === undefined ? u32(64) : options.bits,
      options.order === undefined ? 'acquire' : options.order,
    );
  },
);

/**
 * Like `waitSignalFollowShadow`, but stores the previous shadow to `into[0]`, and the signal's
 * distance from it to `into[1]`.
 */
const followShadow: DeviceFn<
  (self: GinParts, coop: Coop, signal: number, leastDelta: number, into: Ptr, options?: ReadOptions) => void
> = intrinsic(
  {
    name: 'gin.waitSignalFollowShadow',
    use: { checkSignal, shadowWord, signalWord, waitWord, readWord },
    params: {
      self: ginStruct,
      coop: { kind: 'coop' },
      signal: u32,
      leastDelta: u64,
      into: ptr(u64),
      'options?': readOptions,
    },
  },
  (
    { checkSignal, shadowWord, signalWord, waitWord, readWord, u32, u64 },
    self: GinParts,
    coop: Coop,
    signal: number,
    leastDelta: number,
    into: Ptr,
    options: ReadOptions,
  ) => {
    const bits = options.bits === undefined ? u32(64) : options.bits;
    const order = options.order === undefined ? 'acquire' : options.order;
    checkSignal(self, signal);
    coop.sync();
    const shadow = shadowWord(self, signal);
    const before = shadow.load(0);
    waitWord(coop, signalWord(self, signal), before + leastDelta, bits, order);
    const mask = ~u64(0) >> (u64(64) - u64(bits));
    const delta = (readWord(signalWord(self, signal), bits, order) - before) & mask;
    coop.sync();
    if (coop.threadRank() === 0) shadow.store(0, before + delta);
    coop.sync();
    into.store(0, before & mask);
    into.store(1, delta);
  },
);

/**
 * `net.waitSignalFollowShadow(coop, signal, leastDelta, { bits?, order? })`: waits until the signal
 * is at least `leastDelta` past its shadow, then sets the shadow to the signal. Returns `{ before,
 * delta }`: the previous shadow, and the signal's distance from it, both in their low `bits`.
 *
 * @see ncclGin::waitSignalFollowShadow
 */
export const waitSignalFollowShadow: DeviceFn<
  (
    self: GinParts,
    coop: Coop,
    signal: number,
    leastDelta: number,
    options?: ReadOptions,
  ) => { readonly before: number; readonly delta: number }
> = deviceFn(
  { name: 'gin.waitSignalFollowShadow', use: { followShadow } },
  (
    { followShadow, localArray, u64 },
    self: GinParts,
    coop: Coop,
    signal: number,
    leastDelta: number,
    options?: ReadOptions,
  ) => {
    const followed = localArray(u64, 2);
    followShadow(self, coop, signal, leastDelta, followed, options);
    return { before: followed.load(0), delta: followed.load(1) };
  },
);
