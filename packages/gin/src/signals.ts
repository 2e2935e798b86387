import { window } from '@nccl-ts/devcomm';
import { addr, coopParam, intrinsic, u32, u64, windowPointer } from '@nccl-ts/kernel';
import type { GinMethod } from './gin-context.ts';
import { ginStruct } from './impl/gin-struct.ts';
import { resetWord } from './impl/primitives.ts';
import { readWord, waitWord } from './impl/read-word.ts';
import { checkSignal, shadowWord, signalWord } from './impl/state-words.ts';
import { readOptions, waitOptions } from './options.ts';

export const readSignal: GinMethod<'readSignal'> = intrinsic(
  {
    name: 'gin.readSignal',
    use: { checkSignal, signalWord, readWord },
    params: { self: ginStruct, signal: u32, 'options?': readOptions },
  },
  ({ checkSignal, signalWord, readWord, u32 }, { self, signal, options }) => {
    checkSignal(self, signal);
    return readWord(signalWord(self, signal), u32(64), options);
  },
);

export const waitSignal: GinMethod<'waitSignal'> = intrinsic(
  {
    name: 'gin.waitSignal',
    use: { checkSignal, signalWord, waitWord },
    params: { self: ginStruct, coop: coopParam, signal: u32, least: u64, 'options?': waitOptions },
  },
  ({ checkSignal, signalWord, waitWord, u32 }, { self, coop, signal, least, options }) => {
    checkSignal(self, signal);
    return waitWord(coop, signalWord(self, signal), least, u32(64), options, options.timeoutCycles);
  },
);

export const resetSignal: GinMethod<'resetSignal'> = intrinsic(
  {
    name: 'gin.resetSignal',
    use: { checkSignal, signalWord, shadowWord, resetWord },
    params: { self: ginStruct, signal: u32 },
  },
  ({ checkSignal, signalWord, shadowWord, resetWord }, { self, signal }) => {
    checkSignal(self, signal);
    resetWord(signalWord(self, signal));
    shadowWord(self, signal).store(0, 0);
  },
);

export const readVASignal: GinMethod<'readVASignal'> = intrinsic(
  {
    name: 'gin.readVASignal',
    use: { windowPointer, readWord },
    params: { self: ginStruct, win: window, offset: addr, 'options?': readOptions },
  },
  ({ windowPointer, readWord, u32, u64 }, { win, offset, options }) =>
    readWord(windowPointer(win, u64, offset, win.lsaRank), u32(64), options),
);

export const waitVASignal: GinMethod<'waitVASignal'> = intrinsic(
  {
    name: 'gin.waitVASignal',
    use: { windowPointer, waitWord },
    params: { self: ginStruct, coop: coopParam, win: window, offset: addr, least: u64, 'options?': waitOptions },
  },
  ({ windowPointer, waitWord, u32, u64 }, { coop, win, offset, least, options }) =>
    waitWord(coop, windowPointer(win, u64, offset, win.lsaRank), least, u32(64), options, options.timeoutCycles),
);

export const resetVASignal: GinMethod<'resetVASignal'> = intrinsic(
  {
    name: 'gin.resetVASignal',
    use: { windowPointer, resetWord },
    params: { self: ginStruct, win: window, offset: addr },
  },
  ({ windowPointer, resetWord, u64 }, { win, offset }) => {
    resetWord(windowPointer(win, u64, offset, win.lsaRank));
  },
);
