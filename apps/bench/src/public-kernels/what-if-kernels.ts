import { harness, type KernelHarness } from '@nccl-ts/harness';
import { kernelsNamed } from './public-kernels.ts';
import type { PublicKernel } from './public-kernel.ts';

const KIB = 1024;

/** A public kernel with a change, at the sizes at which both are predicted and measured. */
function changed(
  base: string,
  change: string,
  sizes: readonly number[],
  how: (given: KernelHarness) => Partial<Pick<KernelHarness, 'grid' | 'kernel'>>,
): PublicKernel {
  const [kernel] = kernelsNamed(base);
  if (kernel === undefined) throw new RangeError(`There is no kernel ${base}.`);
  return {
    name: `${base}~${change}`,
    source: `${kernel.source}, ${change}`,
    sizes,
    harness: (bytes) => {
      const given = kernel.harness(bytes);
      if (given.kernels !== undefined) throw new RangeError('A public kernel is one kernel.');
      return harness({ ...given, ...how(given) });
    },
  };
}

const ctas = (base: string, grid: number, sizes: readonly number[]): PublicKernel =>
  changed(base, `${grid}-ctas`, sizes, () => ({ grid }));

const edited = (base: string, edit: string, sizes: readonly number[]): PublicKernel =>
  changed(base, edit, sizes, ({ kernel }) => ({
    kernel: (rank) => (typeof kernel === 'function' ? kernel(rank) : kernel)?.replace(/\.ptx$/, `@${edit}.ptx`),
  }));

/**
 * Changes whose effect is predicted and measured: weaker orders, no fence, other numbers of CTAs.
 */
export function whatIfs(): readonly PublicKernel[] {
  return [
    edited('vllm-2stage', 'relaxed', [16 * KIB, 64 * KIB]),
    edited('mscclpp-rsag', 'relaxed', [16 * KIB, 64 * KIB]),
    edited('triton-two-shot', 'relaxed', [16 * KIB, 64 * KIB]),
    edited('lmdeploy-pull', 'relaxed', [16 * KIB, 64 * KIB]),
    edited('te-gather-push', 'unfenced', [16 * KIB, 64 * KIB]),
    edited('flashinfer-ulysses', 'offered', [16 * KIB, 64 * KIB]),
    ctas('te-reduce-scatter', 32, [1024 * KIB]),
    ctas('vllm-1stage', 18, [1024 * KIB]),
    ctas('mscclpp-packet', 16, [64 * KIB]),
    ctas('triton-one-shot', 48, [1024 * KIB]),
  ];
}
