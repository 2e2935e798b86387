import { acquireOrderOf, at, WARP_SIZE } from '@nccl-ts/core';
import {
  assignedLocals,
  bodyReads,
  conditionOf,
  neededOf,
  pollsByAtomics,
  readLocals,
  spinLook,
  type AtomicStatement,
  type Body,
  type CallStatement,
  type CollectiveStatement,
  type Coop,
  type Expression,
  type LoopStatement,
  type ScalarValue,
  type Span,
  type SpinRound,
  type Statement,
  type WaitAllStatement,
  type WaitStatement,
} from '@nccl-ts/ir';
import {
  after,
  Deferred,
  fence,
  known,
  meet,
  use,
  wait,
  type AttemptRead,
  type Change,
  type Later,
} from '@nccl-ts/memory-model';
import { collectiveResult, isBrought, type Brought } from './collective-result.ts';
import { Attempt, Modifies, REPEAT, type Jump } from './attempt.ts';
import { barrierMeeting, countVotes } from './barrier-meeting.ts';
import { bitsOf, elementsOf, force, isElements, NeedsValue, type Element, type Value } from './element.ts';
import { elements, evaluate, number, type Scope } from './evaluate.ts';
import { fabricFence } from './fabric-fence.ts';
import { sameLeft, type Left } from './left-behind.ts';
import { neededText } from './needed-text.ts';
import { spinOf } from './spin-of.ts';
import { readsClock } from './reads-clock.ts';
import { spotOf, type Spot } from './spot.ts';
import { isOfCopies, ThreadCopies } from './thread-copies.ts';
import { ThreadMemory } from './thread-memory.ts';
import { failureOf, ThreadFault, Unsupported } from './thread-fault.ts';
import { builtinsOf, changeOf, zeroOf } from './thread-values.ts';
import { isFirstGuess, updateLoopOf, type UpdateLoop } from './update-loop.ts';
import { waitScratch } from './wait-scratch.ts';
import type { Steps } from './steps.ts';
import type { Surroundings } from './surroundings.ts';

/** The state after a round of a loop, and how the round ends. */
type LeftRound = readonly [left: Left, jump: Jump];
/** The largest number of rounds of a polling loop that does more than read, and may run on. */
const POLLING_ROUNDS = 24;
/** A module as one thread runs it, anew for every execution. Every access is a request. */
export class ThreadSteps {
  readonly #around: Surroundings;
  readonly #thread: number;
  readonly #scope: Scope;
  readonly #zeros: readonly Value[];
  readonly #locals: Value[];
  readonly #copies: ThreadCopies;
  readonly #memory: ThreadMemory;
  /** The current or last wait; `undefined` for a loop. */
  #waiting:
    | { readonly body: Body; readonly condition: Expression; readonly given: Readonly<Record<number, Value>> }
    | undefined;
  #rounds = 0;
  #cycles = 0n;
  #at: Span | undefined;

  constructor(around: Surroundings, thread: number) {
    this.#around = around;
    this.#copies = new ThreadCopies(around.copier, around.copies);
    this.#memory = new ThreadMemory(this.#copies);
    this.#thread = thread;
    const { module, args, cta, regions, pointerAt, addressOf } = around;
    this.#zeros = module.locals.map(({ type }) => zeroOf(type));
    this.#locals = [...this.#zeros];
    this.#scope = {
      locals: this.#locals,
      args,
      builtins: builtinsOf(cta, thread),
      regions,
      pointerAt,
      addressOf,
      arrays: cta.arrays(module),
    };
  }

  /** Returns the current or last statement. */
  get at(): Span | undefined {
    return this.#at;
  }

  /** Describes the values that would satisfy the current wait. `reads` says what memory holds. */
  needed(reads: AttemptRead): string {
    const waiting = this.#waiting;
    if (waiting === undefined) return 'the condition that ends the loop';
    const { condition, body } = waiting;
    const text = this.#attempt(reads, (attempt) => {
      Object.assign(this.#locals, waiting.given);
      attempt.look(body);
      return neededText(neededOf(condition, assignedLocals(body)), this.#scope);
    });
    return typeof text === 'string' ? text : 'unknown';
  }

  /** True if the current wait reads the clock, so that it may end by a time limit. */
  get isTimed(): boolean {
    return readsClock(this.#waiting?.body ?? []);
  }

  *run(): Steps<void> {
    yield* this.#body(this.#around.module.body);
  }

  *#body(body: Body): Steps<Jump> {
    for (const [index, statement] of body.entries()) {
      if (isFirstGuess(statement, body[index + 1])) continue;
      const jump = yield* this.#statement(statement);
      if (jump !== undefined) return jump;
    }
    return undefined;
  }

  *#statement(s: Statement): Steps<Jump> {
    this.#at = s.span;
    switch (s.kind) {
      case 'assign':
        this.#locals[s.local] = yield* this.#value(s.value);
        return undefined;
      case 'load': {
        const spot = yield* this.#spot(s.pointer);
        const bits = yield* this.#memory.load(spot, s.access, this.#around.site(s.span, 'load'));
        this.#locals[s.local] = elementsOf(spot.type, bits);
        return undefined;
      }
      case 'store': {
        const values = yield* this.#elements(s.value);
        const spot = yield* this.#spot(s.pointer);
        const bits = after(values, () => bitsOf(spot.type, values.map(known)));
        yield* this.#memory.store(spot, s.access, this.#around.site(s.span, 'store', s.broadcast), bits);
        return undefined;
      }
      case 'atomic':
        yield* this.#atomic(s);
        return undefined;
      case 'fence':
        if (acquireOrderOf(s.access.order) !== 'relaxed') yield* this.#around.acquired();
        yield* fence(s.access, this.#around.site(s.span, 'fence'));
        return undefined;
      case 'fenceProxy':
        // Executions do not model multicast addresses.
        if (s.proxy === 'alias') return undefined;
        if (s.access.scope === 'system' && acquireOrderOf(s.access.order) !== 'relaxed') yield* this.#around.acquired();
        yield* fabricFence(s, this.#around.site(s.span, 'fence'));
        return undefined;
      case 'sync':
        yield* this.#meet(s, s.coop, undefined, true);
        return undefined;
      case 'collective':
        yield* this.#collective(s);
        return undefined;
      case 'wait':
        yield* this.#wait(s);
        return undefined;
      case 'waitAll':
        yield* this.#waitAll(s);
        return undefined;
      case 'if':
        return yield* this.#body((yield* this.#truth(s.condition)) ? s.then : s.else);
      case 'loop':
        return yield* this.#loop(s);
      case 'break':
      case 'continue':
      case 'return':
        return s.kind;
      case 'block': {
        const jump = yield* this.#body(s.body);
        return jump === s.label ? undefined : jump;
      }
      case 'leave':
        return s.label;
      case 'assert':
        if (!(yield* this.#truth(s.condition))) throw yield* failureOf(s, (e) => this.#elements(e));
        return undefined;
      case 'print':
        yield* this.#print(s.args);
        return undefined;
      case 'clock':
        this.#locals[s.local] = [this.#cycles++];
        return undefined;
      case 'call':
        return yield* this.#call(s);
    }
  }

  *#loop(s: LoopStatement): Steps<Jump> {
    const update = updateLoopOf(s);
    if (update !== undefined) {
      yield* this.#update(update);
      return undefined;
    }
    const spin = spinOf(s);
    // A polling loop has executions with any number of rounds.
    const most = pollsByAtomics(s) ? this.#rounds + POLLING_ROUNDS : this.#around.fuel;
    while (s.condition === undefined || (yield* this.#truth(s.condition))) {
      if (++this.#rounds > Math.min(most, this.#around.fuel)) {
        throw new ThreadFault('fuel', `the loop does not end, even after ${POLLING_ROUNDS} rounds`, undefined, s.span);
      }
      const round = spin === undefined ? REPEAT : yield* this.#spin(s, spin);
      if (round !== REPEAT) {
        const jump = this.#leave(round);
        if (jump === 'break') return undefined;
        if (jump !== undefined && jump !== 'continue') return jump;
        continue;
      }
      for (const part of [s.body, s.update]) {
        const jump = yield* this.#body(part);
        if (jump === 'break') return undefined;
        if (jump !== undefined && jump !== 'continue') return jump;
      }
    }
    return undefined;
  }

  /** Takes over the state after an attempted round, and returns how the round ended. */
  #leave([[locals, stores], jump]: LeftRound): Jump {
    this.#locals.splice(0, this.#locals.length, ...locals);
    for (const [to, bytes, bits] of stores) this.#memory.own.store(to, bytes, bits);
    return jump;
  }

  /** Waits until a round of a spinning loop has an effect. Returns its state, or `REPEAT`. */
  *#spin(s: LoopStatement, spin: SpinRound): Steps<LeftRound | typeof REPEAT> {
    for (const body of [s.body, s.update]) yield* this.#know(body, s.condition);
    const { body: looks, ends } = spinLook(s);
    this.#waiting = ends === undefined ? undefined : { body: looks, condition: ends, given: {} };
    for (;;) {
      const passed = yield* wait(
        (look) => {
          const found = this.#triedRound(s, spin, look);
          return found === undefined ? undefined : { value: found };
        },
        this.#around.site(s.span, 'wait'),
        sameLeft,
      );
      if (!(passed instanceof Error)) return passed;
      if (!(passed instanceof NeedsValue)) throw passed;
      yield* use(passed.needed);
    }
  }

  #triedRound(s: LoopStatement, spin: SpinRound, look: AttemptRead): LeftRound | typeof REPEAT | Error | undefined {
    const before = [...this.#locals];
    return this.#attempt(look, (attempt) => {
      let jump = attempt.look(s.body);
      if (jump === undefined || jump === 'continue') jump = attempt.look(s.update);
      const isOver = s.condition !== undefined && elements(s.condition, this.#scope)[0] !== true;
      const goesOn = (jump === undefined || jump === 'continue') && !isOver;
      if (goesOn && [...spin.carried].every((local) => sameLeft(this.#locals[local], before[local]))) return undefined;
      if (!spin.onlyLooks) return REPEAT;
      return [[[...this.#locals], attempt.stores], goesOn || jump !== undefined ? jump : 'break'];
    });
  }

  *#call(s: CallStatement): Steps<Jump> {
    if (s.body !== undefined && s.name !== 'gridDependencySync') return yield* this.#body(s.body);
    const values: Value[] = [];
    for (const arg of s.args) {
      const value = yield* this.#value(arg);
      if (isElements(value)) for (const element of value) yield* use(element);
      values.push(isElements(value) ? value.map(known) : value);
    }
    if (isOfCopies(s)) {
      yield* this.#copies.call(
        s,
        values.filter(isElements).map((value) => Number(known(at(value, 0)))),
      );
      return undefined;
    }
    const result = yield* this.#around.primitive(s, this.#thread, values);
    if (s.local !== undefined && result !== undefined) this.#locals[s.local] = result;
    return undefined;
  }

  *#print(args: readonly (string | Expression)[]): Steps<void> {
    const parts: Later<string | ScalarValue>[] = [];
    for (const arg of args) {
      if (typeof arg === 'string') parts.push(arg);
      else parts.push(...(yield* this.#elements(arg)));
    }
    this.#around.print(this.#thread, parts);
  }

  *#atomic(s: AtomicStatement): Steps<void> {
    const operand = yield* this.#elements(s.value);
    const expected = s.expected === undefined ? [] : yield* this.#elements(s.expected);
    const spot = yield* this.#spot(s.pointer);
    const change = after([...operand, ...expected], (): Change =>
      changeOf(s, spot.type, operand.map(known), expected.map(known)),
    );
    const site = this.#around.site(s.span, `atomic ${s.op}`);
    const old = yield* this.#memory.modify(spot, s.access, site, change, s.op !== 'cas');
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
    const change = after(given, (): Change => (old) => {
      scope.locals[seen] = elementsOf(spot.type, old);
      return bitsOf(spot.type, elements(swap.value, scope).map(force));
    });
    const old = yield* this.#memory.modify(spot, swap.access, this.#around.site(swap.span, 'atomic cas'), change, true);
    for (const local of [seen, found]) this.#locals[local] = elementsOf(spot.type, old);
  }

  *#wait(s: WaitStatement): Steps<void> {
    const [locals, stores] = yield* this.#pass(s, {});
    this.#locals.splice(0, this.#locals.length, ...locals);
    for (const [to, bytes, bits] of stores) this.#memory.own.store(to, bytes, bits);
  }

  *#waitAll(s: WaitAllStatement): Steps<void> {
    const count = yield* this.#number(s.count);
    const { members } = this.#around.cta.group(s.coop, this.#thread, yield* this.#groupInputs(s.coop));
    for (let index = members.indexOf(this.#thread); index < count; index += members.length) {
      yield* this.#pass(s, { [s.index]: [index] });
    }
  }

  /** Waits, and returns the state after the wait's body. */
  *#pass(s: WaitStatement | WaitAllStatement, given: Readonly<Record<number, Value>>): Steps<Left> {
    yield* this.#know(s.body, s.condition);
    this.#waiting = { body: s.body, condition: conditionOf(s), given };
    for (;;) {
      const passed = yield* wait(
        (look) => {
          const found = this.#tried(s, look, given);
          return found === undefined ? undefined : { value: found };
        },
        this.#around.site(s.span, 'wait'),
        sameLeft,
      );
      if (!(passed instanceof Error)) return passed;
      if (!(passed instanceof NeedsValue)) throw passed;
      yield* use(passed.needed);
    }
  }

  /** Returns the state after a wait's body, if its condition holds then. A fault ends the wait. */
  #tried(
    s: WaitStatement | WaitAllStatement,
    look: AttemptRead,
    given: Readonly<Record<number, Value>>,
  ): Left | Error | undefined {
    const { body, condition } = s;
    const tried = this.#attempt(look, (attempt): Left | undefined => {
      Object.assign(this.#locals, given);
      attempt.look(body);
      if (elements(condition, this.#scope)[0] !== true) return undefined;
      // Values that are not read again make no difference, and must compare equal.
      for (const local of waitScratch(this.#around.module, s)) {
        const zero = this.#zeros[local];
        if (zero !== undefined) this.#locals[local] = zero;
      }
      return [[...this.#locals], attempt.stores];
    });
    return tried === REPEAT ? new Unsupported('a write to memory in a wait') : tried;
  }

  /** Runs an operation that has no effect except its result. */
  #attempt<T>(reads: AttemptRead, act: (attempt: Attempt) => T): T | typeof REPEAT | Error {
    const kept = [...this.#locals];
    const { module, site } = this.#around;
    const scope = { module, scope: this.#scope, locals: this.#locals, own: this.#memory.own, cycles: this.#cycles };
    try {
      return act(new Attempt({ ...scope, read: reads, site }));
    } catch (error) {
      if (error instanceof Modifies) return REPEAT;
      if (error instanceof NeedsValue || error instanceof ThreadFault || error instanceof Unsupported) return error;
      throw error;
    } finally {
      this.#locals.splice(0, this.#locals.length, ...kept);
    }
  }

  *#collective(s: CollectiveStatement): Steps<void> {
    const { cta } = this.#around;
    if (s.op === 'activeMask') {
      const lanes = cta.threads - (this.#thread - (this.#thread % WARP_SIZE));
      this.#locals[s.local] = [lanes >= WARP_SIZE ? 0xffffffff : 2 ** lanes - 1];
      return;
    }
    const value: readonly Element[] | undefined = s.value === undefined ? undefined : yield* this.#elements(s.value);
    const lane = s.lane === undefined ? 0 : yield* this.#number(s.lane);
    const inputs = yield* this.#groupInputs(s.coop);
    const group = cta.group(s.coop, this.#thread, inputs);
    const orders = s.coop.kind === 'cta' || s.coop.kind === 'warpSpan';
    const brings: Brought = { thread: this.#thread, value: value ?? [], lane };
    const brought = yield* this.#meet(s, s.coop, brings, orders);
    this.#locals[s.local] = collectiveResult(s, this.#thread, cta.threads, group, brought.filter(isBrought), lane);
  }

  *#meet(s: Statement, coop: Coop, give: Brought | undefined, orders: boolean): Steps<readonly unknown[]> {
    const { cta } = this.#around;
    const inputs = yield* this.#groupInputs(coop);
    const site = this.#around.site(s.span, s.kind);
    if (s.kind === 'sync' && s.barrier !== undefined) {
      const { name, threads, isAligned } = s.barrier;
      const counted = threads === undefined ? 0 : yield* this.#number(threads);
      const arrival = { thread: this.#thread, name: yield* this.#number(name), threads: counted, site, isAligned };
      const vote = s.vote === undefined ? {} : { vote: at(yield* this.#elements(s.vote.value), 0) };
      const met = yield* meet({ ...barrierMeeting(cta, coop, inputs, { ...arrival, ...vote }), orders, site });
      if (s.vote !== undefined) this.#locals[s.vote.local] = [countVotes(met)];
      return met;
    }
    const { key, members } = cta.group(coop, this.#thread, inputs);
    return yield* meet({
      group: `${key} at ${site}`,
      // Threads that have ended do not block the others of their CTA.
      size: coop.kind === 'cta' ? () => cta.alive : members.length,
      index: members.indexOf(this.#thread),
      give,
      orders,
      site,
    });
  }

  *#groupInputs(coop: Coop): Steps<readonly number[]> {
    switch (coop.kind) {
      case 'cta':
      case 'tile':
        return [];
      case 'lanes':
        return [yield* this.#number(coop.mask)];
      case 'warpSpan':
        return [yield* this.#number(coop.first), yield* this.#number(coop.count)];
    }
  }

  /** Evaluates an expression. It waits for values that must be known, and evaluates again. */
  *#known<T>(compute: () => T): Steps<T> {
    for (;;) {
      try {
        return compute();
      } catch (error) {
        if (!(error instanceof NeedsValue)) throw error;
        yield* use(error.needed);
      }
    }
  }

  #value(e: Expression): Steps<Value> {
    return this.#known(() => evaluate(e, this.#scope));
  }

  #elements(e: Expression): Steps<readonly Element[]> {
    return this.#known(() => elements(e, this.#scope));
  }

  #number(e: Expression): Steps<number> {
    return this.#known(() => number(e, this.#scope));
  }

  *#truth(e: Expression): Steps<boolean> {
    return (yield* use(at(yield* this.#elements(e), 0))) === true;
  }

  #spot(e: Expression): Steps<Spot> {
    return this.#known(() => this.#spotOf(e));
  }

  #spotOf(e: Expression): Spot {
    return spotOf(e, this.#around.module, this.#scope);
  }

  /** Waits until the locals of a wait are known, and the values in the thread's own arrays. */
  *#know(body: Body, condition: Expression | undefined): Steps<void> {
    const decides = condition === undefined ? [] : readLocals(condition);
    for (const local of new Set([...bodyReads(body), ...decides])) {
      const value = this.#locals[local];
      if (value === undefined || !isElements(value) || !value.some((element) => element instanceof Deferred)) continue;
      for (const element of value) yield* use(element);
      this.#locals[local] = value.map(known);
    }
  }
}
