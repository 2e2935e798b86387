import { at } from '@nccl-ts/core';
import {
  after,
  as,
  Deferred,
  eventsBefore,
  fence,
  fenceProxy,
  join,
  known,
  modify,
  open,
  read,
  spawn,
  use,
  write,
  type AgentCoordinates,
  type AgentProgram,
  type EventsBefore,
  type GraphEvent,
  type Later,
  type Run,
} from '@nccl-ts/memory-model';
import {
  FABRIC,
  type EndpointTable,
  fabricMisuse,
  type OperationPiece,
  type PutTarget,
  piecesOf,
  rangesOf,
  combined,
  elementBytes,
  elementsOf,
  nameOf,
  targetsOf,
} from '@nccl-ts/backend-sim/internal';
import type { FabricReduction, PostedOperation, SharedRange } from '@nccl-ts/codegen';
import type { Poster } from './explored-network.ts';
import { hostWords } from './host-words.ts';
import type { Participants } from './participants.ts';
import { ThreadFault } from './thread-fault.ts';
import type { Steps } from './steps.ts';

/** The thread that makes a call, with its agent. */
export interface FabricCaller {
  readonly poster: Poster;
  readonly self: number;
  readonly coordinates: AgentCoordinates;
}

/** An operation, with the agents that perform its accesses. */
interface ExploredOperation {
  readonly posted: PostedOperation;
  readonly far: readonly PutTarget[];
  readonly caller: FabricCaller;
  /** The parts that are written and counted separately. */
  readonly parts: readonly OperationPiece[];
  readonly reads: number;
  /** By copy, then by part. */
  readonly writes: readonly number[][];
}

interface Submitted {
  readonly operation: ExploredOperation;
  /** An event of the thread that submitted it. */
  readonly at: GraphEvent;
}

/** The access of a reduction to the elements of its places, one by one. */
const STRONG = { order: 'relaxed', scope: 'system', fabric: true } as const;

/** The end of a phase: it covers operations, and its agent counts it. */
interface Phase {
  readonly covered: ReadonlySet<ExploredOperation>;
  readonly agent: number;
}

/** A session, with its operations so far. */
interface FabricSession {
  /**
   * By thread: the operations that it has not submitted, and the puts whose sources it must not
   * write.
   */
  readonly held: Map<number, ExploredOperation[]>;
  readonly unsettled: Map<number, ExploredOperation[]>;
  readonly submitted: Submitted[];
  readonly phases: Phase[];
}

/**
 * The compute fabric in one execution. An operation consists of a few agents. Its reads and writes
 * are ordered after the call, and after nothing else. A counter covers the writes that it counts.
 * The end of a phase covers the operations that were submitted before it. Operations access global
 * memory through the fabric proxy, and shared memory through the async proxy.
 *
 * The number of unread sources is not tracked. Every source is read at some time, and a thread that
 * has waited for that is ordered after the reads.
 */
export class ExploredFabric {
  readonly #participants: Participants;
  readonly #run: Run;
  readonly endpoints: EndpointTable;
  /** By the address of the state. */
  readonly #sessions = new Map<number, FabricSession>();

  constructor(participants: Participants, run: Run, endpoints: EndpointTable) {
    this.#participants = participants;
    this.#run = run;
    this.endpoints = endpoints;
  }

  begin(smem: SharedRange): void {
    inArray(smem, 16);
    if (this.#sessions.has(smem.address)) misuse(fabricMisuse.inUse());
    this.#sessions.set(smem.address, { held: new Map(), unsettled: new Map(), submitted: [], phases: [] });
  }

  *end(caller: FabricCaller, smem: SharedRange): Steps<void> {
    const { held, submitted, phases } = this.#session(smem);
    const count = [...held.values()].flat().length;
    if (count > 0) misuse(fabricMisuse.left(count, false));
    const earlier = yield* this.#before(caller.self);
    const isOver = ({ agent }: Phase): boolean =>
      this.#run.graph.eventsOf(agent).some((event) => event.kind === 'fence' && earlier.has(event));
    const over = phases.filter(isOver);
    const left = submitted.filter(({ operation }) => !over.some(({ covered }) => covered.has(operation)));
    if (left.length > 0) misuse(fabricMisuse.left(left.length, true));
    this.#sessions.delete(smem.address);
  }

  *post(caller: FabricCaller, smem: SharedRange, posted: PostedOperation): Steps<void> {
    const { held } = this.#session(smem);
    inArray(posted.near, posted.bytes);
    const far = targetsOf(this.endpoints, posted, {
      misuse,
      outside: ({ copies }, rank, address, bytes) => {
        const region = at(copies.regions, rank);
        throw new ThreadFault('outOfBounds', '', { space: 'global', address, bytes, region });
      },
    });
    const { kind, bytes, counting } = posted;
    const parts = counting === 'counted' || bytes === 0 ? piecesOf(bytes, true) : piecesOf(bytes, false);
    const copies = kind === 'put' ? far.length : 1;
    const [near, there] = ['async', 'fabric'] as const;
    const programs = Array.from({ length: copies * parts.length }, () =>
      this.#silent(caller, kind === 'put' ? there : near),
    );
    const [reads, ...writes] = yield* open([this.#silent(caller, kind === 'put' ? near : there), ...programs]);
    if (reads === undefined) throw new RangeError('An operation has no agent for its reads.');
    const byCopy = Array.from({ length: copies }, (_, i) => writes.slice(i * parts.length, (i + 1) * parts.length));
    add(held, caller.poster.thread, { posted, far, caller, parts, reads, writes: byCopy });
  }

  *submit({ self, poster: { thread } }: FabricCaller, smem: SharedRange): Steps<void> {
    const { held, unsettled, submitted } = this.#session(smem);
    const operations = held.get(thread) ?? [];
    held.delete(thread);
    // A separate event, which shows what comes after the submission.
    yield* spawn([]);
    const coordinates = this.#last(self);
    for (const operation of operations) {
      submitted.push({ operation, at: coordinates });
      if (operation.posted.kind === 'put') add(unsettled, thread, operation);
      yield* operation.posted.reduction === undefined
        ? this.#transfer(operation)
        : this.#reduce(operation, operation.posted.reduction);
    }
  }

  *arrive(caller: FabricCaller, smem: SharedRange): Steps<void> {
    const { submitted, phases } = this.#session(smem);
    const earlier = yield* this.#before(caller.self);
    const covered = submitted.filter((each) => earlier.has(each.at)).map(({ operation }) => operation);
    const agents = covered.flatMap(({ reads, writes }) => [reads, ...writes.flat()]);
    const does = `${FABRIC}operation that tracks its progress`;
    const program = this.#agent(caller, undefined, does, function* () {
      yield* join(agents, does);
      // The end of an operation is a proxy fence for its accesses to shared memory.
      yield* fenceProxy(does);
      yield* fence({ order: 'release', scope: 'block' }, does);
      const range = { at: smem.address, bytes: 8 };
      yield* counted(modify(range, { order: 'relaxed', scope: 'block' }, does, (old) => old + 1n));
      return undefined;
    });
    const [agent] = yield* spawn([program]);
    if (agent === undefined) throw new RangeError('A phase has no agent.');
    phases.push({ covered: new Set(covered), agent });
  }

  *settleReads(caller: FabricCaller, smem: SharedRange): Steps<void> {
    const { unsettled } = this.#session(smem);
    const readers = (unsettled.get(caller.poster.thread) ?? []).map(({ reads }) => reads);
    unsettled.delete(caller.poster.thread);
    if (readers.length === 0) return;
    const does = `${FABRIC}operations whose sources are read`;
    const program = this.#agent(caller, undefined, does, function* () {
      yield* join(readers, does);
      yield* fenceProxy(does);
      return undefined;
    });
    yield* join(yield* spawn([program], 'nothing'), does);
  }

  /** Reads word by word, writes each word to every copy, and increments counters. */
  *#transfer(operation: ExploredOperation): Steps<void> {
    const { posted, far, parts, reads, writes } = operation;
    const { kind, near, mask } = posted;
    const from = kind === 'put' ? near.address : at(far, 0).address;
    for (const [index, part] of parts.entries()) {
      for (const word of hostWords(part.offset, part.bytes)) {
        const range = { at: from + word.at, bytes: word.bytes };
        const bits = yield* as(reads, read(range, undefined, `${FABRIC}${kind} that reads its source`));
        for (const { low, high } of rangesOf(mask, { index, offset: word.at, bytes: word.bytes })) {
          const value = shifted(bits, 8 * (low - word.at));
          for (const [copy, agents] of writes.entries()) {
            const to = kind === 'put' ? at(far, copy).address : near.address;
            const coordinates = { at: to + low, bytes: high - low };
            yield* as(at(agents, index), write(coordinates, undefined, `${FABRIC}${kind} that writes`, value));
          }
        }
      }
      yield* this.#count(operation, index);
    }
  }

  /** Combines element by element: into every copy, or all copies into the CTA's memory. */
  *#reduce(operation: ExploredOperation, reduction: FabricReduction): Steps<void> {
    const { posted, far, parts, reads, writes } = operation;
    const { near } = posted;
    const bytes = elementBytes(reduction);
    const does = `${FABRIC}${nameOf(posted)} that reads its source`;
    for (const [index, part] of parts.entries()) {
      const values: Later<bigint>[] = [];
      for (const offset of elementsOf(reduction, part)) {
        const own = { at: near.address + offset, bytes };
        if (posted.kind === 'put') values.push(yield* as(reads, read(own, undefined, does)));
        else {
          const copies: Later<bigint>[] = [];
          for (const { address } of far)
            copies.push(yield* as(reads, read({ at: address + offset, bytes }, STRONG, does)));
          const all = after(copies, () => copies.map(known).reduce((a, b) => combined(reduction, a, b)));
          yield* as(at(at(writes, 0), index), write(own, undefined, `${FABRIC}${nameOf(posted)} that writes`, all));
        }
      }
      if (posted.kind === 'put') yield* this.#change(operation, reduction, index, values);
      yield* this.#count(operation, index);
    }
  }

  /** The elements of a part change in every copy, by agents that take the place of the writes. */
  *#change(
    { posted, far, caller, parts, writes }: ExploredOperation,
    reduction: FabricReduction,
    index: number,
    values: readonly Later<bigint>[],
  ): Steps<void> {
    const does = `${FABRIC}${nameOf(posted)} that writes`;
    const bytes = elementBytes(reduction);
    const offsets = elementsOf(reduction, at(parts, index));
    for (const [copy, { address }] of far.entries()) {
      const before = at(at(writes, copy), index);
      const program = this.#agent(caller, 'fabric', does, function* () {
        yield* join([before], does);
        for (const [i, offset] of offsets.entries()) {
          const value = at(values, i);
          const change = after([value], () => (old: bigint) => combined(reduction, old, known(value)));
          yield* counted(modify({ at: address + offset, bytes }, STRONG, does, change));
        }
        return undefined;
      });
      const [agent] = yield* spawn([program], 'nothing');
      if (agent === undefined) throw new RangeError('A reduction has no agent.');
      at(writes, copy)[index] = agent;
    }
  }

  /** The counters of a part that is written grow. */
  *#count({ far, caller, parts, reads, writes }: ExploredOperation, index: number): Steps<void> {
    for (const [copy, { counter }] of far.entries()) {
      if (counter === undefined) continue;
      const { bytes } = at(parts, index);
      yield* spawn([this.#counting(caller, counter, at(at(writes, copy), index), bytes, reads)], 'nothing');
    }
  }

  /**
   * Increments a counter. A thread that reads it and then acquires is ordered after the counted
   * bytes.
   */
  #counting(caller: FabricCaller, counter: number, writes: number, bytes: number, reads: number): AgentProgram {
    const does = `${FABRIC}put that counts its bytes`;
    return this.#agent(caller, 'fabric', does, function* () {
      yield* join([writes], does);
      for (const pair of ['fabric to generic', 'fabric to fabric'] as const)
        yield* fenceProxy(does, { pair, half: 'release' });
      yield* fence({ order: 'release', scope: 'system' }, does);
      // It is also ordered after the call, but does not publish it.
      yield* join([reads], does);
      const range = { at: counter, bytes: 8 };
      yield* counted(modify(range, { order: 'relaxed', scope: 'system' }, does, (old) => old + BigInt(bytes)));
      return undefined;
    });
  }

  /**
   * Returns the events before the thread's last one. Strong reads among them are decided first,
   * since other events may come before them.
   */
  *#before(self: number): Steps<EventsBefore> {
    for (;;) {
      const earlier = eventsBefore(this.#run, [this.#last(self)]);
      const undecided = earlier.open.filter(({ event }) => event.access !== undefined);
      if (undecided.length === 0) return earlier;
      for (const { token } of undecided) yield* use(new Deferred([token], () => token.value));
    }
  }

  #last(agent: number): GraphEvent {
    const event = this.#run.graph.eventsOf(agent).at(-1);
    if (event === undefined) throw new RangeError(`Agent ${agent} has no events.`);
    return event;
  }

  #session({ address }: SharedRange): FabricSession {
    return this.#sessions.get(address) ?? misuse(fabricMisuse.noSession());
  }

  /** An agent that makes the accesses that its thread requests. */
  #silent(caller: FabricCaller, proxy: 'async' | 'fabric'): AgentProgram {
    // oxlint-disable-next-line require-yield -- the thread makes its requests
    return this.#agent(caller, proxy, 'operation', function* () {});
  }

  #agent(
    { poster, coordinates }: FabricCaller,
    proxy: 'async' | 'fabric' | undefined,
    name: string,
    start: AgentProgram['start'],
  ): AgentProgram {
    const { rank, kernel, launch, purpose, cta, thread, site } = poster;
    const own = proxy === undefined ? coordinates : { ...coordinates, proxy };
    return this.#participants.add(
      { name, coordinates: own, start },
      { kind: 'network', rank, kernel, launch, purpose, cta, thread, site },
    );
  }
}

/**
 * A change of a counter. Its position among the other changes is decided before everything else
 * that is open. The decision depends on nothing else, and a later one would multiply the runs.
 */
function* counted(change: Steps<Later<bigint>>): Steps<void> {
  yield* use(yield* change);
}

function shifted(bits: Later<bigint>, by: number): Later<bigint> {
  return by === 0 ? bits : after([bits], () => known(bits) >> BigInt(by));
}

function add<T>(map: Map<number, T[]>, key: number, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

function inArray({ address, region, low, high }: SharedRange, bytes: number): void {
  if (address >= low && address + bytes <= high) return;
  const access = { space: 'shared', address: address - low, bytes, region, arrayBytes: high - low } as const;
  throw new ThreadFault('outOfBounds', '', access);
}

function misuse(message: string): never {
  throw new ThreadFault('misuse', message);
}
