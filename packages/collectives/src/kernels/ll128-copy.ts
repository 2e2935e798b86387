import { deviceFn } from '@nccl-ts/kernel';
import type { DeviceCall } from './collective-frame.ts';
import type { CollectiveKernels } from './collective-kernels.ts';
import type { KernelShape } from './kernel-shape.ts';
import { blocks } from './ll128-block.ts';
import { ll128Exchange, type LineBank } from './ll128-exchange.ts';
import { ll128Kernels, type LL128Scratch } from './ll128-kernels.ts';
import { wideWords } from './wide-word.ts';

/** Stores the elements from the ranks in rank order. */
function ll128Copy(name: string, toEach: boolean, shape: KernelShape): CollectiveKernels<LL128Scratch> {
  const { T } = shape;
  return ll128Kernels(
    name,
    deviceFn(
      {
        name: 'copyBlock',
        use: { exchange: ll128Exchange(shape, toEach), blocks, wideWords, T, TO_EACH: toEach },
      },
      (
        { exchange, blocks, wideWords, T, TO_EACH, bitcast, vec },
        bank: LineBank,
        { send, recv, count }: DeviceCall,
        begin: number,
        slot: number,
        sent: () => void,
      ) => {
        const W = vec(T, wideWords.width(T));
        const input = send.localPtr();
        const output = recv.localPtr();
        const sendOf = (peer: number) => (TO_EACH ? input.offset(count * peer) : input);
        exchange(bank, sendOf, begin, count, slot, sent, (from, g, piece) => {
          blocks.store(T, g, bitcast(W, piece), output.offset(count * from), begin, count);
        });
      },
    ),
    shape,
  );
}

/**
 * AllGather within one load-store domain: every rank stores its `count` elements to all peers, in
 * lines with flags, and copies the received elements. This needs no barrier. `send` may be the
 * rank's part of `recv`, and ranks may use different offsets for both.
 */
export function ll128AllGather(shape: KernelShape): CollectiveKernels<LL128Scratch> {
  return ll128Copy('ll128AllGather', false, shape);
}

/**
 * AlltoAll within one load-store domain: every rank stores each peer the `count` elements that it
 * has for it, in lines with flags, and copies the received elements. This needs no barrier. `recv`
 * may not overlap `send`; ranks may use different offsets for both.
 */
export function ll128AllToAll(shape: KernelShape): CollectiveKernels<LL128Scratch> {
  return ll128Copy('ll128AllToAll', true, shape);
}
