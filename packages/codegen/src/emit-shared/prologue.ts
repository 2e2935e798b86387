import { mayFault, readLocals, type Expression, type LocalId } from '@nccl-ts/ir';

import { isUniform, type Components } from './context.ts';
import { emitExpression } from './emit-expression.ts';
import { atom, statementScope, type EmitScope } from './scope.ts';

/**
 * The code before a loop over the threads: shared values, and the conditions under which the loop
 * needs no checks.
 */
export class Prologue {
  /** The scope of that code. */
  readonly scope: EmitScope;
  /** The text of the last thread's index. */
  readonly last: string;
  readonly #changing: ReadonlySet<LocalId>;
  readonly #requirements = new Set<string>();
  readonly #hoisted = new Map<Expression, Components | undefined>();
  readonly #once: Map<string, Components>;

  /** `changing` are the locals that the loop sets. */
  constructor(
    scope: EmitScope,
    last: string,
    changing: ReadonlySet<LocalId>,
    once: Map<string, Components> = new Map(),
  ) {
    this.scope = scope;
    this.last = last;
    this.#changing = changing;
    this.#once = once;
  }

  /** Makes a prologue at the same point with its own requirements. */
  fork(): Prologue {
    return new Prologue(this.scope, this.last, this.#changing, this.#once);
  }

  /** Adds conditions, which are evaluated after all other code of the prologue. */
  require(...conditions: readonly string[]): void {
    for (const condition of conditions) this.#requirements.add(condition);
  }

  get requirements(): readonly string[] {
    return [...this.#requirements];
  }

  /** True if `e` has the same value in all threads and in all rounds of the loop. */
  isFixed(e: Expression): boolean {
    return isUniform(this.scope.context, e) && [...readLocals(e)].every((id) => !this.#changing.has(id));
  }

  /**
   * Returns the value of `e`, computed before the loop; `undefined` if it changes in the loop or
   * may fault.
   */
  hoist(e: Expression): Components | undefined {
    if (this.#hoisted.has(e)) return this.#hoisted.get(e);
    const components = this.isFixed(e) && e.type.kind !== 'handle' && !mayFault(e) ? this.#compute(e) : undefined;
    this.#hoisted.set(e, components);
    return components;
  }

  #compute(e: Expression): Components {
    const inner = { ...statementScope(this.scope, [e]), code: this.scope.code };
    return emitExpression(e, inner).map((text) => this.atom(text));
  }

  /**
   * Returns a constant with the value of `text`, which never changes. Equal texts share a constant.
   */
  atom(text: string): string {
    return this.once(text, () => [atom(this.scope, text)])[0] ?? text;
  }

  /** Returns the result of the first call of `compute` with `key`. */
  once(key: string, compute: () => Components): Components {
    let components = this.#once.get(key);
    if (components === undefined) {
      components = compute();
      this.#once.set(key, components);
    }
    return components;
  }
}
