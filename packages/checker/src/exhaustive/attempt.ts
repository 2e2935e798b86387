import type { Body, LoopStatement } from '@nccl-ts/ir';
import type { Access, AttemptRead, UpdateFunction, Later } from '@nccl-ts/memory-model';
import { force } from './element.ts';
import type { ArrayStore } from './left-behind.ts';
import { LocalMemory } from './local-memory.ts';
import type { AccessLocation } from './access-location.ts';
import { AS_WRITTEN, StatementWalk, type EffectStatement, type Jump, type WalkInit } from './statement-walk.ts';
import type { Steps } from './steps.ts';
import type { ThreadContext } from './surroundings.ts';
import { Unsupported } from './thread-fault.ts';

/** The largest number of rounds of a loop inside a wait, such as a pause. */
const MOST_ROUNDS = 1 << 16;

/** Thrown if a round of a loop would change memory. */
export class Modifies extends Error {}

/** The thread that attempts. The attempt changes its locals, and the caller restores them. */
export interface AttemptInit extends Pick<WalkInit, 'module' | 'scope' | 'locals' | 'site'> {
  readonly own: LocalMemory;
  /** Called for something that is not modelled exactly. */
  readonly approximates: ThreadContext['approximates'];
  /** Returns the next value of the clock. */
  readonly cycles: bigint;
  readonly read: AttemptRead;
}

/**
 * One evaluation of a wait: the values that it would read, and the contents of the thread's own
 * arrays. It does not change memory, and makes no requests.
 */
export class WaitEvaluation {
  /** The stores to the thread's own arrays. */
  readonly stores: ArrayStore[] = [];
  readonly #read: AttemptRead;
  readonly #own: LocalMemory;
  readonly #walk: StatementWalk;

  constructor(init: AttemptInit) {
    this.#read = init.read;
    this.#own = new LocalMemory(init.own);
    const known: WalkInit['known'] = (compute) => done(compute());
    this.#walk = new StatementWalk(
      { ...init, memory: this, known, loop: countedLoop, effect: (s) => effect(s, init.approximates) },
      init.cycles,
    );
  }

  /**
   * Runs the body of a wait. The body may only load, assign, branch, and store to the thread's own
   * arrays. `stores` collects those stores.
   */
  look(body: Body): Jump {
    return atOnce(this.#walk.body(body));
  }

  /** Runs a round of a loop, under the same conditions. */
  round(s: LoopStatement): Jump {
    return atOnce(this.#walk.round(s));
  }

  load(spot: AccessLocation, access: Access | undefined, site: number): Steps<bigint> {
    return done(spot.isLocal ? force(this.#own.load(spot.at, spot.bytes)) : this.#read(spot, access, site));
  }

  store(spot: AccessLocation, _access: Access | undefined, _site: number, bits: Later<bigint>): Steps<void> {
    if (!spot.isLocal) throw new Unsupported('a store in a wait');
    const store: ArrayStore = [spot.at, spot.bytes, force(bits)];
    this.#own.store(...store);
    this.stores.push(store);
    return done(undefined);
  }

  /** Throws if it would change the word. */
  modify(spot: AccessLocation, access: Access, site: number, change: Later<UpdateFunction>): Steps<bigint> {
    const bits = this.#read(spot, { ...access, order: 'relaxed' }, site);
    const changed = force(change)(bits);
    if (changed !== undefined && BigInt.asUintN(8 * spot.bytes, changed) !== bits) throw new Modifies();
    return done(bits);
  }
}

function countedLoop(): () => Steps<typeof AS_WRITTEN> {
  let rounds = 0;
  return () => {
    if (++rounds > MOST_ROUNDS) throw new Unsupported(`a wait of more than ${MOST_ROUNDS} rounds`);
    return done(AS_WRITTEN);
  };
}

/** A round with fences runs as written once it is known to have an effect. */
function effect(s: EffectStatement, approximates: AttemptInit['approximates']): Steps<void> {
  if (s.kind === 'fence' || s.kind === 'fenceProxy') return done(undefined);
  if (s.kind === 'approximate') {
    approximates(s.span, s.how);
    return done(undefined);
  }
  throw new Unsupported(`${s.kind === 'call' ? s.name : `a ${s.kind}`} in a wait`);
}

/** Steps without a request. */
// oxlint-disable-next-line require-yield -- it only ends
export function* done<T>(value: T): Steps<T> {
  return value;
}

function atOnce<T>(steps: Steps<T>): T {
  const next = steps.next();
  if (next.done !== true) throw new RangeError(`A look at memory makes a request of kind ${next.value.kind}.`);
  return next.value;
}
