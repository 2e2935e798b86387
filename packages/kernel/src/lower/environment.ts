import type { Declaration } from '../capture/resolve.ts';
import type { CellBox, Operand } from './operand.ts';

/** The meaning of a declared name while it is in scope. */
export type Binding =
  | { readonly kind: 'fixed'; readonly operand: Operand }
  /** `frame` is the depth of the function that declared it. Only that function may assign it. */
  | { readonly kind: 'variable'; readonly box: CellBox; readonly frame: number };

/**
 * The bindings of one function call. Arrow functions see the bindings of the call that made them.
 */
export class Environment {
  readonly #bindings: Map<Declaration, Binding> = new Map();
  readonly parent: Environment | undefined;

  constructor(parent?: Environment) {
    this.parent = parent;
  }

  bind(declaration: Declaration, binding: Binding): void {
    this.#bindings.set(declaration, binding);
  }

  lookup(declaration: Declaration): Binding | undefined {
    return this.#bindings.get(declaration) ?? this.parent?.lookup(declaration);
  }
}
