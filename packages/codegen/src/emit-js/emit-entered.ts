import { NcclError } from '@nccl-ts/core';
import { isControl, walkBody, type Body, type ControlStatement, type LoopStatement, type Statement } from '@nccl-ts/ir';

import { emitOne } from '../emit-shared/emit-expression.ts';
import { holdsPoint, type PausePoint } from '../emit-shared/pausing.ts';
import { branchScope, statementScope, type EmitScope } from '../emit-shared/scope.ts';

type Points = ReadonlyMap<LoopStatement, PausePoint>;

/** Writes the code that needs no special treatment after a pause. */
interface BodyEmitter {
  emitBody(body: Body, scope: EmitScope): void;
  /** Counts a loop's rounds, and pauses in it. */
  countRound(loop: LoopStatement, scope: EmitScope): readonly string[];
}

/**
 * Emits one thread's code for `body` that continues after a pause. The variable `enter` has the
 * number of the point at which it continues, and is 0 afterwards. Statements before that point are
 * left out.
 */
export function emitEntered(body: Body, scope: EmitScope, points: Points, writer: BodyEmitter): void {
  if (!body.some((s) => holdsPoint(s, points))) {
    writer.emitBody(body, { ...scope, entry: undefined });
    return;
  }
  let others: Statement[] = [];
  const flush = (): void => {
    if (others.length === 0) return;
    const inner = { ...branchScope(scope), entry: undefined };
    writer.emitBody(others, inner);
    if (inner.code.length > 0) scope.code.push('if (enter === 0) {', ...inner.code, '}');
    others = [];
  };
  for (const s of body) {
    if (!isControl(s) || !holdsPoint(s, points)) {
      others.push(s);
      continue;
    }
    flush();
    emitPausable(s, scope, points, writer);
  }
  flush();
}

function emitPausable(s: ControlStatement, scope: EmitScope, points: Points, writer: BodyEmitter): void {
  switch (s.kind) {
    case 'loop':
      loop(s, scope, points, writer);
      return;
    case 'if': {
      const number = scope.fn.counter++;
      const inner = { ...statementScope(branchScope(scope), [s.condition]), span: s.span, entry: undefined };
      const condition = emitOne(s.condition, inner);
      const inThen = numbersIn(s.then, points).map((point) => `enter === ${point}`);
      scope.code.push(
        `let go${number} = ${inThen.length === 0 ? 'false' : inThen.join(' || ')};`,
        'if (enter === 0) {',
        ...inner.code,
        `go${number} = ${condition};`,
        '}',
        `if (go${number}) {`,
        ...inside(s.then, scope, writer),
        '} else {',
        ...inside(s.else, scope, writer),
        '}',
      );
      return;
    }
    case 'block':
      scope.code.push(`block${s.label}: {`, ...inside(s.body, scope, writer), '}');
      return;
    case 'call':
      writer.emitBody(s.body ?? [], scope);
      return;
    case 'break':
    case 'continue':
    case 'leave':
    case 'return':
      throw new NcclError('NCCL_INTERNAL_ERROR', `A '${s.kind}' contains no loop.`);
  }
}

function inside(
  body: Body,
  scope: EmitScope,
  writer: BodyEmitter,
  jumps: EmitScope['jumps'] = scope.jumps,
): readonly string[] {
  const inner = { ...branchScope(scope), jumps };
  writer.emitBody(body, inner);
  return inner.code;
}

function numbersIn(body: Body, points: Points): readonly number[] {
  const numbers: number[] = [];
  walkBody(body, {
    statement: (s) => {
      const point = s.kind === 'loop' ? points.get(s) : undefined;
      if (point !== undefined) numbers.push(point.number);
    },
  });
  return numbers;
}

function loop(s: LoopStatement, scope: EmitScope, points: Points, writer: BodyEmitter): void {
  const point = points.get(s);
  if (point !== undefined && !s.body.some((inner) => holdsPoint(inner, points))) {
    // To continue at its head is to start it again.
    const again = inside([s], { ...scope, entry: undefined, loops: 1 }, writer);
    scope.code.push(`if (enter === ${point.number}) enter = 0;`, 'if (enter === 0) {', ...again, '}');
    return;
  }
  const number = scope.fn.counter++;
  const jumps = { ...scope.jumps, break: `break loop${number};`, continue: `break body${number};` };
  const head = { ...branchScope(scope), entry: undefined };
  if (s.condition !== undefined) {
    const condition = emitOne(s.condition, { ...statementScope(head, [s.condition]), span: s.span });
    head.code.push(`if (!${condition}) break loop${number};`);
  }
  if (point !== undefined) head.code.push(...writer.countRound(s, scope));
  // A loop before the point has ended.
  const isHere = ['enter === 0', ...numbersIn([s], points).map((one) => `enter === ${one}`)].join(' || ');
  scope.code.push(`if (${isHere}) loop${number}: for (;;) {`, 'if (enter === 0) {', ...head.code, '}');
  if (point !== undefined) scope.code.push(`if (enter === ${point.number}) enter = 0;`);
  const body = inside(s.body, { ...scope, loops: 1 }, writer, jumps);
  scope.code.push(`body${number}: {`, ...body, '}');
  scope.code.push(...inside(s.update, { ...scope, entry: undefined }, writer, jumps), '}');
}
