import type { CallStatement } from '@nccl-ts/ir';
import type { WorldMemory } from '../memory/world-memory.ts';
import { isPointer, type Value } from './element.ts';
import { ThreadFault, Unsupported } from './thread-fault.ts';
import type { Steps } from './thread-steps.ts';

export interface PrimitiveContext {
  readonly memory: WorldMemory;
  readonly rank: number;
  readonly thread: number;
}

/** A call that has no body of its own. The values are those of its arguments, all known. */
// oxlint-disable-next-line require-yield -- those that ask for something come with the network
export function* primitiveCall(
  { name }: CallStatement,
  values: readonly Value[],
  { memory, rank }: PrimitiveContext,
): Steps<Value | undefined> {
  if (name !== 'findWindow' && name !== 'windowOffset') throw new Unsupported(`the primitive ${name}`);
  const given = values.find(isPointer);
  const at = given === undefined ? undefined : memory.space.locate(given);
  if (at === undefined || at.rank !== rank || at.offset < 0 || at.offset >= at.window.bytes) {
    const rule = 'it must lead into the memory that the calling rank itself has of a window of the communicator';
    throw new ThreadFault('misuse', `${name} of a pointer into no window: ${rule}`);
  }
  return name === 'findWindow' ? at.window.valueAt(rank) : [at.offset];
}
