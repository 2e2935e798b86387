import { expect, test } from 'vitest';
import { heldOut } from '../src/public-kernels/held-out.ts';
import { publicKernels } from '../src/public-kernels/public-kernels.ts';

test('the kernels that are held out of mends stay as they were drawn', () => {
  const names = publicKernels.map(({ name }) => name);
  expect([...heldOut(names)].toSorted()).toEqual([
    'flashinfer-moe',
    'flashinfer-two-shot',
    'flashinfer-ulysses',
    'lmdeploy-pull',
    'mscclpp-packet',
    'sglang-push-2',
    'te-gather-push',
    'te-reduce-scatter',
    'triton-one-shot',
    'triton-two-shot',
    'vllm-1stage',
  ]);
  expect(heldOut(names.toReversed())).toEqual(heldOut(names));
});
