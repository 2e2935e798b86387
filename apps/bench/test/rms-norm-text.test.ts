import { cuda, emitCuda } from '@nccl-ts/backend-cuda';
import { validate } from '@nccl-ts/ir';
import { type Kernel } from '@nccl-ts/kernel';
import { describe, expect, it } from 'vitest';
import { fusedRMSNorm } from '../src/kernels/rms-norm-kernels.ts';

function textOf(of: Kernel): string {
  const result = validate(of.compile(), cuda().capabilities);
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return emitCuda(result.module, { ncclVersion: 22809 }).text;
}

describe('the CUDA text of AllReduce with RMSNorm', () => {
  it('equals its snapshot, for two ranks', async () => {
    await expect(textOf(fusedRMSNorm({ ranks: 2, shuffles: true }))).toMatchFileSnapshot('snapshots/fused-rms-norm.cu');
  });

  it('polls and stores whole words, has no barriers, and loads of the CTA are 16 bytes', () => {
    const text = textOf(fusedRMSNorm({ ranks: 2, shuffles: true }));
    expect(text).toContain('ld.relaxed.sys.v4.b32');
    expect(text).toContain('st.relaxed.sys.v4.b32');
    expect(text).not.toContain('ncclLsaBarrierSession');
  });
});
