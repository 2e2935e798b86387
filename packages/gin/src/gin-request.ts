import { structParam, u64, type StructParam } from '@nccl-ts/kernel';

/**
 * The result of `flushAsync` and the argument of `wait`: the requests to one peer up to a certain
 * time. It is two opaque words, which may be passed on and stored.
 *
 * @see ncclGinRequest_t
 */
export interface GinRequest {
  readonly first: number;
  readonly second: number;
}

/** The parameter type for a `GinRequest`. */
export const ginRequest: StructParam<GinRequest, never> = structParam({
  struct: 'GinRequest',
  fields: { first: u64, second: u64 },
});
