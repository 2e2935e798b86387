import { array, ptr, struct, u32 } from '@nccl-ts/harness';

/** The parameters of SGLang's pushing AllReduce kernels: `AllReducePushParams`. */
export function pushParams(ranks: number) {
  return struct({
    input: ptr,
    output: ptr,
    vectors: u32,
    rank: u32,
    workspaces: array(ptr, ranks),
    counter: ptr,
    multicast: ptr,
    slotBytes: u32,
  });
}

/** The parameters of SGLang's pulling AllReduce kernels: `AllReducePullParams`. */
export function pullParams(ranks: number) {
  return struct({
    output: ptr,
    vectors: u32,
    rank: u32,
    graphParams: ptr,
    semaphores: array(ptr, ranks),
    workspaces: array(ptr, ranks),
    multicastSemaphore: ptr,
    multicast: ptr,
  });
}
