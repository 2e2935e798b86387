import { bodyOfText, unknownValue, type BodyFunction } from '@nccl-ts/kernel';
import { lineAt } from '@nccl-ts/ir';
import { withoutTypes } from '../source/blank-types.ts';
import { walkScopes, type Binding, type Scope, type ScopedVisit } from '../source/scope.ts';
import { childOf, listOf, nameOf, parseModule, type SyntaxNode } from '../source/syntax.ts';
import { deviceValues } from './device-values.ts';
import { evaluate, type Values } from './evaluate.ts';
import { memberOf } from './member-of.ts';

/** Finds the module that `specifier` names in `from`; `undefined` if it cannot be read. */
export type FindsModule = (specifier: string, from: string) => ModuleText | undefined;

/** The text of a module, which is read and never run. */
export class ModuleText implements Values {
  readonly file: string;
  readonly text: string;
  readonly #tree: SyntaxNode;
  readonly #find: FindsModule;
  #top: Scope | undefined;
  readonly #values = new Map<SyntaxNode, unknown>();
  readonly #bodies = new Map<SyntaxNode, BodyFunction>();

  private constructor(file: string, text: string, tree: SyntaxNode, find: FindsModule) {
    this.file = file;
    this.text = text;
    this.#tree = tree;
    this.#find = find;
  }

  /** @returns `undefined` if the text has errors of syntax. */
  static parse(file: string, text: string, find: FindsModule): ModuleText | undefined {
    const tree = parseModule(text, file);
    return tree === undefined ? undefined : new ModuleText(file, text, tree, find);
  }

  walk(visit: ScopedVisit): void {
    walkScopes(this.#tree, visit);
  }

  /**
   * The value of an expression as far as the text shows it. The rest is
   * `unknownValue`. Nothing of the module runs.
   */
  valueOf(node: SyntaxNode, scope: Scope): unknown {
    if (this.#values.has(node)) return this.#values.get(node);
    // A constant that contains itself has no known value.
    this.#values.set(node, unknownValue);
    const value = evaluate(node, scope, this);
    this.#values.set(node, value);
    return value;
  }

  /** The function that `node` is, as a body to compile. */
  bodyOf(node: SyntaxNode): unknown {
    const before = this.#bodies.get(node);
    if (before !== undefined) return before;
    const text = withoutTypes(this.text, node);
    if (text === undefined) return unknownValue;
    const body = bodyOfText(text, (offset) => ({ file: this.file, ...lineAt(this.text, node.start + offset) }));
    this.#bodies.set(node, body);
    return body;
  }

  valueOfBinding(binding: Binding | undefined): unknown {
    switch (binding?.kind) {
      case 'constant':
        return binding.path.reduce<unknown>(memberOf, this.valueOf(binding.init, binding.scope));
      case 'function':
        return this.bodyOf(binding.node);
      case 'import':
        return this.#imported(binding.source, binding.imported);
      case 'other':
      case undefined:
        return unknownValue;
    }
  }

  /** The value of an export; `unknownValue` if the text does not show it. */
  exported(name: string): unknown {
    let value: unknown = unknownValue;
    const scope = this.#scope();
    for (const node of listOf(this.#tree, 'body')) {
      if (node.type === 'ExportDefaultDeclaration' && name === 'default') {
        const declaration = childOf(node, 'declaration');
        if (declaration !== undefined) value = this.valueOf(declaration, scope);
      }
      if (node.type === 'ExportAllDeclaration' && node['exported'] === null && value === unknownValue) {
        value = this.#imported(nameOf(childOf(node, 'source')) ?? '', name);
      }
      if (node.type !== 'ExportNamedDeclaration') continue;
      const source = nameOf(childOf(node, 'source'));
      for (const specifier of listOf(node, 'specifiers')) {
        const local = nameOf(childOf(specifier, 'local'));
        if (nameOf(childOf(specifier, 'exported')) !== name || local === undefined) continue;
        value = source === undefined ? this.valueOfBinding(scope.lookUp(local)) : this.#imported(source, local);
      }
      if (childOf(node, 'declaration') !== undefined && declares(node, name)) {
        value = this.valueOfBinding(scope.lookUp(name));
      }
    }
    return value;
  }

  #scope(): Scope {
    if (this.#top !== undefined) return this.#top;
    let top: Scope | undefined;
    walkScopes(this.#tree, (_node, scope) => {
      top ??= scope;
    });
    if (top === undefined) throw new TypeError(`${this.file} has no statements.`);
    this.#top = top;
    return top;
  }

  #imported(source: string, name: string | undefined): unknown {
    const device = deviceValues(source);
    if (device !== undefined) return name === undefined ? device : memberOf(device, name);
    if (!source.startsWith('.') || name === undefined) return unknownValue;
    return this.#find(source, this.file)?.exported(name) ?? unknownValue;
  }
}

function declares(node: SyntaxNode, name: string): boolean {
  const declaration = childOf(node, 'declaration');
  if (declaration === undefined) return false;
  if (nameOf(childOf(declaration, 'id')) === name) return true;
  return listOf(declaration, 'declarations').some((declarator) => nameOf(childOf(declarator, 'id')) === name);
}
