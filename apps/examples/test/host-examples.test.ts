import { sim } from '@nccl-ts/backend-sim';
import { describe, expect, inject, test } from 'vitest';
import { runOnePerTask, runSingleProcess } from '../src/09-communicators/run.ts';
import { runCollectives } from '../src/10-collectives/run.ts';
import { runBufferRegistration } from '../src/11-buffer-registration/run.ts';
import { runSymmetricAllGather, runSymmetricAllReduce } from '../src/12-symmetric-memory/run.ts';
import { runPointToPoint } from '../src/13-point-to-point/run.ts';
import { backendFactory } from '../src/backend.ts';
import type { ExampleOptions } from '../src/example.ts';
import { hostExamples } from '../src/host-examples.ts';
import { printResults } from '../src/host-steps.ts';
import { runSchedules } from '../src/seeds/campaign.ts';
import { testedBackends, unlessThere } from './support/backends.ts';

/** The lines that an example prints on the simulator. */
async function printed(run: (options: ExampleOptions) => Promise<boolean>, ranks = 4): Promise<string> {
  const lines: string[] = [];
  expect(await run({ backend: sim({ ranks }), print: (line) => lines.push(line) })).toBe(true);
  return lines.join('\n');
}

/** Of the tests with these rows, the quick run has none. */
const slow = inject('slow') ? [0] : [];

const count = 1_048_576;
const line = '='.repeat(61);

// The lines of NCCL's READMEs, except those that each example documents as different.
describe("host examples print the output of NCCL's examples", { timeout: 60_000 }, () => {
  test('09-communicators-single-process', async () => {
    expect(await printed(runSingleProcess)).toBe(`Using World.open() to create all communicators simultaneously
All 4 NCCL communicators initialized successfully

Communicator Details:
  Communicator 0: Rank 0/4 on device 0
  Communicator 1: Rank 1/4 on device 1
  Communicator 2: Rank 2/4 on device 2
  Communicator 3: Rank 3/4 on device 3
All communicators have the expected size of 4

Synchronizing all streams...
All streams synchronized
Destroying NCCL communicators and their streams...
All NCCL communicators and streams destroyed

${line}
SUCCESS: Multiple devices single process example completed!
${line}`);
  });

  test('09-communicators-tasks', async () => {
    expect(await printed(runOnePerTask, 2)).toBe(`Using 2 devices with tasks
Creating 2 tasks for NCCL communicators
  Task 0: Set device 0 and created stream
  Task 1: Set device 1 and created stream
  Task 0: NCCL communicator initialized
  Task 1: NCCL communicator initialized
All tasks synchronized - communicators ready
  Task 0: Communicator rank 0 of 2
  Task 1: Communicator rank 1 of 2
  Task 0: Destroyed NCCL communicator
  Task 1: Destroyed NCCL communicator
  Task 0: Resources cleaned up
  Task 1: Resources cleaned up
All tasks completed
Success`);
  });

  test.for(slow)('10-collectives', async () => {
    expect(await printed(async (options) => runCollectives({ ...options, count }))).toBe(
      `Using 4 devices for collective communication
NCCL communicators initialized for all devices
Memory and streams allocated for 4 communicators
  Device 0 initialized with data value 0
  Device 1 initialized with data value 1
  Device 2 initialized with data value 2
  Device 3 initialized with data value 3
Starting collective sum operation across all devices
Collective operation completed
Verifying results (expected sum: 6)
  Device 0 correctly received sum: 6
  Device 1 correctly received sum: 6
  Device 2 correctly received sum: 6
  Device 3 correctly received sum: 6
Example completed successfully!`,
    );
  });

  test.for(slow)('11-buffer-registration', async () => {
    expect(await printed(async (options) => runBufferRegistration({ ...options, count }))).toBe(
      `Starting AllReduce example with 4 ranks
  Rank 0 communicator initialized using device 0
  Rank 1 communicator initialized using device 1
  Rank 2 communicator initialized using device 2
  Rank 3 communicator initialized using device 3
User Buffer allocation:
  Rank 0 allocating 4.00 MB per buffer
  Rank 1 allocating 4.00 MB per buffer
  Rank 2 allocating 4.00 MB per buffer
  Rank 3 allocating 4.00 MB per buffer
  Rank 0 data initialized (value: 0)
  Rank 1 data initialized (value: 1)
  Rank 2 data initialized (value: 2)
  Rank 3 data initialized (value: 3)
Starting AllReduce with 1048576 elements (4 MB)
AllReduce completed successfully
Verification - Expected: 6.0, Got: 6.0
Results verified correctly
  Rank 0 buffers deregistered
  Rank 1 buffers deregistered
  Rank 2 buffers deregistered
  Rank 3 buffers deregistered
All resources cleaned up successfully`,
    );
  });

  test.for(slow)('12-symmetric-memory-allreduce', async () => {
    expect(await printed(async (options) => runSymmetricAllReduce({ ...options, count }))).toBe(
      `Starting AllReduce example with 4 ranks
  Rank 0 communicator initialized using device 0
  Rank 1 communicator initialized using device 1
  Rank 2 communicator initialized using device 2
  Rank 3 communicator initialized using device 3
Symmetric Memory allocation
  Rank 0 allocating 4.00 MB per buffer
  Rank 1 allocating 4.00 MB per buffer
  Rank 2 allocating 4.00 MB per buffer
  Rank 3 allocating 4.00 MB per buffer
  Rank 0 data initialized (value: 0)
  Rank 1 data initialized (value: 1)
  Rank 2 data initialized (value: 2)
  Rank 3 data initialized (value: 3)
Starting AllReduce with 1048576 elements (4 MB)
AllReduce completed successfully
Verification - Expected: 6.0, Got: 6.0
Results verified correctly
  Rank 0 symmetric memory windows deregistered
  Rank 1 symmetric memory windows deregistered
  Rank 2 symmetric memory windows deregistered
  Rank 3 symmetric memory windows deregistered
All resources cleaned up successfully
Example completed - demonstrated symmetric memory lifecycle`,
    );
  });

  test.for(slow)('12-symmetric-memory-allgather', async () => {
    expect(await printed(async (options) => runSymmetricAllGather({ ...options, count }))).toBe(
      `Starting AllGather example with 4 ranks
  Rank 0 communicator initialized using device 0
  Rank 1 communicator initialized using device 1
  Rank 2 communicator initialized using device 2
  Rank 3 communicator initialized using device 3
Symmetric Memory allocation
  Rank 0 allocating 4.00 MB send buffer, 16.00 MB recv buffer
  Rank 1 allocating 4.00 MB send buffer, 16.00 MB recv buffer
  Rank 2 allocating 4.00 MB send buffer, 16.00 MB recv buffer
  Rank 3 allocating 4.00 MB send buffer, 16.00 MB recv buffer
  Rank 0 data initialized (value: 0)
  Rank 1 data initialized (value: 1)
  Rank 2 data initialized (value: 2)
  Rank 3 data initialized (value: 3)
Starting AllGather with 1048576 elements per rank (16 MB total)
AllGather completed successfully
Verification - Segment 0: Expected: 0.0, Got: 0.0
Verification - Segment 1: Expected: 1.0, Got: 1.0
Verification - Segment 2: Expected: 2.0, Got: 2.0
Verification - Segment 3: Expected: 3.0, Got: 3.0
Results verified correctly
  Rank 0 symmetric memory windows deregistered
  Rank 1 symmetric memory windows deregistered
  Rank 2 symmetric memory windows deregistered
  Rank 3 symmetric memory windows deregistered
All resources cleaned up successfully
Example completed - demonstrated symmetric memory allgather`,
    );
  });

  test.for(slow)('13-point-to-point', async () => {
    expect(await printed(async (options) => runPointToPoint({ ...options, count }))).toBe(
      `Starting NCCL ring communication example
Initializing NCCL communicators
Using 4 GPUs for ring communication
All communicators initialized successfully
Verifying communicator setup
  GPU 0 -> NCCL rank 0/4 on device 0
  GPU 1 -> NCCL rank 1/4 on device 1
  GPU 2 -> NCCL rank 2/4 on device 2
  GPU 3 -> NCCL rank 3/4 on device 3
Setting up ring topology
Data flow -> GPU 0 -> ... -> GPU 3 -> GPU 0
Ring transfer with 1048576 elements (0.00 GB per GPU)
Allocating and initializing buffers
Executing ring communication
  GPU 0 sends to GPU 1, receives from GPU 3
  GPU 1 sends to GPU 2, receives from GPU 0
  GPU 2 sends to GPU 3, receives from GPU 1
  GPU 3 sends to GPU 0, receives from GPU 2
Ring communication completed successfully
Verifying data correctness
  GPU 0 received data from GPU 3: CORRECT
  GPU 1 received data from GPU 0: CORRECT
  GPU 2 received data from GPU 1: CORRECT
  GPU 3 received data from GPU 2: CORRECT
SUCCESS - All GPUs received correct data
Cleaning up resources
Example completed successfully!`,
    );
  });
});

/** The quick tests have one. */
const isNow = ({ name }: { readonly name: string }): boolean =>
  (name === '12-symmetric-memory-allreduce') !== inject('slow');

/** With NCCLTS_EVERY_CASE set, every example in each of these worlds; otherwise in one. */
const every = inject('everyCase');
const sizes = [1, 3, 8];

const ofSize = (ranks: number): typeof hostExamples =>
  hostExamples.filter((_, i) => every || sizes[i % sizes.length] === ranks).filter(isNow);

describe.each(sizes.filter((ranks) => ofSize(ranks).length > 0))(
  'host examples with few elements, on %i ranks',
  (ranks) => {
    test.each(ofSize(ranks))('$name is right and clean', { timeout: 60_000 }, async (example) => {
      const schedules = { deliveries: ['random'], firstSeed: 1, seeds: 3, check: true } as const;
      const { runs, failures } = await runSchedules(example, { ranks, lsaSize: ranks }, schedules);
      expect(failures).toEqual([]);
      expect(runs).toBe(3);
    });
  },
);

const lacks = testedBackends.find(({ name }) => name === 'webgpu')?.lacks;

describe.skipIf(lacks !== undefined)(
  `examples print the same on WebGPU as on the simulator${unlessThere(lacks)}`,
  () => {
    test.each(hostExamples.filter(isNow))('$name', { timeout: 60_000 }, async ({ small }) => {
      const lines: Record<'sim' | 'webgpu', string[]> = { sim: [], webgpu: [] };
      for (const name of ['sim', 'webgpu'] as const) {
        expect(await small({ backend: backendFactory(name)(3), print: (line) => lines[name].push(line) })).toBe(true);
      }
      expect(lines.webgpu).toEqual(lines.sim);
    });
  },
);

test('wrong usage of an example is reported', () => {
  const lines: string[] = [];
  const results = [new Float32Array([6, 6]), new Float32Array([6, 5])];
  expect(printResults(results, 6, (one) => lines.push(one))).toBe(false);
  expect(lines).toEqual([
    'Verification - Expected: 6.0, Got: 6.0',
    ' Results verification failed at index 1 of rank 1: Expected 6.0, Got 5',
    'Results verification failed',
  ]);
});
