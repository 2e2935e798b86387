import { cuda, probe } from '@nccl-ts/backend-cuda';
import { conformance } from '@nccl-ts/conformance/vitest';
import { NcclError } from '@nccl-ts/core';
import { describe } from 'vitest';

const report = await probe();
const { length } = report.gpus;

const unlessGpus = report.ok ? '' : ' (skipped: the CUDA backend cannot open a world here)';

describe.skipIf(!report.ok)(`conformance on the GPUs of this machine${unlessGpus}`, () => {
  conformance({
    name: 'cuda',
    backend: ({ ranks, lsaSize }) => {
      if (ranks <= length && lsaSize === ranks) {
        return cuda({ devices: Array.from({ length: ranks }, (_, device) => device) });
      }
      throw new NcclError(
        'NCCLTS_NOT_SUPPORTED',
        `asked for ${ranks} ranks in domains of ${lsaSize}; there are ${length} GPUs in one`,
      );
    },
  });
});
