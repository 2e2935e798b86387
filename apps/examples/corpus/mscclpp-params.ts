import { ptr, struct } from '@nccl-ts/harness';

/** mscclpp::MemoryChannelDeviceHandle. */
export const MemoryChannel = struct({
  inboundToken: ptr,
  remoteInboundToken: ptr,
  expectedInboundToken: ptr,
  dst: ptr,
  src: ptr,
  packetBuffer: ptr,
});
