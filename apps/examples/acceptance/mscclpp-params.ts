import { ptr, struct } from '@nccl-ts/harness';

/** MSCCL++'s connection to the memory of a peer. */
export const MemoryChannelDeviceHandle = struct({
  inboundToken: ptr,
  remoteInboundToken: ptr,
  expectedInboundToken: ptr,
  dst: ptr,
  src: ptr,
  packetBuffer: ptr,
});
