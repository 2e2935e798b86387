import { check } from '@nccl-ts/checker';
import { kernel } from '@nccl-ts/kernel';
import { expect, test } from 'vitest';

test.each<readonly [string, readonly unknown[], string]>([
  ['no options', [null, () => undefined], 'check takes its options as an object; given null.'],
  ['a number for options', [4, () => undefined], 'check takes its options as an object; given 4.'],
  [
    'no program',
    [{ ranks: 2 }],
    "check takes a program: a function of each rank's communicator, as host(comm), or of a backend, which opens a world; given undefined.",
  ],
  [
    'a kernel for a program',
    [{ ranks: 2 }, kernel({ name: 'alone', params: {} }, () => undefined)],
    "check takes a program: a function of each rank's communicator, as host(comm), or of a backend, which opens a world; given a kernel: launch it in host(comm), or check it with nccl-ts check or toBeRaceFree.",
  ],
])('check lists its options if one is wrong: %s', async (_, args, message) => {
  const untyped: Function = check;
  const called: unknown = Reflect.apply(untyped, undefined, args);
  await expect(called).rejects.toMatchObject({ code: 'NCCL_INVALID_ARGUMENT', message });
});
