import { at } from '@nccl-ts/core';
import type { Site } from '@nccl-ts/findings';
import {
  readLocals,
  type AtomicStatement,
  type Body,
  type ControlStatement,
  type Expression,
  type LoopStatement,
  type Module,
  type Span,
  type Statement,
} from '@nccl-ts/ir';
import { after, known, type Access, type UpdateFunction, type Later } from '@nccl-ts/memory-model';
import { bitsOf, elementsOf, force, isElements, type LaterScalar, type LaterValue } from './element.ts';
import { elements, evaluate, number, type EvaluationScope } from './evaluate.ts';
import { locationOf, type AccessLocation } from './access-location.ts';
import type { Steps } from './steps.ts';
import { changeOf } from './thread-values.ts';
import { isFirstGuess, updateLoopOf, type UpdateLoop } from './update-loop.ts';

/** How a body ends. A number means that it leaves the block with that label. */
export type Jump = undefined | 'break' | 'continue' | 'return' | number;

/** The result that a round of a loop must run as it is written. */
export const AS_WRITTEN = 'as written';

/** The statements that do not only set locals, access words, and direct control flow. */
export type EffectStatement = Exclude<
  Statement,
  { readonly kind: 'assign' | 'load' | 'store' | 'atomic' | 'clock' | Exclude<ControlStatement['kind'], 'call'> }
>;

/**
 * The memory that a walk accesses: by requests of its thread, or in one look that changes nothing.
 */
export interface MemoryPort {
  load(spot: AccessLocation, access: Access | undefined, site: number): Steps<Later<bigint>>;
  store(spot: AccessLocation, access: Access | undefined, site: number, bits: Later<bigint>): Steps<void>;
  /** Returns the old value. `always`: the change writes for every value. @see modify */
  modify(
    spot: AccessLocation,
    access: Access,
    site: number,
    change: Later<UpdateFunction>,
    always: boolean,
  ): Steps<Later<bigint>>;
}

/** The calls with bodies that are primitives here. */
const native: ReadonlySet<string> = new Set(['gridDependencySync', 'cluster.wait']);

/** The surroundings of a walk. */
export interface WalkInit {
  readonly module: Module;
  readonly scope: EvaluationScope;
  /** The locals of `scope`, which the walk changes. */
  readonly locals: LaterValue[];
  readonly memory: MemoryPort;
  readonly site: (span: Span, what: Site['what'], broadcast?: true) => number;
  /** Computes a result that may need values which are not known yet. */
  known<T>(compute: () => T): Steps<T>;
  /**
   * Begins a loop. The result is called at the start of each round. It may run the round; then it
   * returns how the round ended.
   */
  loop(s: LoopStatement): () => Steps<Jump | typeof AS_WRITTEN>;
  effect(s: EffectStatement): Steps<void>;
}

/** Runs statements of one thread in order. */
export class StatementWalk {
  /** The next value of the clock. */
  cycles: bigint;
  /** The current or last statement. */
  at: Span | undefined;
  readonly #init: WalkInit;
  readonly #scope: EvaluationScope;
  readonly #locals: LaterValue[];

  constructor(init: WalkInit, cycles = 0n) {
    this.#init = init;
    this.#scope = init.scope;
    this.#locals = init.locals;
    this.cycles = cycles;
  }

  *body(body: Body): Steps<Jump> {
    for (const [index, statement] of body.entries()) {
      if (isFirstGuess(statement, body[index + 1])) continue;
      const jump = yield* this.#statement(statement);
      if (jump !== undefined) return jump;
    }
    return undefined;
  }

  /** Runs one round of a loop, whose condition holds. */
  *round(s: LoopStatement): Steps<Jump> {
    const jump = yield* this.body(s.body);
    return jump === undefined || jump === 'continue' ? yield* this.body(s.update) : jump;
  }

  value(e: Expression): Steps<LaterValue> {
    return this.#init.known(() => evaluate(e, this.#scope));
  }

  elements(e: Expression): Steps<readonly LaterScalar[]> {
    return this.#init.known(() => elements(e, this.#scope));
  }

  number(e: Expression): Steps<number> {
    return this.#init.known(() => number(e, this.#scope));
  }

  truth(e: Expression): Steps<boolean> {
    return this.#init.known(() => force(at(elements(e, this.#scope), 0)) === true);
  }

  #spot(e: Expression): Steps<AccessLocation> {
    return this.#init.known(() => locationOf(e, this.#init.module, this.#scope));
  }

  *#statement(s: Statement): Steps<Jump> {
    const { memory, site } = this.#init;
    this.at = s.span;
    switch (s.kind) {
      case 'assign':
        this.#locals[s.local] = yield* this.value(s.value);
        return undefined;
      case 'load': {
        const spot = yield* this.#spot(s.pointer);
        this.#locals[s.local] = elementsOf(spot.type, yield* memory.load(spot, s.access, site(s.span, 'load')));
        return undefined;
      }
      case 'store': {
        const values = yield* this.elements(s.value);
        const spot = yield* this.#spot(s.pointer);
        const bits = after(values, () => bitsOf(spot.type, values.map(known)));
        yield* memory.store(spot, s.access, site(s.span, 'store', s.broadcast), bits);
        return undefined;
      }
      case 'atomic':
        yield* this.#atomic(s);
        return undefined;
      case 'clock':
        this.#locals[s.local] = [this.cycles++];
        return undefined;
      case 'if':
        return yield* this.body((yield* this.truth(s.condition)) ? s.then : s.else);
      case 'loop':
        return yield* this.#loop(s);
      case 'break':
      case 'continue':
      case 'return':
        return s.kind;
      case 'block': {
        const jump = yield* this.body(s.body);
        return jump === s.label ? undefined : jump;
      }
      case 'leave':
        return s.label;
      case 'call':
        // Its body is for backends without the instruction.
        if (s.body !== undefined && !native.has(s.name)) return yield* this.body(s.body);
        yield* this.#init.effect(s);
        return undefined;
      case 'fence':
      case 'fenceProxy':
      case 'sync':
      case 'wait':
      case 'waitAll':
      case 'collective':
      case 'assert':
      case 'print':
      case 'approximate':
        yield* this.#init.effect(s);
        return undefined;
    }
  }

  *#loop(s: LoopStatement): Steps<Jump> {
    const update = updateLoopOf(s);
    if (update !== undefined) {
      yield* this.#update(update);
      return undefined;
    }
    const round = this.#init.loop(s);
    while (s.condition === undefined || (yield* this.truth(s.condition))) {
      const ran = yield* round();
      const jump = ran === AS_WRITTEN ? yield* this.round(s) : ran;
      if (jump === 'break') return undefined;
      if (jump !== undefined && jump !== 'continue') return jump;
    }
    return undefined;
  }

  *#atomic(s: AtomicStatement): Steps<void> {
    const operand = yield* this.elements(s.value);
    const expected = s.expected === undefined ? [] : yield* this.elements(s.expected);
    const spot = yield* this.#spot(s.pointer);
    const change = after([...operand, ...expected], (): UpdateFunction =>
      changeOf(s, spot.type, operand.map(known), expected.map(known)),
    );
    const old = yield* this.#modify(s, spot, change, s.op !== 'cas');
    if (s.local !== undefined) this.#locals[s.local] = elementsOf(spot.type, old);
  }

  /** Runs a loop around a compare-and-swap as a single read-modify-write. */
  *#update({ swap, seen, found }: UpdateLoop): Steps<void> {
    const spot = yield* this.#spot(swap.pointer);
    const scope = { ...this.#scope, locals: [...this.#locals] };
    const given = [...readLocals(swap.value)].flatMap((local) => {
      const value = local === seen ? undefined : this.#locals[local];
      return value !== undefined && isElements(value) ? value : [];
    });
    const change = after(given, (): UpdateFunction => (old) => {
      scope.locals[seen] = elementsOf(spot.type, old);
      return bitsOf(spot.type, elements(swap.value, scope).map(force));
    });
    const old = yield* this.#modify(swap, spot, change, true);
    for (const local of [seen, found]) this.#locals[local] = elementsOf(spot.type, old);
  }

  #modify(
    s: AtomicStatement,
    spot: AccessLocation,
    change: Later<UpdateFunction>,
    always: boolean,
  ): Steps<Later<bigint>> {
    const { memory, site } = this.#init;
    return memory.modify(spot, s.access, site(s.span, `atomic ${s.op}`), change, always);
  }
}
