import { deviceFn } from '@nccl-ts/kernel';
import type { DeviceCall } from './collective-frame.ts';
import type { CollectiveKernels } from './collective-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';
import { blocks } from './ll128-block.ts';
import { ll128Exchange, type LineBank } from './ll128-exchange.ts';
import { ll128Kernels, type LL128Scratch } from './ll128-kernels.ts';
import { wideWords } from './wide-word.ts';

/** Reduces elements in rank order, so that every reduction of the same values has the same bits. */
function ll128Reduce(name: string, toEach: boolean, shape: KernelShape): CollectiveKernels<LL128Scratch> {
  const { T, A, element } = shape;
  return ll128Kernels(
    name,
    deviceFn(
      {
        name: 'reduceBlock',
        use: { exchange: ll128Exchange(shape, toEach), blocks, wideWords, element, T, A, TO_EACH: toEach },
      },
      (
        { exchange, blocks, wideWords, element, T, A, TO_EACH, bitcast, lane, localArray, unroll, vec, withLane },
        bank: LineBank,
        { send, recv, count }: DeviceCall,
        begin: number,
        slot: number,
        sent: () => void,
      ) => {
        const width = wideWords.width(T);
        const W = vec(T, width);
        const input = send.localPtr();
        const output = recv.localPtr();
        const total = localArray(A, 2 * width);
        const sendOf = (peer: number) => (TO_EACH ? input.offset(count * peer) : input);
        exchange(bank, sendOf, begin, count, slot, sent, (from, g, piece) => {
          const came = bitcast(W, piece);
          for (const j of unroll(width)) {
            const next = A(lane(came, j));
            if (from === 0) total[g * width + j] = next;
            else total[g * width + j] = A(element.join(total.load(g * width + j), next));
          }
        });
        for (const g of unroll(2)) {
          let word = W(T(0));
          for (const j of unroll(width)) {
            word = withLane(word, j, T(A(element.after(total.load(g * width + j), bank.nRanks))));
          }
          blocks.store(T, g, word, output, begin, count);
        }
      },
    ),
    shape,
  );
}

/**
 * AllReduce within one load-store domain. Every rank stores all of its elements to all peers, in
 * lines with flags, and reduces the received elements, in the order of the ranks. This needs no
 * barrier. All ranks get the same bits. `send` may be `recv`, and ranks may use different offsets
 * for both.
 */
export function ll128AllReduce(shape: KernelShape): CollectiveKernels<LL128Scratch> {
  return ll128Reduce('ll128AllReduce', false, shape);
}

/**
 * ReduceScatter within one load-store domain. Every rank stores each peer the `count` elements that
 * it has for it, in lines with flags, and reduces the received elements, in the order of the ranks.
 * This needs no barrier. `recv` may be the rank's part of `send`, and ranks may use different
 * offsets for both.
 */
export function ll128ReduceScatter(shape: KernelShape): CollectiveKernels<LL128Scratch> {
  return ll128Reduce('ll128ReduceScatter', true, shape);
}
