import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel } from '@nccl-ts/kernel';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { connect, ginRequires } from './connect.ts';

const grid = 2;
const block = 2;
const threads = grid * block;

const values = kernel(
  { name: 'putValues', use: { gin, teamWorld }, params: { comm: devComm, dst: window } },
  (
    {
      gin,
      teamWorld,
      coopThread,
      threadIdx,
      blockIdx,
      blockDim,
      bitcast,
      u8,
      i8,
      u16,
      u32,
      i32,
      u64,
      f16,
      f32,
      f64,
      bf16,
    },
    { comm, dst },
  ) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    const next = (comm.rank + 1) % comm.nRanks;
    // Each thread has its own part of the window and two signals.
    const i = blockIdx.x * blockDim.x + threadIdx.x;
    const own = u32(comm.rank) + i * 4;
    const at = i * 56;
    const told = i * 2;
    const covered = told + 1;
    net.putValue(world, next, dst, at + 1, u8(own + 200), gin.weakSignalInc(told));
    net.putValue(world, next, dst, at + 2, i8(-5), gin.weakSignalInc(told));
    net.putValue(world, next, dst, at + 4, u16(own + 60000), gin.weakSignalInc(told));
    net.putValue(world, next, dst, at + 8, own + 4000000000, gin.weakSignalInc(told));
    net.putValue(world, next, dst, at + 12, i32(-2), gin.weakSignalInc(told));
    net.putValue(world, next, dst, at + 16, (u64(1) << 63) + u64(own), gin.weakSignalInc(told));
    net.putValue(world, next, dst, at + 24, f32(own) + 0.5, gin.weakSignalInc(told));
    net.putValue(world, next, dst, at + 32, f64(own) - 0.25, gin.weakSignalInc(told));
    net.putValue(world, next, dst, at + 40, f16(1.5), gin.weakSignalInc(told));
    net.putValue(world, next, dst, at + 42, bf16(-3), gin.weakSignalInc(told));
    // The offset is not a multiple of the value's size, and there is no signal. The next signal
    // covers it.
    net.putValue(world, next, dst, at + 45, bitcast(u32, f32(2)));
    net.signal(world, next, gin.strongSignalInc(covered));
    net.waitSignal(coopThread(), told, 10);
    net.waitSignal(coopThread(), covered, 1);
  },
);

export const everySize: Case<'gin/put-value/every-size'> = defineCase({
  id: 'gin/put-value/every-size',
  mirrors: 'ncclGin::putValue of 1, 2, 4 and 8 bytes',
  requires: { ...ginRequires, scalars: ['u8', 'i8', 'u16', 'u64', 'f16', 'bf16', 'f64'] },
  ranks: [1, 4],
  lsaSizes: [1, 2],
  kernels: [values],
  run: async ({ run, shape }) => {
    await run(async (comm) => {
      const dev = await connect(comm, { ginSignalCount: 2 * threads });
      const dst = await comm.allocWindow('u8', 56 * threads);
      await dst.write(new Uint8Array(56 * threads).fill(99));
      await meet(comm);
      await comm.launch(values, { grid, block }, { comm: dev, dst });
      const from = (comm.rank + shape.ranks - 1) % shape.ranks;
      const bytes = count(threads).flatMap((i) => [...valuesOf(from + 4 * i)]);
      expectValues(`rank ${comm.rank}`, await dst.read(), bytes);
    });
  },
});

/** The bytes that thread number `thread` puts. */
function valuesOf(own: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(56));
  for (let i = 0; i < 56; i++) view.setUint8(i, 99);
  view.setUint8(1, own + 200);
  view.setInt8(2, -5);
  view.setUint16(4, own + 60000, true);
  view.setUint32(8, own + 4000000000, true);
  view.setInt32(12, -2, true);
  view.setBigUint64(16, (1n << 63n) + BigInt(own), true);
  view.setFloat32(24, own + 0.5, true);
  view.setFloat64(32, own - 0.25, true);
  // 1.5 of f16 and -3 of bf16.
  view.setUint16(40, 0x3e00, true);
  view.setUint16(42, 0xc040, true);
  view.setFloat32(45, 2, true);
  return new Uint8Array(view.buffer);
}
