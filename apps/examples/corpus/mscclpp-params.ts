import { ptr, struct, u64 } from '@nccl-ts/harness';
import type { Allocation, RankSetup } from '@nccl-ts/harness';

const semaphore = { inboundToken: ptr, remoteInboundToken: ptr, expectedInboundToken: ptr };

/** mscclpp::MemoryChannelDeviceHandle. */
export const MemoryChannel = struct({ ...semaphore, dst: ptr, src: ptr, packetBuffer: ptr });

/** mscclpp::BaseMemoryChannelDeviceHandle. */
const BaseMemoryChannel = struct(semaphore);

/** A semaphore of each CTA with each peer, in the order of CTAs and then of peers. */
function semaphores({ rank, ranks, nRanks, alloc, peer }: RankSetup, ctas: number) {
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
export const baseChannels = (setup: RankSetup, ctas: number): Allocation => {
  const all = semaphores(setup, ctas).map(({ inboundToken, remoteInboundToken, expectedInboundToken }) => ({
    inboundToken,
    remoteInboundToken,
    expectedInboundToken,
  }));
  return setup.alloc('channels', BaseMemoryChannel, all);
};

/** MemoryChannelDeviceHandle of each CTA with each peer, from `src` here to `dst` there. */
export const memoryChannels = (
  setup: RankSetup,
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
