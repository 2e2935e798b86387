import { DeadlockError } from '@nccl-ts/findings';
import { describe, expect, it } from 'vitest';
import { noDevice, unlessDevice } from './support/device.ts';
import { expectCode } from './support/expect-code.ts';
import { allReduce } from './support/kernels.ts';
import { inWorld, openWorld } from './support/world.ts';
import { failureOf, prepareMeetings, launchMeetings } from './support/meetings.ts';

describe.skipIf(noDevice !== undefined)(`if one rank never arrives${unlessDevice}`, () => {
  it('the others report a deadlock', async () => {
    const errors = await inWorld({ ranks: 4 }, async (comm) => {
      const win = await comm.allocWindow('f32', 64);
      const devComm = await comm.createDevComm({ lsaBarrierCount: 2 });
      if (comm.rank === 2) return undefined;
      await comm.launch(allReduce, { grid: 2, block: 64 }, { comm: devComm, win, offset: 0, count: 64 });
      return failureOf(comm.synchronize());
    });
    expect(errors.map((error) => error?.code)).toEqual([
      'NCCLTS_DEADLOCK',
      'NCCLTS_DEADLOCK',
      undefined,
      'NCCLTS_DEADLOCK',
    ]);
    const [first] = errors;
    if (!(first instanceof DeadlockError)) throw new Error('no DeadlockError', { cause: first });
    expect(first.report.missing).toEqual([{ rank: 2, reason: 'neverLaunched', host: 'done', awaitedBy: [0, 1, 3] }]);
    expect(first.message).toContain('ranks 0-1, 3, CTAs 0-1, threads 0-63');
    expect(first.message).toMatch(/bar\.sync\(coopCta\(\), ["']acquire["']\)/);
    expect(first.message).toContain('LSA barriers 0-1, inbox of LSA peer 2 (rank 2): waits for ');
  });
});

describe.skipIf(noDevice !== undefined)(`a device that is lost${unlessDevice}`, () => {
  it('while nothing runs, is reported by the next call', async () => {
    const { world, backendWorld } = await openWorld({ ranks: 2 });
    const meetings = await world.run(async (comm) => {
      const meeting = await prepareMeetings(comm);
      await launchMeetings(comm, meeting, 3);
      return meeting;
    });
    backendWorld.device.destroy();
    await backendWorld.device.lost;
    for (const [rank, meeting] of meetings.entries()) {
      const comm = world.comm(rank);
      await expectCode(meeting.win.read(), 'NCCLTS_WEBGPU_DEVICE_LOST');
      await expectCode(meeting.win.write(new Float32Array(64)), 'NCCLTS_WEBGPU_DEVICE_LOST');
      await expectCode(comm.memAlloc(64), 'NCCLTS_WEBGPU_DEVICE_LOST');
      await expectCode(launchMeetings(comm, meeting, 3), 'NCCLTS_WEBGPU_DEVICE_LOST');
    }
    await world.close();
  });
});

describe.skipIf(noDevice !== undefined)(`missing memory${unlessDevice}`, () => {
  it('is reported to its caller, and affects nothing else', async () => {
    const [codes] = await inWorld({ ranks: 1, memoryBytes: 1 << 20 }, async (comm) => {
      const codeOf = async (bytes: number): Promise<string | undefined> =>
        (await failureOf(comm.allocWindow('u8', bytes)))?.code;
      return [await codeOf(1 << 19), await codeOf(1 << 20), await codeOf(1 << 19), await codeOf(1)];
    });
    expect(codes).toEqual([undefined, 'NCCLTS_OUT_OF_MEMORY', undefined, 'NCCLTS_OUT_OF_MEMORY']);
  });
});
