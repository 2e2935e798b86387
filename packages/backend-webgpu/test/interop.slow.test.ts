import { f32 } from '@nccl-ts/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noDevice, openDevice, unlessDevice } from './support/device.ts';
import { vectorAllReduce } from './support/kernels.ts';
import { CTAS, Program, sum } from './support/program.ts';
import './interop.test.ts';

describe.skipIf(noDevice !== undefined)(`a program's own device and buffers${unlessDevice}`, () => {
  let program: Program;
  let dispose: () => void;
  let problems: string[] = [];
  beforeAll(async () => {
    const acquired = await openDevice();
    program = new Program(acquired.device);
    dispose = () => acquired.dispose();
    program.device.addEventListener('uncapturederror', ({ error }) => problems.push(error.message));
  });
  beforeEach(() => {
    problems = [];
  });
  afterAll(() => dispose());

  it('are summed in place', async () => {
    // Kernels can access the last words of a size that is not a multiple of 16.
    const count = 3001;
    const buffers = [1, 2, 3, 4].map((rank) =>
      program.buffer(Float32Array.from({ length: count }, (_, i) => rank * i)),
    );
    {
      await using world = await program.open(4);
      await world.run(async (comm) => sum(comm, buffers[comm.rank]!, { offset: 0, count }));
    }
    const expected = Float32Array.from({ length: count }, (_, i) => 10 * i);
    for (const buffer of buffers) expect(await program.contents(buffer)).toEqual(expected);
    // They still belong to the program: closing the world has destroyed neither them nor the
    // device.
    program.device.queue.writeBuffer(buffers[0]!, 0, Float32Array.of(7));
    expect((await program.contents(buffers[0]!))[0]).toBe(7);
    expect(problems).toEqual([]);
  });

  it('can be one buffer with a part for each rank', async () => {
    const ranks = 8;
    const count = 1024;
    const shared = program.buffer(Float32Array.from({ length: ranks * count }, (_, i) => Math.floor(i / count)));
    await using world = await program.open(ranks);
    await world.run(async (comm) => sum(comm, shared, { offset: comm.rank * count * 4, count }));
    expect(await program.contents(shared)).toEqual(new Float32Array(ranks * count).fill(28));
    expect(problems).toEqual([]);
  });

  it(
    'can be one buffer in a kernel with many accesses, whose text compiles in seconds',
    { timeout: 60_000 },
    async () => {
      const ranks = 8;
      const count = 1024;
      const shared = program.buffer(Float32Array.from({ length: ranks * count }, (_, i) => Math.floor(i / count)));
      await using world = await program.open(ranks);
      await world.run(async (comm) => {
        const memory = await comm.adoptMemory(shared);
        const win = await comm.registerWindow(memory, { type: f32, offset: comm.rank * count * 4, bytes: count * 4 });
        if (win === null) throw new Error('there is no symmetric memory');
        const devComm = await comm.createDevComm({ lsaBarrierCount: CTAS });
        await comm.launch(vectorAllReduce, { grid: CTAS, block: 64 }, { comm: devComm, win, count: count / 4 });
        await comm.synchronize();
      });
      expect(await program.contents(shared)).toEqual(new Float32Array(ranks * count).fill(28));
      expect(problems).toEqual([]);
    },
  );
});
