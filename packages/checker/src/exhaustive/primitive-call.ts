import type { CallStatement } from '@nccl-ts/ir';
import { write } from '@nccl-ts/memory-model';
import { type SimWorldMemory, unlistedPeer } from '@nccl-ts/backend-sim/internal';
import { type PostedRequest, networkMisuse, shmemRequest } from '@nccl-ts/codegen';
import { CallValues } from './call-values.ts';
import { isPointer, type LaterValue } from './element.ts';
import type { ExploredNetwork, Poster } from './explored-network.ts';
import { fabricCall, isOfFabric, type FabricContext } from './fabric-call.ts';
import type { GridDependency } from './grid-dependency.ts';
import { ThreadFault, Unsupported } from './thread-fault.ts';
import type { Steps } from './steps.ts';

export interface PrimitiveContext {
  readonly memory: SimWorldMemory;
  readonly network: ExploredNetwork;
  readonly fabric: () => FabricContext;
  readonly poster: Poster;
  /** The launch's relation to the previous and next launches. */
  readonly dependency: GridDependency;
  /** Returns the calling agent. */
  readonly self: () => number;
}

/** Runs a call without a body. The values are those of its arguments, all known. */
export function* primitiveCall(
  call: CallStatement,
  values: readonly LaterValue[],
  context: PrimitiveContext,
): Steps<LaterValue | undefined> {
  const { network, poster } = context;
  if (isOfFabric(call)) return yield* fabricCall(call, values, context.fabric());
  switch (call.name) {
    case 'gin.post':
      yield* network.post(poster, requestOf(call, values), context.self());
      return undefined;
    case 'shmem.post':
      yield* network.post(poster, shmemRequestOf(call, values), context.self());
      return undefined;
    case 'shmem.fence':
      yield* network.fences.fence(context.self(), poster.rank);
      return undefined;
    case 'gin.acquire':
      yield* network.acquire(context.self(), values.find(isPointer)?.address);
      return undefined;
    case 'gin.reset': {
      const word = values.find(isPointer);
      if (word !== undefined) {
        yield* write({ at: word.address, bytes: 8 }, { order: 'relaxed', scope: 'system' }, poster.site, 0n);
      }
      return undefined;
    }
    case 'gin.checkListed': {
      const given = new CallValues(call, values);
      const wrong = unlistedPeer(given.devComm(), given.number(), given.number());
      if (wrong !== undefined) throw new ThreadFault('misuse', wrong);
      return undefined;
    }
    case 'gin.release':
      // No request is held back here.
      return undefined;
    case 'gridDependencySync':
      yield* context.dependency.wait(context.self());
      yield* network.acquire(context.self(), undefined);
      return undefined;
    case 'launchDependents':
      yield* context.dependency.trigger(poster.cta);
      return undefined;
    case 'findWindow':
    case 'windowOffset':
      return windowAt(call.name, values, context);
    default:
      throw new Unsupported(`the primitive ${call.name}`);
  }
}

function windowAt(
  name: string,
  values: readonly LaterValue[],
  { memory, poster: { rank } }: PrimitiveContext,
): LaterValue {
  const given = values.find(isPointer);
  const found = given === undefined ? undefined : memory.space.locate(given);
  if (found === undefined || found.rank !== rank || found.offset < 0 || found.offset >= found.window.bytes) {
    throw new ThreadFault('misuse', networkMisuse.noWindow(name));
  }
  return name === 'findWindow' ? found.window.valueAt(rank) : [found.offset];
}

/** The same for a request of NVSHMEM. */
function shmemRequestOf(call: CallStatement, values: readonly LaterValue[]): PostedRequest {
  const given = new CallValues(call, values);
  return shmemRequest({
    kind: given.word(['put', 'get']),
    at: given.word(['none', 'symmetric']),
    modify: given.word(['set', 'add']),
    comm: given.devComm(),
    peer: given.number(),
    near: given.window(),
    nearOffset: given.number(),
    far: given.window(),
    farOffset: given.number(),
    bytes: given.number(),
    signalWindow: given.window(),
    signalOffset: given.number(),
    amount: given.wide(),
    shmem: { blocks: given.number() !== 0 },
  });
}

/** Returns the call's words and values, in the order of the primitive's parameters. */
function requestOf(call: CallStatement, values: readonly LaterValue[]): PostedRequest {
  const given = new CallValues(call, values);
  return {
    kind: given.word(['put', 'putValue', 'get', 'signal']),
    at: given.word(['none', 'id', 'va']),
    modify: given.word(['inc', 'add']),
    strength: given.word(['weak', 'strong', 'legacy']),
    comm: given.devComm(),
    context: given.number(),
    sharing: given.number(),
    peer: given.number(),
    near: given.window(),
    nearOffset: given.number(),
    far: given.window(),
    farOffset: given.number(),
    bytes: given.number(),
    value: given.wide(),
    signal: given.number(),
    signalWindow: given.window(),
    signalOffset: given.number(),
    amount: given.wide(),
    counter: given.number(),
    aggregates: given.number(),
  };
}
