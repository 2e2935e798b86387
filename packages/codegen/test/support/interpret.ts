import { valueBytes, type Coop, type Module, type Statement } from '@nccl-ts/ir';

import { InterpretedFault, Thread, type Part, type Request, type Value } from './interpret-thread.ts';
import type { Dim, TestLaunch } from './machine.ts';

/**
 * An independent implementation of the IR's meaning: a tree walker with one JavaScript generator
 * for each thread, which shares no code with the emitter. It is slow and simple on purpose. All
 * threads of all ranks take turns. Each runs until it cannot continue.
 */
export function interpret(module: Module, launch: TestLaunch): void {
  const ctas: InterpretedCta[] = [];
  for (let b = 0; b < launch.grid; b++) {
    for (let rank = 0; rank < launch.ranks; rank++) {
      ctas.push(new InterpretedCta(module, launch, rank, { x: b, y: 0, z: 0 }));
    }
  }
  for (let quiet = 0; quiet < 3 && ctas.some((cta) => !cta.isDone);) {
    const moved = ctas.map((cta) => cta.turn()).includes(true);
    quiet = moved ? 0 : quiet + 1;
  }
  if (ctas.some((cta) => !cta.isDone)) throw new InterpretedFault('deadlock');
}

class InterpretedCta {
  readonly threads: Thread[];

  constructor(module: Module, launch: TestLaunch, rank: number, blockIdx: Dim) {
    const arrays = (): DataView[] =>
      module.arrays.map(({ length, element }) => new DataView(new ArrayBuffer(length * valueBytes(element))));
    const memory = new DataView(launch.heap);
    const shared = arrays();
    const { x, y, z } = launch.block;
    this.threads = Array.from({ length: x * y * z }, (_, t) => {
      return new Thread({ module, launch, memory, shared, own: arrays(), rank, blockIdx }, t);
    });
  }

  get isDone(): boolean {
    return this.threads.every((thread) => thread.isDone);
  }

  turn(): boolean {
    let moved = false;
    for (const thread of this.threads) moved = thread.turn() || moved;
    return this.#meet() || moved;
  }

  /** Releases groups whose members are all at one meeting. */
  #meet(): boolean {
    for (const thread of this.threads) {
      const { request } = thread;
      if (request?.kind !== 'meet') continue;
      const members = this.#members(thread, request);
      const requests = members.map((m) =>
        m.request?.kind === 'meet' && m.request.at === request.at ? m.request : undefined,
      );
      if (requests.includes(undefined)) continue;
      const parts = requests.flatMap((r) => (r === undefined ? [] : [r.part]));
      if (!latched(thread, parts)) continue;
      members.forEach((m) => m.release(resultOf(request.at, m, members, parts, this.threads, request.coop)));
      return true;
    }
    return false;
  }

  #members(thread: Thread, request: Extract<Request, { kind: 'meet' }>): Thread[] {
    const { coop } = request;
    return this.threads.filter((other) => {
      switch (coop.kind) {
        case 'cta':
          return !other.isDone;
        case 'tile':
          return Math.floor(other.linear / coop.size) === Math.floor(thread.linear / coop.size);
        case 'lanes':
          return other.linear >> 5 === thread.linear >> 5 && ((request.mask >>> (other.linear & 31)) & 1) === 1;
        case 'warpSpan': {
          const [first = 0, count = 0] = request.span;
          return other.linear >= first * 32 && other.linear < (first + count) * 32;
        }
      }
    });
  }
}

function latched(thread: Thread, parts: readonly Part[]): boolean {
  const [first] = parts;
  if (first?.test === undefined) return true;
  thread.latch ??= new Set();
  for (let i = 0; i < first.count; i++) {
    if (parts[i % parts.length]?.test?.(i) === true) thread.latch.add(i);
  }
  if (thread.latch.size < first.count) return false;
  thread.latch = undefined;
  return true;
}

function resultOf(
  s: Statement,
  thread: Thread,
  members: readonly Thread[],
  parts: readonly Part[],
  all: readonly Thread[],
  coop: Coop,
): Value | undefined {
  if (s.kind !== 'collective') return undefined;
  const own = parts[members.indexOf(thread)];
  const votes = parts.map((part) => isTrue(part.value));
  const size = coop.kind === 'tile' ? coop.size : 32;
  const base = Math.floor(thread.linear / size) * size;
  const at = (linear: number): Value | undefined => {
    const index = linear >= all.length ? -1 : members.findIndex((m) => m.linear === linear);
    return index === -1 ? own?.value : parts[index]?.value;
  };
  const lane = thread.linear - base;
  const distance = own?.lane ?? 0;
  switch (s.op) {
    case 'bcast': {
      if (distance >= members.length) throw new InterpretedFault('lane');
      return parts[distance]?.value;
    }
    case 'any':
      return [votes.includes(true)];
    case 'all':
      return [!votes.includes(false)];
    case 'ballot': {
      const start = coop.kind === 'lanes' || coop.kind === 'tile' ? base : (members[0]?.linear ?? 0);
      let mask = 0;
      members.forEach((m, i) => {
        if (votes[i] === true) mask |= 1 << (m.linear - start);
      });
      return [mask >>> 0];
    }
    case 'shfl':
      return at(base + (distance % size));
    case 'shflUp':
      return distance > lane ? own?.value : at(thread.linear - distance);
    case 'shflDown':
      return lane + distance >= size ? own?.value : at(thread.linear + distance);
    case 'shflXor':
      return distance >= size ? own?.value : at(base + (lane ^ distance));
    case 'activeMask':
      return undefined;
  }
}

function isTrue(value: Value | undefined): boolean {
  return Array.isArray(value) && value[0] === true;
}
