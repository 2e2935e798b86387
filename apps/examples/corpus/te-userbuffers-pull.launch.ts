import { harness, i32, u32 } from '@nccl-ts/harness';

/** The 16 byte lines of a message, and its words. */
const [lines, words] = [128, 512];

/**
 * userbuffers_send and userbuffers_recv of Transformer Engine in pull mode: kuserbuffers_pullsend
 * only tells the next rank, whose kuserbuffers_pullrecv loads the message.
 */
export default harness({
  kernel: 'te-userbuffers.ptx',
  kernels: {
    send: { entry: 'kuserbuffers_pullsend', grid: 1, block: 1 },
    receive: { entry: 'kuserbuffers_pullrecv', grid: 2, block: 32 },
    inc: { entry: 'kuserbuffers_inc', grid: 1, block: 1 },
  },
  launches: 2,
  setup({ rank, nRanks, alloc, peer, launch }) {
    const [next, last] = [(rank + 1) % nRanks, (rank + nRanks - 1) % nRanks];
    const value = (round: number, from: number, i: number) => 10_000 * round + 1000 * from + i;
    const source = alloc('source', u32, 2 * words);
    const inbox = alloc('inbox', u32, words);
    const flags = alloc('flags', i32, nRanks);
    const [sendIds, receiveIds] = [alloc('send ids', i32, nRanks), alloc('receive ids', i32, nRanks)];
    const received = peer(receiveIds, rank, 4 * last);
    return {
      steps: (round) => [
        source.write((i) => value(round, rank, i - words * round), words * round, words),
        launch('send', [rank, next, peer(sendIds, rank, 4 * next), peer(flags, next, 4 * rank)]),
        launch('receive', [
          rank,
          last,
          rank,
          last,
          received,
          peer(flags, rank, 4 * last),
          peer(source, last, 4 * words * round),
          inbox,
          lines,
          1n << 40n,
        ]),
        launch('inc', [received]),
      ],
      expect: () => inbox.equals((i) => value(1, last, i)),
    };
  },
});
