import {
  assignedLocals,
  binary,
  constant,
  expressionChildren,
  local,
  mapBody,
  mapExpression,
  readLocals,
  scalarType,
  statementExpressions,
  substituteLocals,
  walkBody,
  walkExpression,
  type Expression,
  type ExpressionKind,
  type Statement,
  type StatementKind,
} from '@nccl-ts/ir';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { moduleArbitrary } from './support/module-arbitrary.ts';
import { kernel } from './support/parse.ts';

/** Every object below `root`, found without knowledge of its type. */
function objectsIn(root: unknown, found: Set<object> = new Set()): Set<object> {
  if (typeof root !== 'object' || root === null || found.has(root)) return found;
  found.add(root);
  for (const value of Object.values(root)) objectsIn(value, found);
  return found;
}

// A static of kind `type` has a type too, but is no expression.
const isExpression = (node: object): boolean => 'kind' in node && 'type' in node && node.kind !== 'type';

describe('walks', () => {
  it('reach every expression and statement once', () => {
    const seenExpressions = new Set<ExpressionKind>();
    const seenStatements = new Set<StatementKind>();
    fc.assert(
      fc.property(moduleArbitrary(), (module) => {
        const expressions: Expression[] = [];
        const statements: Statement[] = [];
        walkBody(module.body, {
          expression: (e) => {
            expressions.push(e);
            seenExpressions.add(e.kind);
          },
          statement: (s) => {
            statements.push(s);
            seenStatements.add(s.kind);
          },
        });
        const objects = objectsIn(module.body);
        const reachable = [...objects].filter(isExpression);
        expect(new Set(expressions)).toEqual(new Set(reachable));
        expect(new Set(expressions).size).toBe(expressions.length);
        expect(statements.every((s) => objects.has(s))).toBe(true);
      }),
      { seed: 1, numRuns: 300 },
    );
    // The generator makes every kind of node, so a test with it covers all kinds.
    expect([...seenExpressions].toSorted()).toEqual([
      'array',
      'binary',
      'bitcast',
      'builtin',
      'compare',
      'constant',
      'convert',
      'field',
      'intrinsic',
      'lane',
      'local',
      'logical',
      'math',
      'multicastPointer',
      'multicastSize',
      'param',
      'pointerCast',
      'pointerOffset',
      'select',
      'unary',
      'unicastPointer',
      'vector',
      'windowPointer',
      'withLane',
    ]);
    expect([...seenStatements].toSorted()).toEqual([
      'assert',
      'assign',
      'atomic',
      'block',
      'break',
      'call',
      'clock',
      'collective',
      'continue',
      'fence',
      'fenceProxy',
      'if',
      'leave',
      'load',
      'loop',
      'print',
      'return',
      'store',
      'sync',
      'wait',
      'waitAll',
    ]);
  });

  it('skip the children that the visitor declines', () => {
    const { body } = kernel('if %4 { %0 = (%0 + 1:u32) } %1 = 2:u32');
    const kinds: string[] = [];
    walkBody(body, {
      statement: (s) => {
        kinds.push(s.kind);
        return s.kind !== 'if';
      },
      expression: (e) => {
        kinds.push(e.kind);
      },
    });
    expect(kinds).toEqual(['if', 'assign', 'constant']);
  });

  it('visit a shared node only once', () => {
    let e: Expression = local(0, scalarType('u32'));
    for (let i = 0; i < 60; i++) e = binary('add', e, e);
    let count = 0;
    walkExpression(e, () => {
      count++;
    });
    expect(count).toBe(61);
  });
});

describe('maps', () => {
  it('copy every field when everything is rebuilt', () => {
    fc.assert(
      fc.property(moduleArbitrary(), (module) => {
        const copy = mapBody(module.body, { expression: (e) => ({ ...e }), statement: (s) => ({ ...s }) });
        expect(copy).toStrictEqual(module.body);
        const before = objectsIn(module.body);
        walkBody(copy, {
          expression: (e) => {
            expect(before.has(e)).toBe(false);
          },
          statement: (s) => {
            expect(before.has(s)).toBe(false);
          },
        });
      }),
      { seed: 2, numRuns: 150 },
    );
  });

  it('return the same object when nothing changes', () => {
    fc.assert(
      fc.property(moduleArbitrary(), (module) => {
        expect(mapBody(module.body, {})).toBe(module.body);
        expect(mapBody(module.body, { expression: (e) => e, target: (id) => id, statement: (s) => s })).toBe(
          module.body,
        );
      }),
      { seed: 3, numRuns: 100 },
    );
  });

  it('rename every local, whether it is read or set', () => {
    fc.assert(
      fc.property(moduleArbitrary(), (module) => {
        const renamed = mapBody(module.body, {
          expression: (e) => (e.kind === 'local' ? { ...e, local: e.local + 1000 } : e),
          target: (id) => id + 1000,
        });
        for (const node of objectsIn(renamed)) {
          if ('local' in node) expect(node.local).toBeGreaterThanOrEqual(1000);
          if ('kind' in node && node.kind === 'waitAll' && 'index' in node)
            expect(node.index).toBeGreaterThanOrEqual(1000);
        }
      }),
      { seed: 4, numRuns: 100 },
    );
  });

  it('keep shared nodes shared', () => {
    const shared = binary('add', local(0, scalarType('u32')), constant('u32', 1));
    const mapped = mapExpression(binary('mul', shared, shared), (e) => (e.kind === 'local' ? { ...e, local: 7 } : e));
    const [left, right] = expressionChildren(mapped);
    expect(left).toBe(right);
    expect(left && readLocals(left)).toEqual(new Set([7]));
  });

  it('drop and splice statements', () => {
    const { body } = kernel('%0 = 1:u32 return %1 = 2:u32');
    const mapped = mapBody(body, { statement: (s) => (s.kind === 'return' ? [] : s.kind === 'assign' ? [s, s] : s) });
    expect(mapped.map((s) => s.kind)).toEqual(['assign', 'assign', 'assign', 'assign']);
  });
});

describe('locals', () => {
  it('that are read or set are listed', () => {
    const { body } = kernel(`
      %0 = select(%4, %1, 1:u32)
      loop while (%0 < 4:u32) { %2 = load ($2 +> %0) } update { %0 = (%0 + 1:u32) }
      waitAll lanes(%1) %1 < %0 { %5 = 1n:u64 } until (%5 == 1n:u64)`);
    const [first, loop, wait] = body;
    if (first === undefined || loop === undefined || wait === undefined) throw new Error('three statements');
    expect(statementExpressions(first).map(readLocals)).toEqual([new Set([4, 1])]);
    expect(assignedLocals([loop])).toEqual(new Set([0, 2]));
    expect(assignedLocals([wait])).toEqual(new Set([1, 5]));
    expect(statementExpressions(wait).map((e) => [...readLocals(e)])).toEqual([[1], [0], [5]]);
  });

  it('are substituted all at once', () => {
    const u32 = scalarType('u32');
    const [a, b] = [local(0, u32), local(1, u32)];
    const swapped = substituteLocals(binary('sub', a, b), (id) => (id === 0 ? b : a));
    expect(swapped).toEqual(binary('sub', b, a));
  });
});
