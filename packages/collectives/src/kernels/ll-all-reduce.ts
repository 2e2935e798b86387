import { devComm, llA2AHandle, symPtr, teamLsa } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { llA2A } from '@nccl-ts/ll-a2a';
import type { LLReduceKernel, LLReduceShape } from './collective-kernel.ts';

/**
 * AllReduce within one load-store domain for few elements: every rank sends all of its elements to all ranks, 8 bytes at a time with
 * flags beside them, and reduces what it receives, in the order of the ranks. Nobody waits for a barrier, and twice the bytes
 * travel. All ranks get the same bits. `send` may be `recv`, and neither need be at the same place on all ranks.
 *
 * Each CTA has a block of the slots, for one value of 8 bytes from each rank for each thread.
 */
export function llAllReduce({ T, A, count, element, pace }: LLReduceShape): LLReduceKernel {
  const { join, after } = element;
  return kernel(
    {
      name: 'llAllReduce',
      use: { llA2A, teamLsa, join, after, T, A, RANKS: pace.ranks },
      params: { comm: devComm, slots: llA2AHandle, send: symPtr(T), recv: symPtr(T), count, root: u32 },
    },
    (
      {
        llA2A,
        teamLsa,
        join,
        after,
        T,
        A,
        RANKS,
        coopCta,
        threadIdx,
        blockIdx,
        blockDim,
        gridDim,
        localArray,
        sizeOf,
        typeOf,
        unroll,
        vec,
        lane,
        u32,
      },
      { comm, slots, send, recv, count },
    ) => {
      const width = 8 / sizeOf(T);
      const V = width === 1 ? T : vec(T, width);
      const I = typeOf(count);
      const nRanks = RANKS === 0 ? u32(comm.lsaSize) : u32(RANKS);
      const session = llA2A.session(coopCta(), comm, teamLsa(comm), slots, blockIdx.x, nRanks * blockDim.x);
      const input = send.localPtr();
      const output = recv.localPtr();
      const value = localArray(T, width);
      const total = localArray(A, width);
      const words = (count + (width - 1)) / width;
      const whole = input.misalignment(8) === 0;
      const take = (rank: number, came: number): void => {
        for (const k of unroll(width)) {
          const next = A(width === 1 ? came : lane(came, k));
          if (rank === 0) total[k] = next;
          else total[k] = A(join(total.load(k), next));
        }
      };

      for (let begin = I(blockIdx.x) * blockDim.x; begin < words; begin += I(gridDim.x) * blockDim.x) {
        const first = (begin + threadIdx.x) * width;
        const slot = u32(comm.lsaRank) * blockDim.x + threadIdx.x;
        // Threads behind the last element send and receive too: WebGPU wants all of a CTA to wait.
        if (width > 1 && whole && first + width <= count) session.bcast(slot, input.offset(first).cast(V).load(0));
        else {
          for (const k of unroll(width)) value[k] = first + k < count ? input.load(first + k) : T(0);
          session.bcast(slot, value, width);
        }
        if (RANKS === 0) {
          for (let rank = u32(0); rank < nRanks; rank++) {
            take(rank, session.recv(V, rank * blockDim.x + threadIdx.x));
          }
        } else {
          const came = localArray(V, RANKS);
          session.recvUnrolled(RANKS, RANKS, threadIdx.x, RANKS, blockDim.x, came);
          for (const rank of unroll(RANKS)) take(rank, came.load(rank));
        }
        for (const k of unroll(width)) {
          if (first + k < count) output[first + k] = T(A(after(total.load(k), nRanks)));
        }
        session.endEpoch(coopCta());
      }
    },
  );
}
