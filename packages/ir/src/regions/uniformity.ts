import type { Builtin, Expression, LocalId } from '../expression.ts';
import type { Module } from '../module.ts';
import type { Body, LoopStatement, Statement } from '../statement.ts';
import type { Span } from '../span.ts';
import { expressionChildren } from '../visit/children.ts';

/** The values that the threads of one CTA have in common. */
export interface Uniformity {
  /** Locals that may differ between threads of a CTA at one point of the program. */
  readonly varying: ReadonlySet<LocalId>;
  /**
   * True if `expression`, at one point of the program, has the same value for all threads of a CTA
   * that evaluate it.
   */
  isUniform(expression: Expression): boolean;
  /**
   * The branch because of which threads of one CTA may have diverged before `statement`.
   * `undefined` means that either all threads of the CTA run the statement together, or none does.
   */
  divergence(statement: Statement): Span | undefined;
}

const varyingBuiltins: ReadonlySet<Builtin> = new Set<Builtin>([
  'threadIdx.x',
  'threadIdx.y',
  'threadIdx.z',
  'threadLinear',
  'laneId',
]);

/**
 * Finds the values that are uniform over a CTA: constants, parameters, fields, `blockIdx`,
 * `blockDim` and `gridDim`, results of `bcast`, `any` and `all` over the CTA, and pure functions
 * and assignments of these in uniform control flow. Loaded values vary. Results are stored per
 * statement object. If a statement occurs several times, it counts as divergent if any occurrence
 * is.
 */
export function analyseUniformity(module: Module): Uniformity {
  const analysis = new UniformityAnalysis();
  analysis.run(module.body);
  return {
    varying: analysis.varying,
    isUniform: (expression) => isUniform(expression, analysis.varying),
    divergence: (statement) => analysis.divergence.get(statement),
  };
}

function isUniform(expression: Expression, varying: ReadonlySet<LocalId>): boolean {
  const known = new Map<Expression, boolean>();
  const visit = (e: Expression): boolean => {
    const before = known.get(e);
    if (before !== undefined) return before;
    const result = ownUniform(e, varying) && inputs(e).every(visit);
    known.set(e, result);
    return result;
  };
  return visit(expression);
}

function ownUniform(expression: Expression, varying: ReadonlySet<LocalId>): boolean {
  if (expression.kind === 'local') return !varying.has(expression.local);
  return expression.kind !== 'builtin' || !varyingBuiltins.has(expression.builtin);
}

function inputs(expression: Expression): readonly Expression[] {
  return expression.kind === 'intrinsic' ? [expression.expansion] : expressionChildren(expression);
}

/**
 * The target of a jump: the innermost loop's end or update, the end of a block, or the end of the
 * kernel.
 */
type JumpTarget = LoopStatement | `continue` | `leave ${number}` | 'return';

class UniformityAnalysis {
  readonly varying = new Set<LocalId>();
  readonly divergence = new Map<Statement, Span>();
  /** Loops that threads leave in different rounds, with the branch that causes it. */
  readonly #partedLoops = new Map<LoopStatement, Span>();
  /** Jumps that only some threads take, and whose target is ahead. */
  #open = new Map<JumpTarget, Span>();
  #loops: LoopStatement[] = [];
  #changed = false;

  /** Repeats until nothing changes. It ends, because every pass only adds. */
  run(body: Body): void {
    do {
      this.#changed = false;
      this.#open = new Map();
      this.#loops = [];
      this.#body(body, undefined);
    } while (this.#changed);
  }

  #body(body: Body, branch: Span | undefined): void {
    for (const statement of body) {
      const cause = branch ?? firstValue(this.#open);
      if (cause !== undefined && !this.divergence.has(statement)) {
        this.divergence.set(statement, cause);
        this.#changed = true;
      }
      this.#statement(statement, cause);
    }
  }

  #statement(s: Statement, cause: Span | undefined): void {
    switch (s.kind) {
      case 'assign':
        this.#assign(s.local, cause === undefined && isUniform(s.value, this.varying));
        return;
      case 'load':
      case 'clock':
        this.#assign(s.local, false);
        return;
      case 'atomic':
        if (s.local !== undefined) this.#assign(s.local, false);
        return;
      case 'collective': {
        const shared = s.op === 'bcast' || s.op === 'any' || s.op === 'all';
        this.#assign(s.local, cause === undefined && shared && s.coop.kind === 'cta');
        return;
      }
      case 'call':
        if (s.body !== undefined) this.#body(s.body, cause);
        else if (s.local !== undefined) this.#assign(s.local, false);
        return;
      case 'wait':
        this.#body(s.body, cause);
        return;
      case 'waitAll':
        this.#assign(s.index, false);
        this.#body(s.body, cause);
        return;
      case 'if': {
        const branch = cause ?? (isUniform(s.condition, this.varying) ? undefined : (s.condition.span ?? s.span));
        this.#body(s.then, branch);
        this.#body(s.else, branch);
        return;
      }
      case 'loop':
        this.#loop(s, cause);
        return;
      case 'block':
        this.#body(s.body, cause);
        this.#open.delete(`leave ${s.label}`);
        return;
      case 'break':
      case 'continue':
      case 'leave':
      case 'return':
        if (cause !== undefined) this.#jump(s, cause);
        return;
      case 'sync':
        if (s.vote !== undefined) this.#assign(s.vote.local, false);
        return;
      case 'store':
      case 'fence':
      case 'fenceProxy':
      case 'assert':
      case 'print':
      case 'approximate':
        return;
    }
  }

  #loop(s: LoopStatement, cause: Span | undefined): void {
    const varies = s.condition !== undefined && !isUniform(s.condition, this.varying);
    const branch = cause ?? this.#partedLoops.get(s) ?? (varies ? (s.condition?.span ?? s.span) : undefined);
    this.#loops.push(s);
    const outer = this.#open.get('continue');
    this.#open.delete('continue');
    this.#body(s.body, branch);
    this.#open.delete('continue');
    this.#body(s.update, branch);
    if (outer !== undefined) this.#open.set('continue', outer);
    this.#loops.pop();
    this.#open.delete(s);
  }

  #jump(s: Statement, cause: Span): void {
    const loop = this.#loops.at(-1);
    if (s.kind === 'continue') {
      this.#openJump('continue', cause);
    } else if (s.kind === 'break' && loop !== undefined) {
      this.#openJump(loop, cause);
      this.#partLoop(loop, cause);
    } else if (s.kind === 'leave' || s.kind === 'return') {
      this.#openJump(s.kind === 'leave' ? `leave ${s.label}` : 'return', cause);
      // A `leave` may stay inside the innermost loop. Treating the loop as divergent is then only
      // too careful.
      for (const crossed of this.#loops) this.#partLoop(crossed, cause);
    }
  }

  #openJump(target: JumpTarget, cause: Span): void {
    if (!this.#open.has(target)) this.#open.set(target, cause);
  }

  #partLoop(loop: LoopStatement, cause: Span): void {
    if (this.#partedLoops.has(loop)) return;
    this.#partedLoops.set(loop, cause);
    this.#changed = true;
  }

  #assign(local: LocalId, uniform: boolean): void {
    if (uniform || this.varying.has(local)) return;
    this.varying.add(local);
    this.#changed = true;
  }
}

function firstValue(map: ReadonlyMap<JumpTarget, Span>): Span | undefined {
  for (const value of map.values()) return value;
  return undefined;
}
