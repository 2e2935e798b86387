import { describeWord, type FindingLabel, type WordMeaning } from '@nccl-ts/findings';
import type { Execution, GraphEvent } from '@nccl-ts/memory-model';
import { isShared } from './cta-state.ts';
import type { ExploredWorld } from './explored-world.ts';

/** A write whose value a read has taken. */
export interface ExploredWrite {
  /** The event's number in the execution; 0 for the initial contents. */
  readonly event: number;
  /** The value of the bytes that the read took from it. */
  readonly value: bigint;
  /** Absent for the initial contents. */
  readonly by?: FindingLabel;
}

/** A read of global memory in an execution. */
export interface ExploredRead {
  readonly event: number;
  readonly by: FindingLabel;
  readonly place: WordMeaning;
  readonly bytes: number;
  readonly value: bigint;
  /** The writes that its bytes come from, usually one. */
  readonly took: readonly ExploredWrite[];
}

/** A write of a kernel to global memory in an execution. */
export interface ExploredStore {
  readonly event: number;
  readonly by: FindingLabel;
  readonly place: WordMeaning;
  readonly bytes: number;
  readonly value: bigint;
}

/** An execution that the memory model allows, as plain data. */
export interface ExploredExecution {
  /** The index from 0. */
  readonly index: number;
  /**
   * The writes of kernels. Of one thread they are in program order, also relative to its reads, by
   * their event numbers.
   */
  readonly writes: readonly ExploredStore[];
  /** The reads of kernels, in the order in which the exploration added them. */
  readonly reads: readonly ExploredRead[];
  /** The number of its races. */
  readonly races: number;
  /** True if threads wait forever. */
  readonly isStuck: boolean;
}

export function exploredExecution(world: ExploredWorld, execution: Execution, index: number): ExploredExecution {
  const { run, races, blocked } = execution;
  const reads = run.graph.events.flatMap((event): readonly ExploredRead[] => {
    const { sources } = event;
    if (event.kind !== 'read' || sources === undefined || isShared(event.at)) return [];
    const owner = world.participants.ownerOf(run, event.agent);
    if (owner?.kind !== 'thread') return [];
    return [
      {
        event: event.id,
        by: world.participants.label(run, event),
        place: meaningOf(world, event),
        bytes: event.bytes,
        value: run.valueOf(event, sources),
        took: sources.map(({ write }) => ({
          event: write.id,
          value: run.valueOf(
            event,
            sources.filter((one) => one.write === write),
          ),
          ...(write.kind === 'initial' ? {} : { by: world.participants.label(run, write) }),
        })),
      },
    ];
  });
  const writes = run.graph.events.flatMap((event): readonly ExploredStore[] => {
    const { kind, live, value, bytes } = event;
    if (kind !== 'write' || !live || value === undefined || isShared(event.at)) return [];
    if (world.participants.ownerOf(run, event.agent)?.kind !== 'thread') return [];
    return [
      { event: event.id, by: world.participants.label(run, event), place: meaningOf(world, event), bytes, value },
    ];
  });
  return Object.freeze({ index, writes, reads, races: races.length, isStuck: blocked.length > 0 });
}

function meaningOf(world: ExploredWorld, { at: address }: GraphEvent): WordMeaning {
  const word = { address, region: 0, space: 'global', type: 'u32', value: 0 } as const;
  return describeWord(word, () => world.memory.byteAt(address));
}
