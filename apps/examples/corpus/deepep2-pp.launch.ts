import { harness, u32, u8 } from '@nccl-ts/harness';
import { requirements, workspaceBytes } from './deepep2-params.ts';

/** The bytes of a tensor, and the most tensors in flight. */
const [bytes, inflight] = [1024, 2];

/**
 * pp_send_impl and pp_recv_impl of DeepEP V2 around a ring: each rank sends four tensors to the
 * next and receives four from the previous one. The third waits until the first was taken. The
 * barrier of the buffer's destructor ends it.
 */
export default harness({
  kernel: 'deepep2-pp.ptx',
  kernels: {
    send: { entry: 'pp_send_impl', grid: 2, block: 32, dynamicShared: 1040 },
    barrier: { kernel: 'deepep2-barrier.ptx', entry: 'barrier_implILb0E', grid: 1, block: 64 },
    receive: { entry: 'pp_recv_impl', grid: 2, block: 32, dynamicShared: 1040 },
  },
  ranks: 2,
  launches: 4,
  devComm: requirements(2, 1),
  setup({ rank, nRanks, alloc, launch, devComm }) {
    const words = bytes / 4;
    const value = (round: number, from: number, i: number) => 1000 * round + 100 * from + (i % 100);
    const x = alloc('x', u32, words);
    const out = alloc('out', u32, words);
    const buffer = alloc('buffer', u8, 4 * inflight * bytes);
    const workspace = alloc('workspace', u8, workspaceBytes);
    const [to, from] = [(rank + 1) % nRanks, (rank + nRanks - 1) % nRanks];
    return {
      steps: (round) => [
        x.write((i) => value(round, rank, i)),
        launch('send', [devComm, buffer, x, bytes, buffer, workspace, rank, to, bytes, inflight]),
        launch('receive', [devComm, buffer, out, bytes, buffer, workspace, rank, from, bytes, inflight]),
        ...(round === 3 ? [launch('barrier', [devComm, buffer, workspace, 0, rank])] : []),
      ],
      expect: () => out.equals((i) => value(3, from, i)),
    };
  },
});
