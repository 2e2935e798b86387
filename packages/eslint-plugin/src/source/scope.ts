import { childOf, childrenOf, isFunction, listOf, nameOf, type SyntaxNode } from './syntax.ts';

/** The meaning of a name, as far as its declaration shows it. */
export type Binding =
  /** `path`: the members that a destructuring takes, outermost first. */
  | { readonly kind: 'constant'; readonly init: SyntaxNode; readonly path: readonly string[]; readonly scope: Scope }
  | { readonly kind: 'function'; readonly node: SyntaxNode; readonly scope: Scope }
  /** `imported` is undefined for a namespace. */
  | { readonly kind: 'import'; readonly source: string; readonly imported: string | undefined }
  | { readonly kind: 'other' };

/** The names of a block, by JavaScript's scoping. */
export class Scope {
  readonly parent: Scope | undefined;
  readonly #names = new Map<string, Binding>();

  constructor(parent: Scope | undefined) {
    this.parent = parent;
  }

  declare(name: string, binding: Binding): void {
    this.#names.set(name, this.#names.has(name) ? { kind: 'other' } : binding);
  }

  /** `undefined` if nothing declares the name. */
  lookUp(name: string): Binding | undefined {
    return this.#names.get(name) ?? this.parent?.lookUp(name);
  }
}

/** Called for each node, outer nodes first. */
export type ScopedVisit = (node: SyntaxNode, scope: Scope) => void;

/** Walks a module with the scope of each node. */
export function walkScopes(program: SyntaxNode, visit: ScopedVisit): void {
  const top = new Scope(undefined);
  declareAll(listOf(program, 'body'), top);
  for (const node of listOf(program, 'body')) walk(node, top, visit);
}

function walk(node: SyntaxNode, outer: Scope, visit: ScopedVisit): void {
  visit(node, outer);
  const scope = innerScope(node, outer);
  for (const child of childrenOf(node)) walk(child, scope, visit);
}

function innerScope(node: SyntaxNode, outer: Scope): Scope {
  if (isFunction(node)) {
    const scope = new Scope(outer);
    for (const param of listOf(node, 'params')) declareOthers(param, scope);
    return scope;
  }
  switch (node.type) {
    case 'BlockStatement':
    case 'StaticBlock': {
      const scope = new Scope(outer);
      declareAll(listOf(node, 'body'), scope);
      return scope;
    }
    case 'ForStatement':
    case 'ForInStatement':
    case 'ForOfStatement':
    case 'CatchClause': {
      const scope = new Scope(outer);
      const head = childOf(node, 'init') ?? childOf(node, 'left') ?? childOf(node, 'param');
      if (head !== undefined) declareOthers(head, scope);
      return scope;
    }
    default:
      return outer;
  }
}

function declareAll(statements: readonly SyntaxNode[], scope: Scope): void {
  for (const statement of statements) declareIn(statement, scope);
}

function declareIn(statement: SyntaxNode, scope: Scope): void {
  switch (statement.type) {
    case 'ExportNamedDeclaration':
    case 'ExportDefaultDeclaration': {
      const declaration = childOf(statement, 'declaration');
      if (declaration !== undefined) declareIn(declaration, scope);
      return;
    }
    case 'ImportDeclaration':
      declareImports(statement, scope);
      return;
    case 'FunctionDeclaration': {
      const name = nameOf(childOf(statement, 'id'));
      if (name !== undefined) scope.declare(name, { kind: 'function', node: statement, scope });
      return;
    }
    case 'ClassDeclaration':
    case 'TSEnumDeclaration': {
      const name = nameOf(childOf(statement, 'id'));
      if (name !== undefined) scope.declare(name, { kind: 'other' });
      return;
    }
    case 'VariableDeclaration':
      for (const declarator of listOf(statement, 'declarations')) {
        const id = childOf(declarator, 'id');
        const init = childOf(declarator, 'init');
        if (id === undefined) continue;
        if (statement['kind'] === 'const' && init !== undefined) declareConstant(id, init, [], scope);
        else declareOthers(id, scope);
      }
      return;
    default:
  }
}

function declareImports(statement: SyntaxNode, scope: Scope): void {
  const source = nameOf(childOf(statement, 'source'));
  if (source === undefined) return;
  for (const specifier of listOf(statement, 'specifiers')) {
    const local = nameOf(childOf(specifier, 'local'));
    if (local === undefined) continue;
    const imported =
      specifier.type === 'ImportNamespaceSpecifier' ? undefined : (nameOf(childOf(specifier, 'imported')) ?? 'default');
    scope.declare(local, { kind: 'import', source, imported });
  }
}

function declareConstant(id: SyntaxNode, init: SyntaxNode, path: readonly string[], scope: Scope): void {
  const name = nameOf(id);
  if (name !== undefined) {
    scope.declare(name, { kind: 'constant', init, path, scope });
    return;
  }
  if (id.type !== 'ObjectPattern') {
    declareOthers(id, scope);
    return;
  }
  for (const property of listOf(id, 'properties')) {
    const key = property['computed'] === true ? undefined : nameOf(childOf(property, 'key'));
    const value = childOf(property, 'value');
    if (key === undefined || value === undefined) declareOthers(property, scope);
    else declareConstant(value, init, [...path, key], scope);
  }
}

/** Declares every name of a pattern, or of a declaration, as one without a known value. */
function declareOthers(node: SyntaxNode, scope: Scope): void {
  switch (node.type) {
    case 'Identifier':
      scope.declare(nameOf(node) ?? '', { kind: 'other' });
      return;
    case 'VariableDeclaration':
      for (const declarator of listOf(node, 'declarations')) declareOthers(declarator, scope);
      return;
    case 'VariableDeclarator': {
      const id = childOf(node, 'id');
      if (id !== undefined) declareOthers(id, scope);
      return;
    }
    case 'AssignmentPattern': {
      const left = childOf(node, 'left');
      if (left !== undefined) declareOthers(left, scope);
      return;
    }
    case 'Property': {
      const value = childOf(node, 'value');
      if (value !== undefined) declareOthers(value, scope);
      return;
    }
    case 'ObjectPattern':
    case 'ArrayPattern':
    case 'RestElement':
      for (const child of childrenOf(node)) declareOthers(child, scope);
      return;
    default:
  }
}
