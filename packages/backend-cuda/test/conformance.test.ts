import { cuda, probe } from '@nccl-ts/backend-cuda';
import { conformance } from '@nccl-ts/conformance/vitest';
import { NcclError } from '@nccl-ts/core';
import { describe, it } from 'vitest';

const report = await probe();

if (report.ok) {
  conformance({
    name: 'cuda',
    backend: ({ ranks, lsaSize }) => {
      const { length } = report.gpus;
      if (ranks > length || lsaSize !== ranks) {
        throw new NcclError(
          'NCCLTS_NOT_SUPPORTED',
          `asked for ${ranks} ranks in domains of ${lsaSize}; there are ${length} GPUs`,
        );
      }
      return cuda({ devices: Array.from({ length: ranks }, (_, device) => device) });
    },
  });
} else {
  const lacking = report.items.flatMap((item) => (item.ok === false ? [item.name] : []));
  const reason = lacking.includes('driver') ? 'no CUDA driver' : `this machine lacks: ${lacking.join(', ')}`;
  console.warn(`skipped: ${reason}`);
  describe('cuda', () => {
    it('conforms', ({ skip }) => skip(reason));
  });
}
