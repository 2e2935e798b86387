import { coopParam, intrinsic, u32, u64 } from '@nccl-ts/kernel';
import type { GinMethod } from './gin-context.ts';
import { ginStruct } from './impl/gin-struct.ts';
import { resetWord } from './impl/primitives.ts';
import { readWord, waitWord } from './impl/read-word.ts';
import { checkCounter, counterWord } from './impl/state-words.ts';
import { readOptions, waitOptions } from './options.ts';

export const readCounter: GinMethod<'readCounter'> = intrinsic(
  {
    name: 'gin.readCounter',
    use: { checkCounter, counterWord, readWord },
    params: { self: ginStruct, counter: u32, 'options?': readOptions },
  },
  ({ checkCounter, counterWord, readWord, u32 }, { self, counter, options }) => {
    checkCounter(self, counter);
    return readWord(counterWord(self, counter), u32(56), options);
  },
);

export const waitCounter: GinMethod<'waitCounter'> = intrinsic(
  {
    name: 'gin.waitCounter',
    use: { checkCounter, counterWord, waitWord },
    params: { self: ginStruct, coop: coopParam, counter: u32, least: u64, 'options?': waitOptions },
  },
  ({ checkCounter, counterWord, waitWord, u32 }, { self, coop, counter, least, options }) => {
    checkCounter(self, counter);
    return waitWord(coop, counterWord(self, counter), least, u32(56), options, options.timeoutCycles);
  },
);

export const resetCounter: GinMethod<'resetCounter'> = intrinsic(
  {
    name: 'gin.resetCounter',
    use: { checkCounter, counterWord, resetWord },
    params: { self: ginStruct, counter: u32 },
  },
  ({ checkCounter, counterWord, resetWord }, { self, counter }) => {
    checkCounter(self, counter);
    resetWord(counterWord(self, counter));
  },
);
