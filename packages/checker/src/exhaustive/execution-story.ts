import {
  nearMissOf,
  type NearMiss,
  type StoryChange,
  type StorySide,
  type StoryWait,
} from '@nccl-ts/backend-sim/internal';
import { fencesBeside, type FencesBeside } from '@nccl-ts/ir';
import {
  barrierCall,
  describeWord,
  isAboveIn,
  quotedLocation,
  type FindingLabel,
  type WordMeaning,
} from '@nccl-ts/findings';
import type { Execution, GraphEvent } from '@nccl-ts/memory-model';
import { isShared } from './cta-state.ts';
import type { ExploredWorld } from './explored-world.ts';

/** The synchronization of an execution that comes nearest to ordering two racing accesses. */
export function executionStory(
  world: ExploredWorld,
  execution: Execution,
  now: GraphEvent,
  before: GraphEvent,
): NearMiss | undefined {
  const story = new ExecutionStory(world, execution);
  const [late, early] = [story.side(now), story.side(before)];
  return late === undefined || early === undefined ? undefined : nearMissOf(late, early);
}

/** The fence nearest to an access in the text of its kernel, on one side. */
export function fenceOf(
  world: ExploredWorld,
  run: Execution['run'],
  event: GraphEvent,
  side: keyof FencesBeside,
): FindingLabel | undefined {
  const owner = world.participants.ownerOf(run, event.agent);
  const span = typeof event.site === 'number' ? world.participants.sites[event.site]?.span : undefined;
  if (owner?.kind !== 'thread' || span === undefined) return undefined;
  const { module } = world.runner.launches.find(({ id }) => id === owner.launch) ?? {};
  const fence = module === undefined ? undefined : fencesBeside(module.body, span)[side];
  const location = fence?.span === undefined ? undefined : quotedLocation(owner.kernel, fence.span);
  if (fence === undefined || location === undefined) return undefined;
  const { access: _access, polls: _polls, ...by } = world.participants.label(run, event);
  const { order, scope } = fence.access;
  return Object.freeze({ ...by, does: 'fence', place: location, access: Object.freeze({ order, scope }) });
}

/** Finds in the graph what the threads around an access did. */
class ExecutionStory {
  readonly #world: ExploredWorld;
  readonly #execution: Execution;
  readonly #changes = new Map<GraphEvent, StoryChange>();

  constructor(world: ExploredWorld, execution: Execution) {
    this.#world = world;
    this.#execution = execution;
  }

  side(access: GraphEvent): StorySide | undefined {
    const { run } = this.#execution;
    const label = this.#world.participants.label(run, access);
    const party = this.#partyOf(access);
    if (party === undefined) return undefined;
    const own = run.graph.events.filter(
      (event) =>
        event.isMemory &&
        event.live &&
        event !== access &&
        event.access !== undefined &&
        this.#partyOf(event) === party,
    );
    const reads = own.filter((event) => event.kind === 'read' && event.sources !== undefined);
    const waits = reads.filter((event) => this.#waits(event));
    const writes = own.filter(({ kind }) => kind === 'write');
    const wait = (event: GraphEvent): StoryWait => this.#wait(event, access, label);
    const change = (event: GraphEvent): StoryChange => this.#change(event);
    return {
      label,
      waits: waits.filter((event) => this.#isBefore(event, access)).map(wait),
      late: waits.filter((event) => !this.#isBefore(event, access)).map(wait),
      looks: reads.filter((event) => this.#isBefore(event, access)).map(wait),
      earlier: writes.filter((event) => this.#isBefore(event, access)).map(change),
      later: writes.filter((event) => !this.#isBefore(event, access)).map(change),
    };
  }

  /** The CTA of a thread, or of the thread that posted an operation. */
  #partyOf(event: GraphEvent): string | undefined {
    const owner = this.#world.participants.ownerOf(this.#execution.run, event.agent);
    if (owner?.kind !== 'thread' && owner?.kind !== 'network') return undefined;
    const { x, y, z } = owner.cta.blockIdx;
    return [owner.rank, x, y, z].join();
  }

  #waits(event: GraphEvent): boolean {
    return event.waitsFrom >= 0 || this.#world.participants.label(this.#execution.run, event).polls === true;
  }

  #isBefore(event: GraphEvent, access: GraphEvent): boolean {
    if (event.agent === access.agent) return event.position < access.position;
    const { causality } = this.#execution.consistent;
    if (causality.base(event, access)) return true;
    if (causality.base(access, event) || access.coordinates.on === 'network') return false;
    const { participants } = this.#world;
    const { run } = this.#execution;
    const [one, other] = [participants.label(run, event), participants.label(run, access)];
    return one.launch === other.launch && isAboveIn(one, other);
  }

  #wait(event: GraphEvent, access: GraphEvent, label: FindingLabel): StoryWait {
    const { participants } = this.#world;
    const by = participants.label(this.#execution.run, event);
    const place = this.#placeOf(event);
    const write = event.sources?.[0]?.write;
    const isFirst = write === undefined || write.kind === 'initial';
    return {
      by,
      word: String(event.at),
      place,
      value: isFirst ? undefined : write.value,
      number: event.id,
      isBarrier: place.kind === 'lsaInbox' || barrierCall(by.place) !== undefined,
      isAbove: isAboveIn(by, label),
      // Time limits do not expire here.
      gaveUp: false,
      isMet: this.#execution.consistent.causality.base(event, access),
      read: isFirst || this.#partyOf(write) === undefined ? undefined : this.#change(write),
    };
  }

  #change(event: GraphEvent): StoryChange {
    const known = this.#changes.get(event);
    if (known !== undefined) return known;
    const by = this.#world.participants.label(this.#execution.run, event);
    const change = { by, word: String(event.at), place: this.#placeOf(event), value: event.value, number: event.id };
    this.#changes.set(event, change);
    return change;
  }

  #placeOf({ at }: GraphEvent): WordMeaning {
    const word = { address: at, region: 0, space: isShared(at) ? 'shared' : 'global', type: 'u32', value: 0 } as const;
    return describeWord(word, () => this.#world.memory.byteAt(at));
  }
}
