import { describe, expect, it } from 'vitest';
import { kernels, cudaText } from './support/cuda-text.ts';

describe('the CUDA text of an example', () => {
  it.each(kernels.map((kernel) => [kernel.name, kernel] as const))(
    'the CUDA text of kernel %s equals its snapshot',
    async (name, kernel) => {
      await expect(cudaText(kernel)).toMatchFileSnapshot(`snapshots/cuda/${name}.cu`);
    },
  );
});
