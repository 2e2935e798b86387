import { check } from '@nccl-ts/checker';
import { expect, test } from 'vitest';

test.each<readonly [string, readonly unknown[], string]>([
  ['no options', [null, () => undefined], 'check takes its options as an object; given null.'],
  ['a number for options', [4, () => undefined], 'check takes its options as an object; given 4.'],
  ['no program', [{ ranks: 2 }], 'check takes a program, which is a function of a backend; given undefined.'],
])('check lists its options if one is wrong: %s', async (_, args, message) => {
  const untyped: Function = check;
  const called: unknown = Reflect.apply(untyped, undefined, args);
  await expect(called).rejects.toMatchObject({ code: 'NCCL_INVALID_ARGUMENT', message });
});
