import { harness, i32, u32 } from '@nccl-ts/harness';

/** The 16 byte lines of a message, the CTAs that push it, and its words. */
const [lines, sms, words] = [128, 2, 512];

/**
 * userbuffers_send and userbuffers_recv of Transformer Engine in push mode: kuserbuffers_pushsend
 * to the next rank, beside kuserbuffers_pushrecv from the previous one. A copy consumes the
 * message.
 */
export default harness({
  kernel: 'te-userbuffers.ptx',
  kernels: {
    send: { entry: 'kuserbuffers_pushsendPiS_P4int4S1_i', grid: sms, block: 32 },
    receive: { entry: 'kuserbuffers_pushrecv', grid: 1, block: 1 },
  },
  launches: 2,
  setup({ rank, nRanks, alloc, peer, launch, memcpy }) {
    const [next, last] = [(rank + 1) % nRanks, (rank + nRanks - 1) % nRanks];
    const value = (round: number, from: number, i: number) => 10_000 * round + 1000 * from + i;
    const source = alloc('source', u32, words);
    const inbox = alloc('inbox', u32, 2 * words);
    const out = alloc('out', u32, words);
    const flags = alloc('flags', i32, nRanks);
    const [sendIds, receiveIds] = [alloc('send ids', i32, nRanks), alloc('receive ids', i32, nRanks)];
    return {
      steps: (round) => [
        source.write((i) => value(round, rank, i)),
        launch('send', [
          peer(sendIds, rank, 4 * next),
          peer(flags, next, 4 * rank),
          source,
          peer(inbox, next, 4 * words * round),
          lines,
        ]),
        launch('receive', [
          rank,
          last,
          rank,
          last,
          peer(receiveIds, rank, 4 * last),
          peer(flags, rank, 4 * last),
          sms,
          1n << 40n,
          null,
          null,
        ]),
        memcpy(out, peer(inbox, rank, 4 * words * round), 4 * words),
      ],
      expect: () => out.equals((i) => value(1, last, i)),
    };
  },
});
