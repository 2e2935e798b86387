import { coopParam, deviceFn, intrinsic, ptr, u32, u64, type Coop, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import type { GinMethod } from './gin-context.ts';
import { ginStruct, type GinParts } from './impl/gin-struct.ts';
import { bitsOf, readWord, waitWord } from './impl/read-word.ts';
import { checkSignal, shadowWord, signalWord } from './impl/state-words.ts';
import { readOptions, type ReadOptions } from './options.ts';

export const signalShadowPtr: GinMethod<'signalShadowPtr'> = intrinsic(
  { name: 'gin.signalShadowPtr', use: { checkSignal, shadowWord }, params: { self: ginStruct, signal: u32 } },
  ({ checkSignal, shadowWord }, { self, signal }) => {
    checkSignal(self, signal);
    return shadowWord(self, signal);
  },
);

export const increaseSignalShadow: GinMethod<'increaseSignalShadow'> = intrinsic(
  {
    name: 'gin.increaseSignalShadow',
    use: { checkSignal, shadowWord },
    params: { self: ginStruct, signal: u32, delta: u64 },
  },
  ({ checkSignal, shadowWord }, { self, signal, delta }) => {
    checkSignal(self, signal);
    const shadow = shadowWord(self, signal);
    shadow.store(0, shadow.load(0) + delta);
  },
);

export const waitSignalMeetShadow: GinMethod<'waitSignalMeetShadow'> = intrinsic(
  {
    name: 'gin.waitSignalMeetShadow',
    use: { checkSignal, shadowWord, signalWord, waitWord },
    params: { self: ginStruct, coop: coopParam, signal: u32, 'options?': readOptions },
  },
  ({ checkSignal, shadowWord, signalWord, waitWord, u32 }, { self, coop, signal, options }) => {
    checkSignal(self, signal);
    coop.sync();
    waitWord(coop, signalWord(self, signal), shadowWord(self, signal).load(0), u32(64), options);
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
    use: { checkSignal, shadowWord, signalWord, waitWord, readWord, bitsOf },
    params: {
      self: ginStruct,
      coop: coopParam,
      signal: u32,
      leastDelta: u64,
      into: ptr(u64),
      'options?': readOptions,
    },
  },
  ({ checkSignal, shadowWord, signalWord, waitWord, readWord, bitsOf, u32, u64 }, call) => {
    const { self, coop, signal, options } = call;
    checkSignal(self, signal);
    coop.sync();
    const shadow = shadowWord(self, signal);
    const before = shadow.load(0);
    waitWord(coop, signalWord(self, signal), before + call.leastDelta, u32(64), options);
    const mask = ~u64(0) >> (u64(64) - u64(bitsOf(options, u32(64))));
    const delta = (readWord(signalWord(self, signal), u32(64), options) - before) & mask;
    coop.sync();
    if (coop.threadRank() === 0) shadow.store(0, before + delta);
    coop.sync();
    call.into.store(0, before & mask);
    call.into.store(1, delta);
  },
);

export const waitSignalFollowShadow: GinMethod<'waitSignalFollowShadow'> = deviceFn(
  { name: 'gin.waitSignalFollowShadow', use: { followShadow } },
  ({ followShadow, localArray, u64 }, self, coop, signal, leastDelta, options) => {
    const followed = localArray(u64, 2);
    followShadow(self, coop, signal, leastDelta, followed, options);
    return { before: followed.load(0), delta: followed.load(1) };
  },
);
