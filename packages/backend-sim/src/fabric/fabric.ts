import { at } from '@nccl-ts/core';
import type { Heap } from '../memory/heap.ts';
import type { DeliveryTiming, Network } from '../network/network.ts';
import {
  partOf,
  type FabricOperation,
  type Phase,
  type OperationPiece,
  type PutTarget,
  type Tracked,
} from './operation.ts';
import { piecesOf, rangesOf } from './pieces.ts';
import { combineInto } from './reduction.ts';

/** Checks memory order. It is called for everything that operations do, before it happens. */
export interface FabricWatch {
  posted(operation: FabricOperation): void;
  /** `session` is the same for all operations and phases of a session. */
  submitted(operation: FabricOperation, session: object): void;
  /** The first thread of a flush ends a phase. */
  arrives(phase: Phase, session: object): void;
  /** `low` and `high` bound a range of the heap, or of the CTA's shared memory. */
  reads(operation: FabricOperation, low: number, high: number): void;
  writes(operation: FabricOperation, part: number, low: number, high: number): void;
  /** The counter at a heap address grows by one part of the operation's writes. */
  counts(operation: FabricOperation, part: number, counter: number): void;
  /** The phase is complete, and the word at the state's address counts it. */
  completes(phase: Phase, word: number): void;
  /** Changes the number of unread sources on behalf of an operation. That word follows `word`. */
  marks(operation: FabricOperation, word: number): void;
}

export interface FabricOptions {
  readonly heap: Heap;
  readonly network: Network;
  readonly delivery: DeliveryTiming;
  readonly watch: FabricWatch | undefined;
}

/**
 * The operations of logical endpoints. Each is divided into steps, among which the scheduler
 * chooses together with those of the network. A piece is read, then written to each copy, and then
 * counted there. Nothing else is ordered.
 */
export class Fabric {
  readonly #options: FabricOptions;
  #count = 0;

  constructor(options: FabricOptions) {
    this.#options = options;
  }

  /** Initiates an operation, which starts when its thread submits it. */
  post(tracked: Tracked, init: Omit<FabricOperation, 'number' | 'data' | 'pieces' | 'unread' | 'unwritten'>): void {
    const pieces = piecesOf(init.bytes, this.#options.delivery !== 'prompt');
    const operation: FabricOperation = {
      ...init,
      number: this.#count++,
      data: new Uint8Array(init.bytes),
      pieces,
      unread: pieces.length,
      unwritten: pieces.length * (init.kind === 'put' ? init.far.length : 1),
    };
    this.#options.watch?.posted(operation);
    const held = tracked.held.get(init.by.thread) ?? [];
    held.push(operation);
    tracked.held.set(init.by.thread, held);
  }

  submit(tracked: Tracked, thread: number): void {
    const { watch, network } = this.#options;
    const held = tracked.held.get(thread) ?? [];
    tracked.held.delete(thread);
    for (const operation of held) {
      watch?.submitted(operation, tracked);
      tracked.present.push(operation);
      const { pieces } = operation;
      if (operation.kind === 'put' && pieces.length > 0) {
        this.#mark(tracked, operation, 1n);
        const submitted = tracked.submitted.get(thread) ?? [];
        submitted.push(operation);
        tracked.submitted.set(thread, submitted);
      }
      for (const piece of pieces) this.#reads(tracked, operation, piece);
    }
    const rank = held[0]?.rank;
    if (rank !== undefined) network.advance({ during: rank });
  }

  /** The u32 at a heap address grows by 1. */
  add(address: number): void {
    const { u32 } = this.#options.heap.views;
    u32[address / 4] = at(u32, address / 4) + 1;
  }

  /** A phase ends: it is complete once all its operations are. */
  arrive(tracked: Tracked, by: Phase['by']): void {
    const phase = { operations: tracked.present.splice(0), by };
    this.#options.watch?.arrives(phase, tracked);
    tracked.phases.push(phase);
    this.#complete(tracked);
  }

  #reads(tracked: Tracked, operation: FabricOperation, piece: OperationPiece): void {
    const { kind, near, far } = operation;
    const isPut = kind === 'put';
    const targets = isPut ? [undefined] : far;
    let left = targets.length;
    for (const target of targets) {
      const from = (target?.address ?? near) + piece.offset;
      this.#step(operation, 'read', target, piece, () => {
        this.#options.watch?.reads(operation, from, from + piece.bytes);
        const source = isPut ? tracked.shared.u8 : this.#options.heap.views.u8;
        this.#take(operation, piece, source, from, left === targets.length);
        if (--left > 0) return;
        if (--operation.unread === 0 && isPut) this.#mark(tracked, operation, -1n);
        if (isPut) far.forEach((destination, copy) => this.#writes(tracked, operation, destination, copy, piece));
        else this.#writes(tracked, operation, undefined, 0, piece);
      });
    }
  }

  /** Keeps a piece that was read; of several copies, combined with those before. */
  #take(
    { data, reduction, kind }: FabricOperation,
    piece: OperationPiece,
    source: Uint8Array,
    from: number,
    isFirst: boolean,
  ): void {
    const { offset, bytes } = piece;
    if (isFirst || reduction === undefined || kind === 'put') data.set(source.subarray(from, from + bytes), offset);
    else combineInto(reduction, piece, { bytes: data, at: 0 }, { bytes: source, at: from - offset });
  }

  /** Writes a piece to a copy, or to shared memory. */
  #writes(
    tracked: Tracked,
    operation: FabricOperation,
    target: PutTarget | undefined,
    copy: number,
    piece: OperationPiece,
  ): void {
    const { data, reduction } = operation;
    const to = target?.address ?? operation.near;
    const part = partOf(operation, piece, copy);
    this.#step(operation, 'write', target, piece, () => {
      const into = target === undefined ? tracked.shared.u8 : this.#options.heap.views.u8;
      for (const { low, high } of rangesOf(operation.mask, piece)) {
        this.#options.watch?.writes(operation, part, to + low, to + high);
        if (target === undefined || reduction === undefined) into.set(data.subarray(low, high), to + low);
        else combineInto(reduction, piece, { bytes: into, at: to }, { bytes: data, at: 0 });
      }
      operation.unwritten--;
      if (target?.counter !== undefined) this.#counts(operation, part, target, target.counter, piece);
      if (operation.unwritten === 0) this.#complete(tracked);
    });
  }

  #counts(operation: FabricOperation, part: number, target: PutTarget, counter: number, piece: OperationPiece): void {
    const place = { ...target, address: counter - piece.offset };
    this.#step(operation, 'signal', place, piece, () => {
      this.#options.watch?.counts(operation, part, counter);
      const { u64 } = this.#options.heap.views;
      u64[counter / 8] = BigInt.asUintN(64, at(u64, counter / 8) + BigInt(piece.bytes));
    });
  }

  /** A step that accesses the heap, or the CTA's own memory. */
  #step(
    operation: FabricOperation,
    kind: 'read' | 'write' | 'signal',
    target: PutTarget | undefined,
    { offset, bytes }: OperationPiece,
    take: () => void,
  ): void {
    const { number, rank } = operation;
    const low = target === undefined ? 0 : target.address + offset;
    const size = target === undefined ? 0 : kind === 'signal' ? 8 : bytes;
    this.#options.network.enable({
      kind,
      operation: number,
      writes: kind !== 'read',
      ranks: target === undefined || target.rank === rank ? [rank] : [rank, target.rank],
      low,
      high: low + size,
      name: () => `fabric${number}.${kind}${offset}@${low}=${operation.data.join('.')}`,
      take,
    });
  }

  /** Counts the complete phases, in order. */
  #complete(tracked: Tracked): void {
    const { phases, shared, address } = tracked;
    for (let first = phases[0]; first !== undefined; first = phases[0]) {
      if (first.operations.some(({ unwritten }) => unwritten > 0)) return;
      phases.shift();
      this.#options.watch?.completes(first, address);
      shared.u64[address / 8] = at(shared.u64, address / 8) + 1n;
    }
  }

  #mark({ shared, address }: Tracked, operation: FabricOperation, by: bigint): void {
    this.#options.watch?.marks(operation, address + 8);
    shared.u64[address / 8 + 1] = at(shared.u64, address / 8 + 1) + by;
  }
}
