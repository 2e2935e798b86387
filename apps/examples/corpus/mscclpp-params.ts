import { ptr, struct, u64 } from '@nccl-ts/harness';
import type { Allocation, RankSetup } from '@nccl-ts/harness';

type Setup = Pick<RankSetup, 'rank' | 'ranks' | 'nRanks' | 'alloc' | 'peer'>;

const semaphore = { inboundToken: ptr, remoteInboundToken: ptr, expectedInboundToken: ptr };

/** mscclpp::MemoryChannelDeviceHandle. */
const MemoryChannel = struct({ ...semaphore, dst: ptr, src: ptr, packetBuffer: ptr });

/** mscclpp::BaseMemoryChannelDeviceHandle. */
const BaseMemoryChannel = struct(semaphore);

/** A semaphore of each CTA with each peer, in the order of CTAs and then of peers. */
function semaphores({ rank, ranks, nRanks, alloc, peer }: Setup, ctas: number) {
  const inbound = alloc('inbound_tokens', u64, ctas * nRanks, () => 0);
  const expected = alloc('expected_tokens', u64, ctas * nRanks, () => 0);
  return Array.from({ length: ctas }, (_, cta) => cta).flatMap((cta) =>
    ranks
      .filter((other) => other !== rank)
      .map((other) => ({
        other,
        inboundToken: peer(inbound, rank, 8 * (cta * nRanks + other)),
        remoteInboundToken: peer(inbound, other, 8 * (cta * nRanks + rank)),
        expectedInboundToken: peer(expected, rank, 8 * (cta * nRanks + other)),
      })),
  );
}

/** BaseMemoryChannelDeviceHandle of each CTA with each peer. */
export const baseChannels = (setup: Setup, ctas: number): Allocation => {
  const all = semaphores(setup, ctas).map(({ inboundToken, remoteInboundToken, expectedInboundToken }) => ({
    inboundToken,
    remoteInboundToken,
    expectedInboundToken,
  }));
  return setup.alloc('channels', BaseMemoryChannel, all);
};

/** MemoryChannelDeviceHandle of each CTA with each peer, from `src` here to `dst` there. */
export const memoryChannels = (
  setup: Setup,
  ctas: number,
  { dst, src }: { dst: Allocation; src: Allocation },
): Allocation => {
  const all = semaphores(setup, ctas).map(({ other, ...handle }) => ({
    ...handle,
    dst: setup.peer(dst, other),
    src,
    packetBuffer: null,
  }));
  return setup.alloc('channels', MemoryChannel, all);
};

/** The MemoryChannelDeviceHandle of two ranks, from `src` here to `dst` there. */
export function memoryChannel(
  { rank, alloc, peer }: Pick<RankSetup, 'rank' | 'alloc' | 'peer'>,
  { dst, src, packetBuffer = null }: { dst: Allocation; src: Allocation; packetBuffer?: Allocation | null },
): Allocation {
  const inbound = alloc('inbound', u64, 1, () => 0);
  const handle = {
    inboundToken: inbound,
    remoteInboundToken: peer(inbound, rank ^ 1),
    expectedInboundToken: alloc('expected', u64, 1, () => 0),
    dst: peer(dst, rank ^ 1),
    src,
    packetBuffer,
  };
  return alloc('handle', MemoryChannel, [handle]);
}
