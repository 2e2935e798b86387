import type { Communicator } from '@nccl-ts/communicator';
import { RedOp } from '@nccl-ts/core';
import type { DevCommRequirements } from '@nccl-ts/devcomm';
import { describe, expect, inject, it, vi } from 'vitest';
import { allGather, allReduce, recv, send, type Algorithm } from '../src/index.ts';
import { inWorld } from './support/in-world.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/**
 * The requirements of the device communicators that `program` creates on rank 0: the bytes of all
 * resources.
 */
async function askedBy(program: (comm: Communicator) => Promise<void>): Promise<readonly (readonly number[])[]> {
  const [asked = []] = await inWorld(2, async (comm) => {
    const create = vi.spyOn(comm, 'createDevComm');
    await program(comm);
    return create.mock.calls.map(([requirements]) => bytesOf(requirements));
  });
  return asked;
}

function bytesOf({ resourceRequirementsList = [] }: DevCommRequirements = {}): readonly number[] {
  return resourceRequirementsList.map(({ bufferSize = 0 }) => bufferSize);
}

function sumBy(...algorithms: readonly Algorithm[]) {
  return async (comm: Communicator): Promise<void> => {
    const win = await comm.allocWindow('f32', 16);
    for (const algorithm of algorithms) await allReduce(comm, win, win, 16, RedOp.Sum, { algorithm });
  };
}

describe('the scratch memory of a communicator', () => {
  it('is only the shared part if no algorithm needs more', async () => {
    const [shared, ...others] = await askedBy(sumBy('twoShot', 'twoShot'));
    expect(shared).toHaveLength(3);
    expect(others).toEqual([]);
  });

  it.for(slow)('that an algorithm needs is allocated once, at its first use', async () => {
    const [, ...others] = await askedBy(sumBy('twoShot', 'ring', 'twoShot', 'll', 'ring', 'll'));
    // On the simulator: four links of a ring, and slots of 256 threads of two ranks for each of
    // eight CTAs.
    expect(others).toEqual([[4 * (512 + 8 * 16384)], [8 * (1 + 2 * 2 * 256) * 16]]);
  });

  it.for(slow)('that an algorithm needs serves all of its collectives and types', async () => {
    const asked = await askedBy(async (comm) => {
      const win = await comm.allocWindow('f32', 64);
      const wide = await comm.allocWindow('f64', 64);
      await allReduce(comm, win, win, 16, RedOp.Sum, { algorithm: 'ring' });
      await allGather(comm, wide.symPtr(), wide.symPtr(8 * 16), 16, { algorithm: 'ring' });
    });
    expect(asked).toHaveLength(2);
  });

  it.for(slow)('lets two ranks of three send and receive after all ranks have run one operation', async () => {
    const values = await inWorld(3, async (comm) => {
      const win = await comm.allocWindow('f32', 16);
      await win.write(new Float32Array(16).fill(comm.rank));
      await allReduce(comm, win, win, 16, RedOp.Sum, { algorithm: 'ring' });
      if (comm.rank === 0) await send(comm, win, 16, 1);
      if (comm.rank === 1) await recv(comm, win, 16, 0);
      return (await win.read())[0];
    });
    expect(values).toEqual([3, 3, 3]);
  });
});
