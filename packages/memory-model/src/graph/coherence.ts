import { at } from '@nccl-ts/core';
import type { Causality, EventFilter } from './causality.ts';
import { covers, type Cluster, type ExecutionGraph } from './execution-graph.ts';
import { before, morallyStrong, overlap, type GraphEvent, type ReadSource } from './graph-event.ts';
import { Reachability } from './reachability.ts';

/** A read and one of the writes that it reads from. */
interface Bond {
  readonly read: GraphEvent;
  readonly source: ReadSource;
  /** The number of the source's write. */
  readonly from: number;
  /** The number of the write of the same read-modify-write, or -1. */
  readonly own: number;
  readonly rivals: readonly Rival[];
}

/** Another write to bytes that a read takes from its source. */
interface Rival {
  readonly number: number;
  /** True if it comes before the read in its own thread or in causality. */
  readonly isEarlier: boolean;
  readonly write: GraphEvent;
}

/**
 * The decided part of the coherence order of one cluster. It follows from causality, from the
 * values read, and from the atomicity of read-modify-writes. It also follows from the sequential
 * consistency of morally strong accesses to one location.
 */
export class Coherence {
  readonly #causality: Causality;
  readonly #writes: readonly GraphEvent[];
  readonly #reads: readonly GraphEvent[];
  readonly #bonds: readonly Bond[];
  /** `order[i * n + j]` is 1 if write i comes before write j. */
  readonly #order: Uint8Array;
  readonly #strong: Uint8Array;
  /** The number of decided pairs. */
  #decided = 0;
  /** No decision changes it, so it is found once. */
  #program: ProgramOrder | undefined;

  private constructor(init: CoherenceInit) {
    this.#causality = init.causality;
    this.#writes = init.writes;
    this.#reads = init.reads;
    this.#bonds = init.bonds;
    this.#order = init.order;
    this.#strong = init.strong;
    this.#program = init.program;
  }

  /** The pairs decided from the start, or `undefined` if the graph is not consistent. */
  static of(graph: ExecutionGraph, cluster: Cluster, causality: Causality, counts: EventFilter): Coherence | undefined {
    const writes = [
      graph.initial,
      ...cluster.events.filter((event) => event.kind === 'write' && event.live && counts(event)),
    ];
    const reads = cluster.events.filter(
      (event) => event.kind === 'read' && event.sources !== undefined && counts(event),
    );
    if (writes.length === 1) {
      return new Coherence({
        causality,
        writes,
        reads,
        bonds: [],
        order: new Uint8Array(1),
        strong: new Uint8Array(1),
      });
    }
    const numbers = new Map(writes.map((write, number) => [write, number]));
    const pairs = reads.flatMap((read) => (read.sources ?? []).map((source) => ({ read, source })));
    // No read takes its bytes from a write that comes after it in its own thread or in causality.
    if (pairs.some(({ read, source }) => before(read, source.write) || causality.preserved(read, source.write)))
      return undefined;
    const bonds = pairs.map(({ read, source }): Bond => {
      const from = numberOf(numbers, source.write);
      const own = read.partner?.live === true ? (numbers.get(read.partner) ?? -1) : -1;
      return { read, source, from, own, rivals: rivalsOf(read, source, from, writes, causality) };
    });
    const n = writes.length;
    graph.work += n * (n + bonds.length);
    const coherence = new Coherence({
      causality,
      writes,
      reads,
      bonds,
      order: new Uint8Array(n * n),
      strong: new Uint8Array(n * n),
    });
    return coherence.#begin() && coherence.#saturate() ? coherence : undefined;
  }

  /** True if the undecided pairs can be decided consistently. */
  get possible(): boolean {
    for (const _ of this.solutions()) return true;
    return false;
  }

  /** Lists every way to decide the undecided pairs. */
  *solutions(): Generator<Coherence> {
    const open = this.#open();
    if (open === undefined) {
      yield this;
      return;
    }
    const [i, j] = open;
    for (const [first, second] of [
      [i, j],
      [j, i],
    ] as const) {
      const decided = this.#copy();
      if (decided.#put(first, second) && decided.#saturate()) yield* decided.solutions();
    }
  }

  /** Writes to these bytes that no other comes after. */
  last(start: number, bytes: number): readonly GraphEvent[] {
    const touching = [...this.#writes.keys()].filter((i) => {
      const write = this.#writes[i];
      return write !== undefined && write.at < start + bytes && start < write.at + write.bytes;
    });
    return touching.filter((i) => !touching.some((j) => this.#has(i, j))).map((i) => at(this.#writes, i));
  }

  #copy(): Coherence {
    return new Coherence({
      causality: this.#causality,
      writes: this.#writes,
      reads: this.#reads,
      bonds: this.#bonds,
      order: this.#order.slice(),
      strong: this.#strong,
      program: this.#program,
    });
  }

  #has(i: number, j: number): boolean {
    return this.#order[i * this.#writes.length + j] === 1;
  }

  /** Orders write `i` before write `j`, with all consequences. */
  #put(i: number, j: number): boolean {
    const n = this.#writes.length;
    if (i === j || this.#has(j, i)) return false;
    if (this.#has(i, j)) return true;
    for (let a = 0; a < n; a++) {
      // A write before j already comes before everything after j.
      if ((a !== i && !this.#has(a, i)) || this.#has(a, j)) continue;
      for (let b = 0; b < n; b++) {
        if (b !== j && !this.#has(j, b)) continue;
        if (a === b) return false;
        if (this.#order[a * n + b] === 1) continue;
        this.#order[a * n + b] = 1;
        this.#decided++;
      }
    }
    return true;
  }

  #begin(): boolean {
    const n = this.#writes.length;
    // From the last to the first, so that a predecessor of one also precedes those after it.
    for (let i = n - 1; i >= 0; i--) {
      const x = at(this.#writes, i);
      let j = -1;
      for (const y of this.#writes) {
        j++;
        if (i === j) continue;
        if (i > 0 && j > i && morallyStrong(x, y)) {
          this.#strong[i * n + j] = 1;
          this.#strong[j * n + i] = 1;
        }
        if (this.#has(i, j) || !overlap(x, y)) continue;
        if ((before(x, y) || this.#causality.precedes(x, y)) && !this.#put(i, j)) return false;
      }
    }
    return true;
  }

  #open(): readonly [number, number] | undefined {
    const n = this.#writes.length;
    for (let i = 1; i < n; i++) {
      for (let j = i + 1; j < n; j++) {
        if (this.#strong[i * n + j] === 1 && !this.#has(i, j) && !this.#has(j, i)) return [i, j];
      }
    }
    return undefined;
  }

  /** Draws conclusions until there are no more. Returns false if they contradict each other. */
  #saturate(): boolean {
    for (;;) {
      const decided = this.#decided;
      if (!this.#readsHold() || !this.#locationHolds()) return false;
      if (this.#decided === decided) return true;
    }
  }

  /**
   * True if no read misses a write that causality orders before it, and no write comes between the
   * halves of a read-modify-write.
   */
  #readsHold(): boolean {
    const n = this.#writes.length;
    for (const { read, from, own, rivals } of this.#bonds) {
      for (const { number: k, isEarlier, write } of rivals) {
        if (k === own) continue;
        if (isEarlier) {
          if (this.#has(from, k)) return false;
          if (this.#strong[from * n + k] === 1 && !this.#put(k, from)) return false;
        }
        if (own < 0 || this.#strong[k * n + own] !== 1 || !morallyStrong(read, write)) continue;
        if (this.#has(from, k) && !this.#put(own, k)) return false;
        if (this.#has(k, own)) {
          if (this.#has(from, k)) return false;
          if (this.#strong[from * n + k] === 1 && !this.#put(k, from)) return false;
        }
      }
    }
    return true;
  }

  #programOrder(): ProgramOrder {
    const events = [...this.#writes.slice(1), ...this.#reads];
    const numbers = new Map(events.map((event, number) => [event, number]));
    const ofAgents = new Map<number, (readonly [number, GraphEvent])[]>();
    for (const [j, y] of events.entries()) {
      const own = ofAgents.get(y.agent);
      if (own === undefined) ofAgents.set(y.agent, [[j, y]]);
      else own.push([j, y]);
    }
    const next = events.map((x) => {
      let later: number[] = [];
      let first: GraphEvent | undefined;
      for (const [j, y] of ofAgents.get(x.agent) ?? []) {
        if (y.position <= x.position || !overlap(x, y)) continue;
        // An access that overlaps x also overlaps the next access of the same bytes, which comes
        // before it.
        if (y.at === x.at && y.bytes === x.bytes && (first === undefined || y.position < first.position)) first = y;
        later.push(j);
      }
      const until = first;
      if (until !== undefined) later = later.filter((j) => at(events, j).position <= until.position);
      return later;
    });
    return { next, numbers };
  }

  /**
   * True if program order and morally strong edges form no cycle. An undecided edge that would
   * close a cycle is decided the other way.
   */
  #locationHolds(): boolean {
    const n = this.#writes.length;
    const { next: inOrder, numbers } = (this.#program ??= this.#programOrder());
    const next = inOrder.map((targets) => [...targets]);
    for (let i = 1; i < n; i++) {
      for (let j = 1; j < n; j++) {
        if (this.#strong[i * n + j] === 1 && this.#has(i, j)) next[i - 1]?.push(j - 1);
      }
    }
    for (const { read, source, from, rivals } of this.#bonds) {
      const r = numberOf(numbers, read);
      if (from > 0 && morallyStrong(source.write, read)) next[from - 1]?.push(r);
      for (const { number: k, write } of rivals) {
        if (this.#has(from, k) && morallyStrong(read, write)) next[r]?.push(k - 1);
      }
    }
    const reach = Reachability.of(next);
    if (reach === undefined) return false;
    for (let i = 1; i < n; i++) {
      for (let j = 1; j < n; j++) {
        if (this.#strong[i * n + j] === 1 && reach.has(i - 1, j - 1) && !this.#put(i, j)) return false;
      }
    }
    for (const { read, from, rivals } of this.#bonds) {
      const r = numberOf(numbers, read);
      for (const { number: k, write } of rivals) {
        if (k === 0 || !reach.has(k - 1, r) || !morallyStrong(read, write)) continue;
        if (this.#has(from, k)) return false;
        if (this.#strong[from * n + k] === 1 && !this.#put(k, from)) return false;
      }
    }
    return true;
  }
}

interface CoherenceInit {
  readonly causality: Causality;
  readonly writes: readonly GraphEvent[];
  readonly reads: readonly GraphEvent[];
  readonly bonds: readonly Bond[];
  readonly order: Uint8Array;
  readonly strong: Uint8Array;
  readonly program?: ProgramOrder | undefined;
}

/** The program order of all events except the initial write. */
interface ProgramOrder {
  /**
   * For each event, the overlapping events after it in program order, without those that follow
   * from the others.
   */
  readonly next: readonly (readonly number[])[];
  readonly numbers: ReadonlyMap<GraphEvent, number>;
}

function rivalsOf(
  read: GraphEvent,
  source: ReadSource,
  from: number,
  writes: readonly GraphEvent[],
  causality: Causality,
): readonly Rival[] {
  const rivals: Rival[] = [];
  let k = -1;
  for (const write of writes) {
    k++;
    if (k === from || !(k === 0 || covers(write, read, source))) continue;
    const isEarlier = before(write, read) || causality.precedes(write, read);
    rivals.push({ number: k, write, isEarlier });
  }
  return rivals;
}

/** @throws RangeError for an event without a number, whose read is in another cluster. */
function numberOf(numbers: ReadonlyMap<GraphEvent, number>, event: GraphEvent): number {
  const number = numbers.get(event);
  if (number === undefined) throw new RangeError(`Event ${event.id} is not among those whose coherence is decided.`);
  return number;
}
