import type { Site } from '@nccl-ts/findings';
import type { AtomicStatement, Body, Expression, Module, Span } from '@nccl-ts/ir';
import type { AttemptRead } from '@nccl-ts/memory-model';
import { bitsOf, elementsOf, force, type Value } from './element.ts';
import { elements, evaluate, type Scope } from './evaluate.ts';
import type { OwnStore } from './left-behind.ts';
import { LocalMemory } from './local-memory.ts';
import { spotOf, type Spot } from './spot.ts';
import { Unsupported } from './thread-fault.ts';
import { changeOf } from './thread-values.ts';

/** How a body ends. A number means that it leaves the block with that label. */
export type Jump = undefined | 'break' | 'continue' | 'return' | number;

/** The result that a round of a loop must run again, unchanged. */
export const REPEAT = 'repeat';

/** The largest number of rounds of a loop inside a wait, such as a pause. */
const MOST_ROUNDS = 1 << 16;

/** Thrown if a round of a loop would change memory. */
export class Modifies extends Error {}

export interface AttemptInit {
  readonly module: Module;
  readonly scope: Scope;
  /** The thread's locals. The attempt changes them, and its caller restores them. */
  readonly locals: Value[];
  readonly own: LocalMemory;
  /** Returns the next value of the clock. */
  readonly cycles: bigint;
  readonly read: AttemptRead;
  readonly site: (span: Span, what: Site['what']) => number;
}

/**
 * One evaluation of a wait: the values that it would read, and the contents of the thread's own
 * arrays. It does not change memory.
 */
export class Attempt {
  /** The stores to the thread's own arrays. */
  readonly stores: OwnStore[] = [];
  readonly #init: AttemptInit;
  readonly #own: LocalMemory;
  #cycles: bigint;

  constructor(init: AttemptInit) {
    this.#init = init;
    this.#own = new LocalMemory(init.own);
    this.#cycles = init.cycles;
  }

  #spotOf(e: Expression): Spot {
    return spotOf(e, this.#init.module, this.#init.scope);
  }

  /** Evaluates a read-modify-write. Throws if it would change the word. */
  #peek(s: AtomicStatement): void {
    const spot = this.#spotOf(s.pointer);
    const operand = elements(s.value, this.#init.scope).map(force);
    const expected = s.expected === undefined ? [] : elements(s.expected, this.#init.scope).map(force);
    const bits = this.#init.read(spot, { ...s.access, order: 'relaxed' }, this.#init.site(s.span, `atomic ${s.op}`));
    const changed = changeOf(s, spot.type, operand, expected)(bits);
    if (changed !== undefined && BigInt.asUintN(8 * spot.bytes, changed) !== bits) throw new Modifies();
    if (s.local !== undefined) this.#init.locals[s.local] = elementsOf(spot.type, bits);
  }

  /**
   * Runs the body of a wait. The body may only load, assign, branch, and store to the thread's own
   * arrays. `stores` collects those stores.
   */
  look(body: Body): Jump {
    for (const s of body) {
      switch (s.kind) {
        case 'assign':
          this.#init.locals[s.local] = evaluate(s.value, this.#init.scope);
          break;
        case 'load': {
          const spot = this.#spotOf(s.pointer);
          const bits = spot.isLocal
            ? force(this.#own.load(spot.at, spot.bytes))
            : this.#init.read(spot, s.access, this.#init.site(s.span, 'load'));
          this.#init.locals[s.local] = elementsOf(spot.type, bits);
          break;
        }
        case 'if': {
          const jump = this.look(elements(s.condition, this.#init.scope)[0] === true ? s.then : s.else);
          if (jump !== undefined) return jump;
          break;
        }
        case 'block': {
          const jump = this.look(s.body);
          if (jump !== undefined && jump !== s.label) return jump;
          break;
        }
        case 'leave':
          return s.label;
        case 'call': {
          if (s.body === undefined) throw new Unsupported(`${s.name} in a wait`);
          const jump = this.look(s.body);
          if (jump !== undefined) return jump;
          break;
        }
        case 'loop': {
          let jump: Jump;
          let rounds = 0;
          while (
            jump === undefined &&
            (s.condition === undefined || elements(s.condition, this.#init.scope)[0] === true)
          ) {
            if (++rounds > MOST_ROUNDS) throw new Unsupported(`a wait of more than ${MOST_ROUNDS} rounds`);
            jump = this.look(s.body);
            if (jump === undefined || jump === 'continue') jump = this.look(s.update);
          }
          if (jump !== undefined && jump !== 'break') return jump;
          break;
        }
        case 'break':
        case 'continue':
        case 'return':
          return s.kind;
        case 'store': {
          const spot = this.#spotOf(s.pointer);
          if (!spot.isLocal) throw new Unsupported('a store in a wait');
          const store: OwnStore = [
            spot.at,
            spot.bytes,
            bitsOf(spot.type, elements(s.value, this.#init.scope).map(force)),
          ];
          this.#own.store(...store);
          this.stores.push(store);
          break;
        }
        case 'atomic':
          this.#peek(s);
          break;
        case 'clock':
          this.#init.locals[s.local] = [this.#cycles++];
          break;
        // A round with fences runs as written once it is known to have an effect.
        case 'fence':
        case 'fenceProxy':
          break;
        case 'sync':
        case 'wait':
        case 'waitAll':
        case 'collective':
        case 'assert':
        case 'print':
          throw new Unsupported(`a ${s.kind} in a wait`);
      }
    }
    return undefined;
  }
}
