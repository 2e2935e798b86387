import { NcclError } from '@nccl-ts/core';
import {
  deviceFn,
  deviceModule,
  overloaded,
  u32,
  u64,
  type AuthorOf,
  type CoopLike,
  type DeviceFn,
  type DeviceModule,
  type Ptr,
} from '@nccl-ts/kernel';
import { cftElements, cftOps, type CftElement, type CftOp } from '../reductions.ts';
import { postRed, shared, type Counting, type EndpointKind, type ReductionKind } from './primitives.ts';

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
    kind: { kind: 'word', words: ['red', 'pullRed'] },
    endpoint: { kind: 'word', words: ['unicast', 'multicast'] },
    counting: { kind: 'word', words: ['plain', 'counted'] },
    op: { kind: 'word', words: cftOps },
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

/** All threads of `coop` synchronize, and one of them initiates the reduction. */
const reduce: DeviceFn<
  (
    smem: Ptr,
    coop: CoopLike,
    kind: ReductionKind,
    endpoint: EndpointKind,
    counting: Counting,
    op: CftOp,
    leId: number,
    leOffset: number,
    counterOffset: number,
    near: Ptr,
    bytes: number,
  ) => void
> = deviceFn(
  { name: 'reduce', use: { post } },
  (
    { post, requires },
    smem: Ptr,
    coop: CoopLike,
    kind: ReductionKind,
    endpoint: EndpointKind,
    counting: Counting,
    op: CftOp,
    leId: number,
    leOffset: number,
    counterOffset: number,
    near: Ptr,
    bytes: number,
  ) => {
    coop.sync();
    if (coop.threadRank() === 0) {
      requires(
        near.misalignment(16) === 0 && bytes % 16 === 0,
        'an operation of the fabric over {} bytes: its shared memory begins at a multiple of 16, and its size is one',
        bytes,
      );
      post(kind, endpoint, counting, op, smem, leId, leOffset, counterOffset, near, bytes);
    }
  },
);

/** A reduction of all copies into shared memory, which a warp initiates. */
const pull: DeviceFn<
  (smem: Ptr, coop: CoopLike, op: CftOp, leId: number, leOffset: number, near: Ptr, bytes: number) => void
> = deviceFn(
  { name: 'pull', use: { reduce } },
  (
    { reduce, requires, u64 },
    smem: Ptr,
    coop: CoopLike,
    op: CftOp,
    leId: number,
    leOffset: number,
    near: Ptr,
    bytes: number,
  ) => {
    requires(coop.size() === 32, 'pullRed by a group of {} threads: a warp must make the call', coop.size());
    reduce(smem, coop, 'pullRed', 'multicast', 'plain', op, leId, leOffset, u64(0), near, bytes);
  },
);

/** The functions of `reductions` in device functions. */
export interface Reductions {
  readonly reduce: AuthorOf<typeof reduce>;
  readonly pull: AuthorOf<typeof pull>;
}

/** The reductions of a session: `use: { reductions }`. */
export const reductions: DeviceModule<Reductions> = deviceModule('reductions', { reduce, pull });
