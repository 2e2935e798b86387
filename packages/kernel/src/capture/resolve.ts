import type {
  AnyNode,
  CallExpression,
  Function as FunctionNode,
  Identifier,
  Pattern,
  VariableDeclaration,
} from 'acorn';
import { keepNamesCallees } from './keep-names.ts';
import { childrenOf } from './node-children.ts';
import { patternNames } from './pattern-names.ts';

/** A name that a function's text declares. */
export interface Declaration {
  readonly name: string;
  readonly kind: 'param' | 'const' | 'variable' | 'function';
  /**
   * True if anything besides the declaration assigns it. If not, the compiler treats a `let` as a
   * `const`.
   */
  assigned: boolean;
}

/** The declaration that each identifier of a text refers to. */
export interface Resolution {
  /** For identifiers that declare and identifiers that refer. */
  readonly of: ReadonlyMap<Identifier, Declaration>;
  /** References to names that the text does not declare, in order, except those in `keepNames`. */
  readonly free: readonly Identifier[];
  /** The callees of calls that only keep a function's name. */
  readonly keepNames: ReadonlySet<Identifier>;
  /** Identifiers that are called. */
  readonly called: ReadonlySet<Identifier>;
}

/** Resolves all names of a captured function by JavaScript's scoping. */
export function resolve(root: AnyNode): Resolution {
  return new Resolver(root).resolution();
}

class Resolver {
  readonly #declarations = new Map<Identifier, Declaration>();
  readonly #free: Identifier[] = [];
  /** The calls of names. */
  readonly #calls: CallExpression[] = [];

  constructor(root: AnyNode) {
    this.#visit(root, { names: new Map(), parent: undefined, isFunction: true });
  }

  resolution(): Resolution {
    const of = this.#declarations;
    const keepNames = keepNamesCallees(this.#calls, this.#free, (name) => of.get(name)?.kind === 'function');
    const called = this.#calls.flatMap(({ callee }) => (callee.type === 'Identifier' ? [callee] : []));
    const free = this.#free.filter((name) => !keepNames.has(name));
    return { of, free, keepNames, called: new Set(called) };
  }

  #visit(node: AnyNode, scope: NameScope): void {
    switch (node.type) {
      case 'Identifier':
        this.#refer(node, scope);
        return;
      case 'MemberExpression':
        this.#visit(node.object, scope);
        if (node.computed) this.#visit(node.property, scope);
        return;
      case 'Property':
      case 'MethodDefinition':
      case 'PropertyDefinition':
        if (node.computed) this.#visit(node.key, scope);
        if (node.value) this.#visit(node.value, scope);
        return;
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        this.#visitFunction(node, scope);
        return;
      case 'VariableDeclaration':
        for (const { id, init } of node.declarations) {
          this.#visitPattern(id, scope);
          if (init) this.#visit(init, scope);
        }
        return;
      case 'BlockStatement':
      case 'SwitchStatement': {
        const inner = nested(scope);
        this.#hoist(node.type === 'BlockStatement' ? node.body : node.cases.flatMap((c) => c.consequent), inner, false);
        this.#visitChildren(node, inner);
        return;
      }
      case 'ForStatement':
      case 'ForInStatement':
      case 'ForOfStatement': {
        const inner = nested(scope);
        const head = node.type === 'ForStatement' ? node.init : node.left;
        // A loop over values gives its variable a new value each round, so it is constant within
        // the round.
        if (head?.type === 'VariableDeclaration') this.#declareVariables(head, inner, node.type !== 'ForStatement');
        else if (head && node.type !== 'ForStatement') this.#assign(head, inner);
        this.#visitChildren(node, inner);
        return;
      }
      case 'CatchClause': {
        const inner = nested(scope);
        if (node.param) this.#declarePattern(node.param, 'variable', inner);
        this.#visitChildren(node, inner);
        return;
      }
      case 'CallExpression':
        if (node.callee.type === 'Identifier') this.#calls.push(node);
        this.#visitChildren(node, scope);
        return;
      case 'AssignmentExpression':
        this.#assign(node.left, scope);
        this.#visit(node.left, scope);
        this.#visit(node.right, scope);
        return;
      case 'UpdateExpression':
        this.#assign(node.argument, scope);
        this.#visit(node.argument, scope);
        return;
      case 'LabeledStatement':
        this.#visit(node.body, scope);
        return;
      case 'BreakStatement':
      case 'ContinueStatement':
      case 'MetaProperty':
        return;
      default:
        this.#visitChildren(node, scope);
    }
  }

  #visitFunction(node: FunctionNode & AnyNode, scope: NameScope): void {
    const inner: NameScope = { names: new Map(), parent: scope, isFunction: true };
    if (node.type === 'FunctionExpression' && node.id) this.#declare(node.id, 'function', inner);
    for (const param of node.params) {
      this.#declarePattern(param, 'param', inner);
      this.#visitPattern(param, inner);
    }
    const body = node.body;
    if (body.type === 'BlockStatement') {
      this.#hoist(body.body, inner, true);
      this.#visitChildren(body, inner);
    } else this.#visit(body, inner);
  }

  /**
   * Default values and computed keys inside a pattern are references; the names themselves are
   * already declared.
   */
  #visitPattern(pattern: Pattern, scope: NameScope): void {
    switch (pattern.type) {
      case 'Identifier':
        this.#refer(pattern, scope);
        return;
      case 'ObjectPattern':
        for (const property of pattern.properties) {
          if (property.type === 'RestElement') this.#visitPattern(property.argument, scope);
          else {
            if (property.computed) this.#visit(property.key, scope);
            this.#visitPattern(property.value, scope);
          }
        }
        return;
      case 'ArrayPattern':
        for (const element of pattern.elements) if (element) this.#visitPattern(element, scope);
        return;
      case 'RestElement':
        this.#visitPattern(pattern.argument, scope);
        return;
      case 'AssignmentPattern':
        this.#visitPattern(pattern.left, scope);
        this.#visit(pattern.right, scope);
        return;
      case 'MemberExpression':
        this.#visit(pattern, scope);
        return;
    }
  }

  #visitChildren(node: AnyNode, scope: NameScope): void {
    for (const child of childrenOf(node)) this.#visit(child, scope);
  }

  #refer(node: Identifier, scope: NameScope): void {
    const declaration = lookUp(node.name, scope);
    if (declaration === undefined) this.#free.push(node);
    else this.#declarations.set(node, declaration);
  }

  /** Notes that `target` is assigned. Its names are references too, which `#visit` finds. */
  #assign(target: AnyNode, scope: NameScope): void {
    for (const node of patternNames(target)) {
      const declaration = lookUp(node.name, scope);
      // A constant remains constant: an assignment to it is reported at the assignment.
      if (declaration !== undefined && declaration.kind !== 'const') declaration.assigned = true;
    }
  }

  /**
   * Declares the names of a block's statements, before any of them is visited. The body of a
   * function also declares the `var`s of all its blocks.
   */
  #hoist(statements: readonly AnyNode[], scope: NameScope, isBody: boolean): void {
    for (const statement of statements) {
      if (statement.type === 'VariableDeclaration') this.#declareVariables(statement, scope);
      else if (statement.type === 'FunctionDeclaration' && statement.id) this.#declare(statement.id, 'function', scope);
      else if (statement.type === 'ClassDeclaration' && statement.id) this.#declare(statement.id, 'const', scope);
      else if (isBody) this.#hoistVars(statement, scope);
    }
  }

  /** A `var` belongs to its function, however deeply it is nested. */
  #hoistVars(node: AnyNode, scope: NameScope): void {
    if (
      node.type === 'FunctionExpression' ||
      node.type === 'ArrowFunctionExpression' ||
      node.type === 'FunctionDeclaration'
    )
      return;
    if (node.type === 'VariableDeclaration') {
      if (node.kind === 'var') this.#declareVariables(node, scope);
      return;
    }
    if (
      (node.type === 'ForInStatement' || node.type === 'ForOfStatement') &&
      node.left.type === 'VariableDeclaration'
    ) {
      if (node.left.kind === 'var') this.#declareVariables(node.left, scope, true);
      this.#hoistVars(node.body, scope);
      return;
    }
    // Only statements declare a `var`, and only functions in expressions contain any.
    if (node.type.endsWith('Expression') || node.type === 'ExpressionStatement') return;
    for (const child of childrenOf(node)) this.#hoistVars(child, scope);
  }

  /** `given`: the enclosing statement assigns the names. */
  #declareVariables(node: VariableDeclaration, scope: NameScope, given = false): void {
    let owner = scope;
    if (node.kind === 'var') while (!owner.isFunction && owner.parent !== undefined) owner = owner.parent;
    for (const { id, init } of node.declarations) {
      this.#declarePattern(
        id,
        node.kind === 'const' ? 'const' : 'variable',
        owner,
        !init && !given && node.kind !== 'const',
      );
    }
  }

  #declarePattern(pattern: Pattern, kind: Declaration['kind'], scope: NameScope, open = false): void {
    for (const name of patternNames(pattern)) this.#declare(name, kind, scope, open);
  }

  #declare(node: Identifier, kind: Declaration['kind'], scope: NameScope, open = false): void {
    const known = scope.names.get(node.name);
    if (known !== undefined) {
      // A second `var` of one name in one function is an assignment to the first; a hoisted one is
      // met twice.
      if (this.#declarations.get(node) !== known && (known.kind === 'variable' || known.kind === 'param'))
        known.assigned = true;
      this.#declarations.set(node, known);
      return;
    }
    const declaration: Declaration = { name: node.name, kind, assigned: open };
    scope.names.set(node.name, declaration);
    this.#declarations.set(node, declaration);
  }
}

interface NameScope {
  readonly names: Map<string, Declaration>;
  readonly parent: NameScope | undefined;
  readonly isFunction: boolean;
}

function nested(parent: NameScope): NameScope {
  return { names: new Map(), parent, isFunction: false };
}

function lookUp(name: string, scope: NameScope): Declaration | undefined {
  for (let at: NameScope | undefined = scope; at !== undefined; at = at.parent) {
    const declaration = at.names.get(name);
    if (declaration !== undefined) return declaration;
  }
  return undefined;
}
