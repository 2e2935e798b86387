import {
  f32,
  harness,
  ptr,
  struct,
  u32,
  u64,
  type Allocation,
  type Harness,
  type HarnessArgument,
} from '@nccl-ts/harness';
import { inputAt, sizesUpTo, type PublicKernel } from '../public-kernel.ts';

const semaphore = { inboundToken: ptr, remoteInboundToken: ptr, expectedInboundToken: ptr };
const MemoryChannel = struct({ ...semaphore, dst: ptr, src: ptr, packetBuffer: ptr });
const BaseMemoryChannel = struct(semaphore);

/** Bytes of a packet for each byte of data: half of it are flags. */
const PACKET = 2;

/** Its host code allocates a scratch buffer of so many packets for each of two turns. */
function scratchBytes(bytes: number): number {
  return 2 * 4 * PACKET * bytes;
}

const FLAGS = 64;

/** The launch of a kernel by packets. `last` are its last arguments. */
function byPackets(
  entry: string,
  kernel: string,
  bytes: number,
  shape: { readonly grid: number; readonly block: number },
  last: (flags: Allocation<number>) => readonly HarnessArgument[],
): Harness {
  return harness({
    kernel,
    entry: `${entry}<(mscclpp::ReduceOp)0, float, float>`,
    ranks: 2,
    ...shape,
    launches: 1,
    setup({ rank, nRanks, alloc, peer, sum }) {
      const count = bytes / 4;
      const input = alloc('buff', f32, count, (i) => inputAt(rank, i));
      const output = alloc('resultBuff', f32, count);
      const scratch = alloc('scratch', u32, scratchBytes(bytes) / 4, () => 0);
      const channels = alloc('channels', MemoryChannel, [
        {
          inboundToken: null,
          remoteInboundToken: null,
          expectedInboundToken: null,
          dst: peer(scratch, 1 - rank),
          src: input,
          packetBuffer: null,
        },
      ]);
      const flags = alloc('flags', u32, FLAGS, () => 1);
      const sizes = [0, scratchBytes(bytes), rank, nRanks, nRanks, count];
      return {
        args: [input, scratch, output, channels, ...sizes, ...last(flags)],
        expect: () => output.equals((i) => sum((r) => inputAt(r, i))),
      };
    },
  });
}

const allPairs: PublicKernel = {
  name: 'mscclpp-all-pairs',
  source: 'MSCCL++: allreduceAllPairs<SUM, float>',
  sizes: sizesUpTo(1 << 20),
  harness: (bytes) =>
    byPackets('allreduceAllPairs', 'mscclpp-all-pairs.ptx', bytes, { grid: 4, block: 512 }, (flags) => [
      2,
      flags,
      4 * FLAGS,
    ]),
};

const packet: PublicKernel = {
  name: 'mscclpp-packet',
  source: 'MSCCL++: allreducePacket<SUM, float>',
  sizes: sizesUpTo(4 << 20),
  harness: (bytes) => {
    const shape = { grid: bytes >= 32768 ? 8 : 4, block: bytes >= 32768 && bytes <= 153600 ? 512 : 1024 };
    return byPackets('allreducePacket', 'mscclpp-allreduce-packet.ptx', bytes, shape, (flags) => [flags, 4 * FLAGS, 2]);
  },
};

const RSAG_CTAS = 64;

const reduceScatterAllGather: PublicKernel = {
  name: 'mscclpp-rsag',
  source: 'MSCCL++: allreduceRsAg<SUM, float>',
  sizes: sizesUpTo(16 << 20).filter((bytes) => bytes >= 4096),
  harness: (bytes) =>
    harness({
      kernel: 'mscclpp-allreduce-rsag.ptx',
      entry: 'allreduceRsAg<(mscclpp::ReduceOp)0, float, float>',
      ranks: 2,
      grid: RSAG_CTAS,
      block: 1024,
      launches: 1,
      setup({ rank, nRanks, alloc, peer, sum }) {
        const count = bytes / 4;
        const input = alloc('buff', f32, count, (i) => inputAt(rank, i));
        const scratch = alloc('scratch', f32, count);
        const output = alloc('resultBuff', f32, count);
        const inbound = alloc('inbound_tokens', u64, RSAG_CTAS, () => 0);
        const expected = alloc('expected_tokens', u64, RSAG_CTAS, () => 0);
        const channels = alloc(
          'channels',
          BaseMemoryChannel,
          Array.from({ length: RSAG_CTAS }, (_, cta) => ({
            inboundToken: peer(inbound, rank, 8 * cta),
            remoteInboundToken: peer(inbound, 1 - rank, 8 * cta),
            expectedInboundToken: peer(expected, rank, 8 * cta),
          })),
        );
        const remotes = alloc('remoteMemories', ptr, [peer(scratch, 1 - rank)]);
        return {
          args: [input, scratch, output, channels, null, remotes, rank, nRanks, nRanks, count],
          expect: () => output.equals((i) => sum((r) => inputAt(r, i))),
        };
      },
    }),
};

/** MSCCL++'s AllReduces over memory channels. */
export const mscclpp: readonly PublicKernel[] = [allPairs, packet, reduceScatterAllGather];
