import { sim } from '@nccl-ts/backend-sim';
import { conformanceMutants } from '@nccl-ts/conformance/vitest';

conformanceMutants({ name: 'sim', backend: (shape) => sim(shape), timeoutMilliseconds: 20_000 });
