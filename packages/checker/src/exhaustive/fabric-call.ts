import { at } from '@nccl-ts/core';
import type { CallStatement } from '@nccl-ts/ir';
import { modify } from '@nccl-ts/memory-model';
import type { PointerValue } from '@nccl-ts/backend-sim/internal';
import type { SharedRange } from '@nccl-ts/codegen';
import { CallValues } from './call-values.ts';
import type { LaterValue } from './element.ts';
import type { ExploredFabric, FabricCaller } from './explored-fabric.ts';
import { Unsupported } from './thread-fault.ts';
import type { Steps } from './steps.ts';

/** The fabric of an execution, as one thread uses it. */
export interface FabricContext {
  readonly fabric: ExploredFabric;
  readonly caller: FabricCaller;
  /** Returns the bounds of the array of a pointer to shared memory. */
  readonly shared: (pointer: PointerValue) => SharedRange;
}

/** True for a call that `fabricCall` handles. */
export function isOfFabric({ name }: CallStatement): boolean {
  return name.startsWith('cft.');
}

/** Runs a call of the fabric. `values` are the values of its arguments, all known. */
export function* fabricCall(
  call: CallStatement,
  values: readonly LaterValue[],
  { fabric, caller, shared }: FabricContext,
): Steps<LaterValue | undefined> {
  const given = new CallValues(call, values);
  switch (call.name) {
    case 'cft.leIdOf': {
      const isMulticast = given.word(endpoints) === 'multicast';
      const window = given.window();
      return [fabric.endpoints.idOf(window, given.number(), isMulticast)];
    }
    case 'cft.leBaseOf':
      return [fabric.endpoints.baseOf(given.window())];
    case 'cft.begin':
      fabric.begin(shared(given.pointer()));
      return undefined;
    case 'cft.end':
      yield* fabric.end(caller, shared(given.pointer()));
      return undefined;
    case 'cft.post': {
      const smem = shared(given.pointer());
      const requested = {
        kind: given.word(kinds),
        endpoint: given.word(endpoints),
        counting: given.word(countings),
        leId: given.number(),
        leOffset: given.number(),
        counterOffset: given.number(),
        near: shared(given.pointer()),
        bytes: given.number(),
        mask: given.number(),
      };
      yield* fabric.post(caller, smem, requested);
      return undefined;
    }
    case 'cft.postRed': {
      const [name, endpoint, counting] = [given.word(reductions), given.word(endpoints), given.word(countings)];
      const reduction = { op: given.word(ops), element: given.word(elements) };
      const smem = shared(given.pointer());
      const requested = {
        kind: name === 'red' ? 'put' : 'get',
        reduction,
        endpoint,
        counting,
        leId: given.number(),
        leOffset: given.number(),
        counterOffset: given.number(),
        near: shared(given.pointer()),
        bytes: given.number(),
        mask: 0xffff,
      } as const;
      yield* fabric.post(caller, smem, requested);
      return undefined;
    }
    case 'cft.submit':
      yield* fabric.submit(caller, shared(given.pointer()));
      return undefined;
    case 'cft.arrive':
      yield* fabric.arrive(caller, shared(given.pointer()));
      return undefined;
    case 'cft.arriveAt': {
      const { copies } = given.window();
      const offset = given.number();
      const place = { at: at(copies.bases, given.number()) + offset, bytes: 4 };
      const access = { order: 'relaxed', scope: 'system' } as const;
      yield* modify(place, access, caller.poster.site, (old) => BigInt.asUintN(32, old + 1n));
      return undefined;
    }
    case 'cft.settleReads':
      yield* fabric.settleReads(caller, shared(given.pointer()));
      return undefined;
    default:
      throw new Unsupported(`the primitive ${call.name}`);
  }
}

const kinds = ['put', 'get'] as const;
const reductions = ['red', 'pullRed'] as const;
const ops = ['sum', 'min', 'max', 'and', 'or', 'xor'] as const;
const elements = ['u32', 'i32', 'u64', 'i64'] as const;
const endpoints = ['unicast', 'multicast'] as const;
const countings = ['plain', 'counted'] as const;
