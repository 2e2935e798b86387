import { NcclError } from '@nccl-ts/core';
import { deviceFn, overloaded, u32, u64, wordParam, type DeviceFn, type Ptr } from '@nccl-ts/kernel';
import { cftElements, cftOps, type CftElement, type CftOp } from '../reductions.ts';
import { postRed, shared, type Counting, type EndpointKind, type ReductionKind } from './primitives.ts';
import type { GetOperation, Operation, PutOperation } from './transfer.ts';

/** `postRed` for the elements that `near` points to. Other types are refused by the compiler. */
const post: DeviceFn<
  (
    kind: ReductionKind,
    endpoint: EndpointKind,
    counting: Counting,
    op: CftOp,
    smem: Ptr,
    leId: number,
    leOffset: number,
    counterOffset: number,
    near: Ptr,
    bytes: number,
  ) => void
> = overloaded({
  name: 'cft.reduction',
  params: {
    kind: wordParam(['red', 'pullRed']),
    endpoint: wordParam(['unicast', 'multicast']),
    counting: wordParam(['plain', 'counted']),
    op: wordParam(cftOps),
    smem: shared,
    leId: u32,
    leOffset: u64,
    counterOffset: u64,
    near: shared,
    bytes: u32,
  },
  choose: ({ types: { near }, words }) => {
    const element = near?.kind === 'scalar' ? cftElements.find((each) => each === near.scalar) : undefined;
    if (element === undefined) {
      return {
        kind: 'refusal',
        reason: 'reductions of the fabric combine integers of 32 and 64 bits',
        hint: `pass a pointer to ${cftElements.join(', ')}`,
      };
    }
    return posting({ ...words, element });
  },
});

/** The call of the primitive, with the words that select it. */
function posting(
  words: Readonly<Record<string, string>> & { readonly element: CftElement },
): DeviceFn<(smem: Ptr, leId: number, leOffset: number, counterOffset: number, near: Ptr, bytes: number) => void> {
  const wordOf = (name: string): string => {
    const word = words[name];
    if (word === undefined)
      throw new NcclError('NCCL_INTERNAL_ERROR', `A reduction of the fabric has no word '${name}'.`);
    return word;
  };
  const [KIND, ENDPOINT, COUNTING, OP] = [wordOf('kind'), wordOf('endpoint'), wordOf('counting'), wordOf('op')];
  return deviceFn(
    { name: 'postReduction', use: { postRed, KIND, ENDPOINT, COUNTING, OP, ELEMENT: words.element } },
    (
      { postRed, KIND, ENDPOINT, COUNTING, OP, ELEMENT },
      smem: Ptr,
      leId: number,
      leOffset: number,
      counterOffset: number,
      near: Ptr,
      bytes: number,
    ) => {
      postRed(KIND, ENDPOINT, COUNTING, OP, ELEMENT, smem, leId, leOffset, counterOffset, near, bytes);
    },
  );
}

/** The arguments of every reduction. */
interface Reduction extends Operation {
  readonly op: CftOp;
}

/** The arguments of a reduction into the memory of other ranks. */
export interface RedOperation extends Reduction, PutOperation {}

/** The arguments of a reduction into shared memory. */
export interface PullOperation extends Reduction, GetOperation {}

/**
 * All threads of the group synchronize, and one of them initiates the reduction. If `counterOffset`
 * is given, the word there counts the bytes.
 */
const reduce = deviceFn(
  { name: 'reduce', use: { post } },
  (
    { post, requires, u64 },
    smem: Ptr,
    kind: ReductionKind,
    endpoint: EndpointKind,
    { coop, op, leId, leOffset, bytes }: Reduction,
    near: Ptr,
    counterOffset?: number,
  ) => {
    coop.sync();
    if (coop.threadRank() === 0) {
      requires(
        near.misalignment(16) === 0 && bytes % 16 === 0,
        'an operation of the fabric over {} bytes: its shared memory begins at a multiple of 16, and its size is one',
        bytes,
      );
      const counting = counterOffset === undefined ? 'plain' : 'counted';
      const counter = counterOffset === undefined ? u64(0) : counterOffset;
      post(kind, endpoint, counting, op, smem, leId, leOffset, counter, near, bytes);
    }
  },
);

export const red: DeviceFn<(smem: Ptr, endpoint: EndpointKind, call: RedOperation) => void> = deviceFn(
  { name: 'red', use: { reduce } },
  ({ reduce }, smem, endpoint, call) => reduce(smem, 'red', endpoint, call, call.source),
);

/** Initiates a reduction whose bytes the word at `counterOffset` counts. */
export const redCounted: DeviceFn<
  (smem: Ptr, endpoint: EndpointKind, call: RedOperation & { readonly counterOffset: number }) => void
> = deviceFn({ name: 'redCounted', use: { reduce } }, ({ reduce }, smem, endpoint, call) =>
  reduce(smem, 'red', endpoint, call, call.source, call.counterOffset),
);

/** Initiates a reduction of all copies into shared memory, for which the group must be a warp. */
export const pullRed: DeviceFn<(smem: Ptr, call: PullOperation) => void> = deviceFn(
  { name: 'pullRed', use: { reduce } },
  ({ reduce, requires }, smem, call) => {
    const { coop } = call;
    requires(coop.size() === 32, 'pullRed by a group of {} threads: a warp must make the call', coop.size());
    reduce(smem, 'pullRed', 'multicast', call, call.destination);
  },
);
