import { cuda, emitCuda } from '@nccl-ts/backend-cuda';
import { allReduceRMSNormRows, rowExchange, type NormRowsOptions } from '@nccl-ts/collectives';
import { devComm, symPtr } from '@nccl-ts/devcomm';
import { validate } from '@nccl-ts/ir';
import { bf16, e4m3, f16, f32, i8, kernel, u32, type Kernel } from '@nccl-ts/kernel';
import { describe, expect, inject, it } from 'vitest';
import { fusedRMSNorm, residualRMSNorm } from '../src/kernels/rms-norm-kernels.ts';
import { canCompile, compileText, unlessNvcc } from './support/nvcc.ts';

function textOf(of: Kernel): string {
  const result = validate(of.compile(), cuda().capabilities);
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return emitCuda(result.module, { ncclVersion: 22809 }).text;
}

/** A kernel with a quantised output, and no residual. */
function quantised(options: NormRowsOptions): Kernel {
  return kernel(
    {
      name: 'quantised',
      use: { normRows: allReduceRMSNormRows({ ...options, residual: false }) },
      params: {
        comm: devComm,
        exchange: rowExchange,
        send: symPtr(options.element),
        weight: symPtr(options.element),
        out: symPtr(options.output ?? options.element),
        scales: symPtr(f32),
        scale: f32,
        rows: u32,
      },
    },
    ({ normRows }, { comm, exchange, send, weight, out, scales, scale, rows }) => {
      normRows(comm, exchange, {
        send: send.localPtr(),
        weight: weight.localPtr(),
        out: out.localPtr(),
        scales: scales.localPtr(),
        inverseScale: 1 / scale,
        rows,
        hidden: 4096,
        epsilon: 1e-6,
      });
    },
  );
}

const kernels: readonly (readonly [string, Kernel])[] = [
  ['for two ranks', fusedRMSNorm({ ranks: 2, shuffles: true })],
  ['for eight ranks', fusedRMSNorm({ ranks: 8, shuffles: true })],
  ['for two ranks, in parts', fusedRMSNorm({ ranks: 2, shuffles: true, words: 2, parts: 2, rowsAtOnce: 1 })],
  ['for any number of ranks', fusedRMSNorm({ ranks: 0, shuffles: true })],
  ['to e4m3 by rows', quantised({ element: bf16, output: e4m3, scaling: 'row', ranks: 4, shuffles: true })],
  ['to i8 by a scale', quantised({ element: f16, output: i8, scaling: 'given', ranks: 2, shuffles: true })],
  ['of sums that are there', residualRMSNorm(2)],
];

/** With NCCLTS_EVERY_CASE set all are compiled; otherwise every sixth. */
const step = inject('everyCase') ? 1 : 6;

describe('the CUDA text of AllReduce with RMSNorm', () => {
  it.skipIf(!canCompile).each(kernels.filter((_, i) => i % step === 1 % step))(
    `nvcc compiles the %s variant without spills${unlessNvcc}`,
    { timeout: 120_000 },
    (_title, of) => {
      const printed = compileText(textOf(of), ['-cubin', '-Xptxas', '-v', '-maxrregcount=128']);
      expect(printed).toContain(' 0 bytes spill stores');
    },
  );
});
