import { devComm } from '@nccl-ts/devcomm';
import { deviceFn, structParam, u32, type DeviceFn, type StructParam } from '@nccl-ts/kernel';
import { readCounter, resetCounter, waitCounter } from './counters.ts';
import { flush, flushAsync, wait } from './flush.ts';
import type { Gin } from './gin-context.ts';
import type { GinModule } from './gin-module.ts';
import { increaseSignalShadow, signalShadowPtr, waitSignalFollowShadow, waitSignalMeetShadow } from './shadows.ts';
import { readSignal, readVASignal, resetSignal, resetVASignal, waitSignal, waitVASignal } from './signals.ts';
import { get, put, putElements, putValue, signal } from './transfers.ts';

/** The parameter type for a `Gin`, for device functions that take one. */
export const ginType: StructParam<Gin, never> = structParam({
  struct: 'Gin',
  fields: { comm: devComm, index: u32, sharing: u32 },
  methods: {
    put,
    putElements,
    putValue,
    get,
    signal,
    flush,
    flushAsync,
    wait,
    readSignal,
    waitSignal,
    resetSignal,
    readVASignal,
    waitVASignal,
    resetVASignal,
    readCounter,
    waitCounter,
    resetCounter,
    signalShadowPtr,
    increaseSignalShadow,
    waitSignalMeetShadow,
    waitSignalFollowShadow,
  },
});

/** @see {@link GinModule.context} */
export const context: DeviceFn<GinModule['context']> = deviceFn(
  { name: 'gin.context', use: { GinType: ginType } },
  ({ GinType, u32 }, comm, index, sharing) =>
    GinType({
      comm,
      index: u32(index),
      sharing: sharing === undefined || sharing === 'gpu' ? u32(0) : sharing === 'cta' ? u32(1) : u32(2),
    }),
);
