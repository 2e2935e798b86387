import type {
  AnyNode,
  CallExpression,
  Function as FunctionNode,
  Identifier,
  Pattern,
  VariableDeclaration,
} from 'acorn';
import { keepNamesCallees } from './keep-names.ts';

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
  const of = new Map<Identifier, Declaration>();
  const free: Identifier[] = [];
  const calls: CallExpression[] = [];
  visit(root, { names: new Map(), parent: undefined, isFunction: true });
  const keepNames = keepNamesCallees(calls, free, (name) => of.get(name)?.kind === 'function');
  const called = new Set(calls.flatMap(({ callee }) => (callee.type === 'Identifier' ? [callee] : [])));
  return { of, free: free.filter((name) => !keepNames.has(name)), keepNames, called };

  function visit(node: AnyNode, scope: Scope): void {
    switch (node.type) {
      case 'Identifier':
        refer(node, scope, false);
        return;
      case 'MemberExpression':
        visit(node.object, scope);
        if (node.computed) visit(node.property, scope);
        return;
      case 'Property':
      case 'MethodDefinition':
      case 'PropertyDefinition':
        if (node.computed) visit(node.key, scope);
        if (node.value) visit(node.value, scope);
        return;
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        visitFunction(node, scope);
        return;
      case 'VariableDeclaration':
        for (const { id, init } of node.declarations) {
          visitPattern(id, scope);
          if (init) visit(init, scope);
        }
        return;
      case 'BlockStatement':
      case 'SwitchStatement': {
        const inner = nested(scope);
        hoist(node.type === 'BlockStatement' ? node.body : node.cases.flatMap((c) => c.consequent), inner, false);
        visitChildren(node, inner);
        return;
      }
      case 'ForStatement':
      case 'ForInStatement':
      case 'ForOfStatement': {
        const inner = nested(scope);
        const head = node.type === 'ForStatement' ? node.init : node.left;
        // A loop over values gives its variable a new value each round, so it is constant within
        // the round.
        if (head?.type === 'VariableDeclaration') declareVariables(head, inner, node.type !== 'ForStatement');
        else if (head && node.type !== 'ForStatement') markAssigned(head, inner);
        visitChildren(node, inner);
        return;
      }
      case 'CatchClause': {
        const inner = nested(scope);
        if (node.param) declarePattern(node.param, 'variable', inner);
        visitChildren(node, inner);
        return;
      }
      case 'CallExpression':
        if (node.callee.type === 'Identifier') calls.push(node);
        visitChildren(node, scope);
        return;
      case 'AssignmentExpression':
        markAssigned(node.left, scope);
        visit(node.left, scope);
        visit(node.right, scope);
        return;
      case 'UpdateExpression':
        markAssigned(node.argument, scope);
        visit(node.argument, scope);
        return;
      case 'LabeledStatement':
        visit(node.body, scope);
        return;
      case 'BreakStatement':
      case 'ContinueStatement':
      case 'MetaProperty':
        return;
      default:
        visitChildren(node, scope);
    }
  }

  function visitFunction(node: FunctionNode & AnyNode, scope: Scope): void {
    const inner: Scope = { names: new Map(), parent: scope, isFunction: true };
    if (node.type === 'FunctionExpression' && node.id) declare(node.id, 'function', inner);
    for (const param of node.params) {
      declarePattern(param, 'param', inner);
      visitPattern(param, inner);
    }
    const body = node.body;
    if (body.type === 'BlockStatement') {
      hoist(body.body, inner, true);
      visitChildren(body, inner);
    } else visit(body, inner);
  }

  /**
   * Default values and computed keys inside a pattern are references; the names themselves are
   * already declared.
   */
  function visitPattern(pattern: Pattern, scope: Scope): void {
    switch (pattern.type) {
      case 'Identifier':
        refer(pattern, scope, false);
        return;
      case 'ObjectPattern':
        for (const property of pattern.properties) {
          if (property.type === 'RestElement') visitPattern(property.argument, scope);
          else {
            if (property.computed) visit(property.key, scope);
            visitPattern(property.value, scope);
          }
        }
        return;
      case 'ArrayPattern':
        for (const element of pattern.elements) if (element) visitPattern(element, scope);
        return;
      case 'RestElement':
        visitPattern(pattern.argument, scope);
        return;
      case 'AssignmentPattern':
        visitPattern(pattern.left, scope);
        visit(pattern.right, scope);
        return;
      case 'MemberExpression':
        visit(pattern, scope);
        return;
    }
  }

  function visitChildren(node: AnyNode, scope: Scope): void {
    for (const child of Object.values(node)) {
      if (Array.isArray(child)) {
        for (const item of child) if (isNode(item)) visit(item, scope);
      } else if (isNode(child)) visit(child, scope);
    }
  }

  function refer(node: Identifier, scope: Scope, assigned: boolean): void {
    for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) {
      const declaration = at.names.get(node.name);
      if (declaration !== undefined) {
        of.set(node, declaration);
        // A constant remains constant: an assignment to it is reported at the assignment.
        if (assigned && declaration.kind !== 'const') declaration.assigned = true;
        return;
      }
    }
    if (!assigned) free.push(node);
  }

  function markAssigned(target: AnyNode, scope: Scope): void {
    switch (target.type) {
      case 'Identifier':
        refer(target, scope, true);
        return;
      case 'ObjectPattern':
        for (const property of target.properties) {
          markAssigned(property.type === 'RestElement' ? property.argument : property.value, scope);
        }
        return;
      case 'ArrayPattern':
        for (const element of target.elements) if (element) markAssigned(element, scope);
        return;
      case 'AssignmentPattern':
        markAssigned(target.left, scope);
        return;
      case 'RestElement':
        markAssigned(target.argument, scope);
        return;
      default:
    }
  }

  /**
   * Declares the names of a block's statements, before any of them is visited. The body of a
   * function also declares the `var`s of all its blocks.
   */
  function hoist(statements: readonly AnyNode[], scope: Scope, isBody: boolean): void {
    for (const statement of statements) {
      if (statement.type === 'VariableDeclaration') declareVariables(statement, scope);
      else if (statement.type === 'FunctionDeclaration' && statement.id) declare(statement.id, 'function', scope);
      else if (statement.type === 'ClassDeclaration' && statement.id) declare(statement.id, 'const', scope);
      else if (isBody) hoistVars(statement, scope);
    }
  }

  /** A `var` belongs to its function, however deeply it is nested. */
  function hoistVars(node: AnyNode, scope: Scope): void {
    if (
      node.type === 'FunctionExpression' ||
      node.type === 'ArrowFunctionExpression' ||
      node.type === 'FunctionDeclaration'
    )
      return;
    if (node.type === 'VariableDeclaration') {
      if (node.kind === 'var') declareVariables(node, scope);
      return;
    }
    if (
      (node.type === 'ForInStatement' || node.type === 'ForOfStatement') &&
      node.left.type === 'VariableDeclaration'
    ) {
      if (node.left.kind === 'var') declareVariables(node.left, scope, true);
      hoistVars(node.body, scope);
      return;
    }
    // Only statements declare a `var`, and only functions in expressions contain any.
    if (node.type.endsWith('Expression') || node.type === 'ExpressionStatement') return;
    for (const child of Object.values(node)) {
      if (Array.isArray(child)) {
        for (const item of child) if (isNode(item)) hoistVars(item, scope);
      } else if (isNode(child)) hoistVars(child, scope);
    }
  }

  /** `given`: the enclosing statement assigns the names. */
  function declareVariables(node: VariableDeclaration, scope: Scope, given = false): void {
    let owner = scope;
    if (node.kind === 'var') while (!owner.isFunction && owner.parent !== undefined) owner = owner.parent;
    for (const { id, init } of node.declarations) {
      declarePattern(id, node.kind === 'const' ? 'const' : 'variable', owner, !init && !given && node.kind !== 'const');
    }
  }

  function declarePattern(pattern: Pattern, kind: Declaration['kind'], scope: Scope, open = false): void {
    switch (pattern.type) {
      case 'Identifier':
        declare(pattern, kind, scope, open);
        return;
      case 'ObjectPattern':
        for (const property of pattern.properties) {
          declarePattern(property.type === 'RestElement' ? property.argument : property.value, kind, scope, open);
        }
        return;
      case 'ArrayPattern':
        for (const element of pattern.elements) if (element) declarePattern(element, kind, scope, open);
        return;
      case 'RestElement':
        declarePattern(pattern.argument, kind, scope, open);
        return;
      case 'AssignmentPattern':
        declarePattern(pattern.left, kind, scope, open);
        return;
      case 'MemberExpression':
    }
  }

  function declare(node: Identifier, kind: Declaration['kind'], scope: Scope, open = false): void {
    const known = scope.names.get(node.name);
    if (known !== undefined) {
      // A second `var` of one name in one function is an assignment to the first; a hoisted one is
      // met twice.
      if (of.get(node) !== known && (known.kind === 'variable' || known.kind === 'param')) known.assigned = true;
      of.set(node, known);
      return;
    }
    const declaration: Declaration = { name: node.name, kind, assigned: open };
    scope.names.set(node.name, declaration);
    of.set(node, declaration);
  }
}

interface Scope {
  readonly names: Map<string, Declaration>;
  readonly parent: Scope | undefined;
  readonly isFunction: boolean;
}

function nested(parent: Scope): Scope {
  return { names: new Map(), parent, isFunction: false };
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
