import type { CallStatement } from '@nccl-ts/ir';
import { at } from '@nccl-ts/core';
import { known, write } from '@nccl-ts/memory-model';
import type { WorldMemory } from '../memory/world-memory.ts';
import type { DevCommValue, PostedRequest, WindowValue } from '../program.ts';
import { networkMisuse } from '../network/misuse-text.ts';
import { isElements, isPointer, type Value } from './element.ts';
import type { ExploredNetwork, Poster } from './explored-network.ts';
import type { GridDependency } from './grid-dependency.ts';
import { ThreadFault, Unsupported } from './thread-fault.ts';
import type { Steps } from './steps.ts';

export interface PrimitiveContext {
  readonly memory: WorldMemory;
  readonly network: ExploredNetwork;
  readonly poster: Poster;
  /** The launch's relation to the previous and next ones. */
  readonly dependency: GridDependency;
  /** The calling agent. */
  readonly self: () => number;
}

/** A call without a body. The values are those of its arguments, all known. */
export function* primitiveCall(
  call: CallStatement,
  values: readonly Value[],
  context: PrimitiveContext,
): Steps<Value | undefined> {
  const { network, poster } = context;
  switch (call.name) {
    case 'gin.post':
      yield* network.post(poster, requestOf(call, values));
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
    case 'gin.release':
      // Nothing is held back here.
      return undefined;
    case 'gridDependencySync':
      yield* context.dependency.wait();
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

function windowAt(name: string, values: readonly Value[], { memory, poster: { rank } }: PrimitiveContext): Value {
  const given = values.find(isPointer);
  const found = given === undefined ? undefined : memory.space.locate(given);
  if (found === undefined || found.rank !== rank || found.offset < 0 || found.offset >= found.window.bytes) {
    throw new ThreadFault('misuse', networkMisuse.noWindow(name));
  }
  return name === 'findWindow' ? found.window.valueAt(rank) : [found.offset];
}

const kinds: readonly PostedRequest['kind'][] = ['put', 'putValue', 'get', 'signal'];
const places: readonly PostedRequest['at'][] = ['none', 'id', 'va'];
const changes: readonly PostedRequest['modify'][] = ['inc', 'add'];
const strengths: readonly PostedRequest['strength'][] = ['weak', 'strong', 'legacy'];

/** The call's words and values, in the order of the primitive's parameters. */
function requestOf({ statics }: CallStatement, values: readonly Value[]): PostedRequest {
  const words = statics.flatMap((given) => (given.kind === 'word' ? [given.word] : []));
  let next = 0;
  const numeric = (): number => Number(scalar(values[next++]));
  const wide = (): bigint => BigInt(scalar(values[next++]));
  const comm = devCommOf(values[next++]);
  const context = numeric();
  const sharing = numeric();
  const peer = numeric();
  const near = windowOf(values[next++]);
  const nearOffset = numeric();
  const far = windowOf(values[next++]);
  const farOffset = numeric();
  const bytes = numeric();
  const value = wide();
  const signal = numeric();
  const signalWindow = windowOf(values[next++]);
  return {
    kind: wordOf(kinds, words[0]),
    at: wordOf(places, words[1]),
    modify: wordOf(changes, words[2]),
    strength: wordOf(strengths, words[3]),
    comm,
    context,
    sharing,
    peer,
    near,
    nearOffset,
    far,
    farOffset,
    bytes,
    value,
    signal,
    signalWindow,
    signalOffset: numeric(),
    amount: wide(),
    counter: numeric(),
    aggregates: numeric(),
  };
}

function wordOf<T extends string>(allowed: readonly T[], given: string | undefined): T {
  const word = allowed.find((each) => each === given);
  if (word === undefined) throw new Unsupported(`the word ${given} of a request`);
  return word;
}

function scalar(value: Value | undefined): number | bigint | boolean {
  if (value === undefined || !isElements(value)) throw new Unsupported('a request without a number');
  return known(at(value, 0));
}

function windowOf(value: Value | undefined): WindowValue {
  if (value === undefined || isElements(value) || !('bases' in value))
    throw new Unsupported('a request without a window');
  return value;
}

function devCommOf(value: Value | undefined): DevCommValue {
  if (value === undefined || isElements(value) || !('windows' in value))
    throw new Unsupported('a request without a communicator');
  return value;
}
