import { acquireOrderOf, ALL_LANES, at, WARP_SIZE } from '@nccl-ts/core';
import {
  absentLaneFidelity,
  assignedLocals,
  bodyReads,
  conditionOf,
  neededOf,
  pollsByAtomics,
  readLocals,
  readsClock,
  spinLook,
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
import { Deferred, fence, known, meet, use, wait, type AttemptRead, type Later } from '@nccl-ts/memory-model';
import { collectiveResult, isBrought, type Brought } from './collective-result.ts';
import { WaitEvaluation, done, Modifies } from './attempt.ts';
import { missingText } from '@nccl-ts/codegen';
import { barrierMeeting, countVotes } from './barrier-meeting.ts';
import { isElements, NeedsValue, type LaterScalar, type LaterValue } from './element.ts';
import { elements, type EvaluationScope } from './evaluate.ts';
import { fabricFence } from './fabric-fence.ts';
import { sameLeft, type Left } from './left-behind.ts';
import { neededText } from './needed-text.ts';
import { spinOf } from './spin-of.ts';
import { AS_WRITTEN, StatementWalk, type EffectStatement, type Jump } from './statement-walk.ts';
import { isOfCopies, ThreadCopies } from './thread-copies.ts';
import { ThreadMemory } from './thread-memory.ts';
import { failureOf, ThreadFault, Unsupported } from './thread-fault.ts';
import { builtinsOf, zeroOf } from './thread-values.ts';
import { waitScratch } from './wait-scratch.ts';
import type { Steps } from './steps.ts';
import type { ThreadContext } from './surroundings.ts';

/** The largest number of rounds of a polling loop that does more than read, and may run on. */
const POLLING_ROUNDS = 24;

/** A module as one thread runs it, anew for every execution. Every access is a request. */
export class ThreadSteps {
  readonly #around: ThreadContext;
  readonly #thread: number;
  readonly #scope: EvaluationScope;
  readonly #zeros: readonly LaterValue[];
  readonly #locals: LaterValue[];
  readonly #copies: ThreadCopies;
  readonly #memory: ThreadMemory;
  /** The current or last wait; `undefined` for a loop. */
  #waiting:
    | { readonly body: Body; readonly condition: Expression; readonly given: Readonly<Record<number, LaterValue>> }
    | undefined;
  #rounds = 0;
  readonly #walk: StatementWalk;
  /** Its cluster, while it waits for the barrier of that. */
  #atCluster: ThreadContext['cta']['cluster'];

  constructor(around: ThreadContext, thread: number) {
    this.#around = around;
    this.#copies = new ThreadCopies(around.copier, around.copies);
    this.#memory = new ThreadMemory(this.#copies, around.delivered);
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
      inCluster: (from, rank) => cta.inCluster(from, rank, module),
      distanceTo: (region) => cta.distanceTo(region, module),
    };
    this.#walk = new StatementWalk({
      module,
      scope: this.#scope,
      locals: this.#locals,
      memory: this.#memory,
      site: around.site,
      known: (compute) => this.#known(compute),
      loop: (s) => this.#loop(s),
      effect: (s) => this.#effect(s),
    });
  }

  /** Returns the current or last statement. */
  get at(): Span | undefined {
    return this.#walk.at;
  }

  /** Describes the values that would satisfy the current wait. `reads` says what memory holds. */
  needed(reads: AttemptRead): string {
    const { cta } = this.#around;
    if (this.#atCluster !== undefined) return missingText(this.#atCluster.lacks(cta, this.#thread), 'cluster');
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
    yield* this.#walk.body(this.#around.module.body);
  }

  *#effect(s: EffectStatement): Steps<void> {
    switch (s.kind) {
      case 'fence':
        if (acquireOrderOf(s.access.order) !== 'relaxed') yield* this.#around.acquired();
        yield* fence(s.access, this.#around.site(s.span, 'fence'));
        return;
      case 'fenceProxy':
        // Executions do not model multicast addresses.
        if (s.proxy === 'alias') return;
        if (s.access.scope === 'system' && acquireOrderOf(s.access.order) !== 'relaxed') yield* this.#around.acquired();
        yield* fabricFence(s, this.#around.site(s.span, 'fence'));
        return;
      case 'sync':
        yield* this.#meet(s, s.coop, undefined, true);
        return;
      case 'collective':
        yield* this.#collective(s);
        return;
      case 'wait':
        this.#take(yield* this.#pass(s, {}));
        return;
      case 'waitAll':
        yield* this.#waitAll(s);
        return;
      case 'assert':
        if (!(yield* this.#walk.truth(s.condition))) throw yield* failureOf(s, (e) => this.#walk.elements(e));
        return;
      case 'print':
        yield* this.#print(s.args);
        return;
      case 'approximate':
        this.#around.approximates(s.span, s.how);
        return;
      case 'call':
        yield* this.#call(s);
        return;
    }
  }

  /**
   * Counts the rounds of a loop, and passes over the rounds of a spinning one without an effect.
   */
  #loop(s: LoopStatement): () => Steps<Jump | typeof AS_WRITTEN> {
    const spin = spinOf(s);
    const { fuel } = this.#around;
    // A polling loop has executions with any number of rounds.
    const most = pollsByAtomics(s) ? Math.min(this.#rounds + POLLING_ROUNDS, fuel) : fuel;
    return () => {
      this.#around.round();
      if (++this.#rounds > most) throw endless(s, most === fuel ? fuel : POLLING_ROUNDS);
      return spin === undefined ? done(AS_WRITTEN) : this.#spin(s, spin);
    };
  }

  /** Takes over the state after an attempt. */
  #take([locals, stores]: Left): void {
    this.#locals.splice(0, this.#locals.length, ...locals);
    for (const [to, bytes, bits] of stores) this.#memory.own.store(to, bytes, bits);
  }

  /**
   * Waits until a round of a spinning loop has an effect. Runs the round, or leaves it as written.
   */
  *#spin(s: LoopStatement, spin: SpinRound): Steps<Jump | typeof AS_WRITTEN> {
    for (const body of [s.body, s.update]) yield* this.#know(body, s.condition);
    const { body: looks, ends } = spinLook(s);
    this.#waiting = ends === undefined ? undefined : { body: looks, condition: ends, given: {} };
    const before = [...this.#locals];
    const round = yield* this.#until(s.span, (attempt) => {
      const jump = attempt.round(s);
      const isOver = s.condition !== undefined && elements(s.condition, this.#scope)[0] !== true;
      const goesOn = (jump === undefined || jump === 'continue') && !isOver;
      if (goesOn && [...spin.carried].every((local) => sameLeft(this.#locals[local], before[local]))) return undefined;
      if (!spin.onlyLooks) return AS_WRITTEN;
      const left: Left = [[...this.#locals], attempt.stores];
      return [left, goesOn || jump !== undefined ? jump : 'break'] as const;
    });
    if (round === AS_WRITTEN) return AS_WRITTEN;
    const [left, jump] = round;
    this.#take(left);
    return jump;
  }

  /** Waits until an attempt has a result, or would write. A fault of an attempt ends the wait. */
  *#until<T>(span: Span, tried: (attempt: WaitEvaluation) => T | undefined): Steps<T | typeof AS_WRITTEN> {
    for (;;) {
      const passed = yield* wait(
        (look) => {
          const found = this.#attempt(look, tried);
          return found === undefined ? undefined : { value: found };
        },
        this.#around.site(span, 'wait'),
        sameLeft,
      );
      if (!(passed instanceof Error)) return passed;
      if (!(passed instanceof NeedsValue)) throw passed;
      yield* use(passed.needed);
    }
  }

  *#call(s: CallStatement): Steps<void> {
    const values: LaterValue[] = [];
    for (const arg of s.args) {
      const value = yield* this.#walk.value(arg);
      if (isElements(value)) for (const element of value) yield* use(element);
      values.push(isElements(value) ? value.map(known) : value);
    }
    if (s.name.startsWith('cluster.')) return yield* this.#cluster(s);
    if (isOfCopies(s)) {
      yield* this.#copies.call(
        s,
        values.filter(isElements).map((value) => Number(known(at(value, 0)))),
      );
      return;
    }
    const result = yield* this.#around.primitive(s, this.#thread, values);
    if (s.local !== undefined && result !== undefined) this.#locals[s.local] = result;
  }

  *#cluster({ name, statics, span }: CallStatement): Steps<void> {
    const { cta } = this.#around;
    const { cluster } = cta;
    const words = statics.flatMap((given) => (given.kind === 'word' ? [given.word] : []));
    const site = this.#around.site(span, 'sync');
    if (cluster === undefined) throw new Unsupported(`${name} outside of a cluster`);
    if (name === 'cluster.arrive') {
      const arrival = { releases: words[0] === 'release', isAligned: words[1] === 'aligned', site };
      yield* cluster.arrive(cta, this.#thread, arrival, this.#around.arrival());
    } else if (name === 'cluster.wait') {
      this.#atCluster = cluster;
      yield* cluster.wait(cta, this.#thread, site);
      this.#atCluster = undefined;
    }
    // The end of a thread is known here without its call.
    else if (name !== 'cluster.leave') throw new Unsupported(`the primitive ${name}`);
  }

  *#print(args: readonly (string | Expression)[]): Steps<void> {
    const parts: Later<string | ScalarValue>[] = [];
    for (const arg of args) {
      if (typeof arg === 'string') parts.push(arg);
      else parts.push(...(yield* this.#walk.elements(arg)));
    }
    this.#around.print(this.#thread, parts);
  }

  *#waitAll(s: WaitAllStatement): Steps<void> {
    const count = yield* this.#walk.number(s.count);
    const { members } = this.#around.cta.group(s.coop, this.#thread, yield* this.#groupInputs(s.coop));
    for (let index = members.indexOf(this.#thread); index < count; index += members.length) {
      yield* this.#pass(s, { [s.index]: [index] });
    }
  }

  /** Waits, and returns the state after the wait's body. */
  *#pass(s: WaitStatement | WaitAllStatement, given: Readonly<Record<number, LaterValue>>): Steps<Left> {
    const { body, condition } = s;
    yield* this.#know(body, condition);
    this.#waiting = { body, condition: conditionOf(s), given };
    const left = yield* this.#until(s.span, (attempt): Left | undefined => {
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
    if (left === AS_WRITTEN) throw new Unsupported('a write to memory in a wait');
    return left;
  }

  /** Runs an operation that has no effect except its result. */
  #attempt<T>(reads: AttemptRead, act: (attempt: WaitEvaluation) => T): T | typeof AS_WRITTEN | Error {
    const kept = [...this.#locals];
    const { module, site } = this.#around;
    const scope = {
      module,
      scope: this.#scope,
      locals: this.#locals,
      own: this.#memory.own,
      approximates: (span: Span, how: string) => this.#around.approximates(span, how),
      cycles: this.#walk.cycles,
    };
    try {
      return act(new WaitEvaluation({ ...scope, read: reads, site }));
    } catch (error) {
      if (error instanceof Modifies) return AS_WRITTEN;
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
      this.#locals[s.local] = [lanes >= WARP_SIZE ? ALL_LANES : 2 ** lanes - 1];
      return;
    }
    const value: readonly LaterScalar[] | undefined =
      s.value === undefined ? undefined : yield* this.#walk.elements(s.value);
    const lane = s.lane === undefined ? 0 : yield* this.#walk.number(s.lane);
    const inputs = yield* this.#groupInputs(s.coop);
    const group = cta.group(s.coop, this.#thread, inputs);
    const orders = s.coop.kind === 'cta' || s.coop.kind === 'warpSpan';
    const brings: Brought = { thread: this.#thread, value: value ?? [], lane };
    const brought = yield* this.#meet(s, s.coop, brings, orders);
    this.#locals[s.local] = collectiveResult(s, this.#thread, group, brought.filter(isBrought), lane, () =>
      this.#around.approximates(s.span, absentLaneFidelity.how),
    );
  }

  *#meet(s: Statement, coop: Coop, give: Brought | undefined, orders: boolean): Steps<readonly unknown[]> {
    const { cta } = this.#around;
    const inputs = yield* this.#groupInputs(coop);
    const site = this.#around.site(s.span, s.kind);
    if (s.kind === 'sync' && s.barrier !== undefined) {
      const { name, threads, isAligned } = s.barrier;
      const counted = threads === undefined ? 0 : yield* this.#walk.number(threads);
      const arrival = { thread: this.#thread, name: yield* this.#walk.number(name), threads: counted, site, isAligned };
      const vote = s.vote === undefined ? {} : { vote: at(yield* this.#walk.elements(s.vote.value), 0) };
      const met = yield* meet({ ...barrierMeeting(cta, coop, inputs, { ...arrival, ...vote }), orders, site });
      if (s.vote !== undefined) this.#locals[s.vote.local] = [countVotes(met)];
      return met;
    }
    const { key, members } = cta.group(coop, this.#thread, inputs);
    return yield* meet({
      group: `${key} at ${site}`,
      // Threads that have ended do not block the others. The barrier of a span counts its warps.
      size: coop.kind === 'warpSpan' ? members.length : () => cta.aliveOf(members),
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
        return [yield* this.#walk.number(coop.mask)];
      case 'warpSpan':
        return [yield* this.#walk.number(coop.first), yield* this.#walk.number(coop.count)];
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

function endless({ span }: LoopStatement, rounds: number): ThreadFault {
  return new ThreadFault('fuel', `the loop does not end, even after ${rounds} rounds`, undefined, span);
}
