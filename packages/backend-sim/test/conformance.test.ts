import { sim } from '@nccl-ts/backend-sim';
import { conformance } from '@nccl-ts/conformance/vitest';

conformance({ name: 'sim', backend: (shape) => sim(shape), expectations: [], lock: '../conformance.lock.json' });
