import type { PostedRequest } from './program.ts';

/** A request of NVSHMEM. The other members of a request do not concern it. */
export type ShmemRequest = Omit<
  PostedRequest,
  'context' | 'sharing' | 'strength' | 'value' | 'signal' | 'counter' | 'aggregates'
>;

/** Returns a request of NVSHMEM as one of the network's. They all use context 0. */
export function shmemRequest(request: ShmemRequest): PostedRequest {
  const others = {
    context: 0,
    sharing: 0,
    strength: 'weak',
    value: 0n,
    signal: 0,
    counter: -1,
    aggregates: 0,
  } as const;
  return { ...request, ...others };
}
