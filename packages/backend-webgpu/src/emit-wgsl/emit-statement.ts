import { NcclError } from '@nccl-ts/core';
import {
  dispatchStatement,
  isCounted,
  statementBodies,
  valueBytes,
  type Body,
  type Expression,
  type LocalId,
  type LoopStatement,
  type Statement,
  type StatementTable,
  type ValueType,
} from '@nccl-ts/ir';
import { atomicText } from './atomics.ts';
import type { WgslEmitContext } from './context.ts';
import { soloCollective } from './emit-collective.ts';
import { emitExpression } from './emit-expression.ts';
import type { MemorySpace } from './memory.ts';
import { emitPrint } from './print.ts';
import { packed, unpacked } from './vectors.ts';

/** Emits statements that run in one thread without synchronization. */
export function emitBody(body: Body, c: WgslEmitContext): void {
  for (const statement of body) {
    c.span = statement.span;
    dispatchStatement(table, statement, c);
  }
}

export function assign(id: LocalId, value: string, c: WgslEmitContext): void {
  c.line(`${c.local(id)} = ${value};`);
}

/** Returns the type and location to which a pointer points. */
export function target(
  pointer: Expression,
  c: WgslEmitContext,
): { readonly element: ValueType; readonly space: MemorySpace } {
  const { type } = pointer;
  if (type.kind !== 'pointer') throw new NcclError('NCCL_INTERNAL_ERROR', 'An access must use a pointer.');
  if (type.space !== 'global') return { element: type.element, space: type.space };
  const origins = c.facts.origins.of(pointer);
  const space = origins.has('resources') ? (origins.has('heap') ? 'any' : 'resources') : 'heap';
  return { element: type.element, space };
}

function jumpless(what: string): never {
  throw new NcclError('NCCL_INTERNAL_ERROR', `A ${what} is outside of any construct.`);
}

function emitLoop(s: LoopStatement, c: WgslEmitContext): void {
  const { jumps } = c;
  if (jumps === undefined) return jumpless('loop');
  const updateJumps = s.update.some(containsJump);
  const first = updateJumps ? c.temporary() : undefined;
  if (first !== undefined) c.line(`var ${first} = true;`);
  jumps.construct('loop', undefined, c.writer, () => {
    c.block('loop {', () => {
      // WGSL does not allow jumps in `continuing`.
      if (first !== undefined) {
        c.block(`if (!${first}) {`, () => emitBody(s.update, c));
        c.line(`${first} = false;`);
      }
      if (!isCounted(s)) {
        c.used.fuel = true;
        c.line(`if (nts_burn()) { nts_fault(${c.site('loop', s.span)}u, nts_out_of_fuel); break; }`);
      }
      if (s.condition !== undefined) c.line(`if (!${emitExpression(s.condition, c)}) { break; }`);
      emitBody(s.body, c);
      if (first === undefined && s.update.length > 0) c.block('continuing {', () => emitBody(s.update, c));
    });
  });
}

function containsJump(s: Statement): boolean {
  if (s.kind === 'break' || s.kind === 'continue' || s.kind === 'leave' || s.kind === 'return') return true;
  return statementBodies(s).some((body) => body.some(containsJump));
}

function uncut(s: Statement): never {
  throw new NcclError('NCCL_INTERNAL_ERROR', `A ${s.kind} is in code without a cut.`);
}

const table: StatementTable<WgslEmitContext, void> = {
  assign: (s, c) => assign(s.local, emitExpression(s.value, c), c),
  load: (s, c) => {
    const { element, space } = target(s.pointer, c);
    const site = c.site('load');
    const raw = `${c.memory.load(space, valueBytes(element))}(${emitExpression(s.pointer, c)}, ${site}u)`;
    assign(s.local, unpacked(element, raw, c), c);
    c.noteLoad?.(s);
  },
  store: (s, c) => {
    const { element, space } = target(s.pointer, c);
    const site = c.site('store');
    const pointer = emitExpression(s.pointer, c);
    const bits = packed(element, emitExpression(s.value, c), c);
    c.line(`${c.memory.store(space, valueBytes(element))}(${pointer}, ${bits}, ${site}u);`);
  },
  atomic: (s, c) => {
    const { element, space } = target(s.pointer, c);
    if (element.kind !== 'scalar') throw new NcclError('NCCL_INTERNAL_ERROR', 'Vectors have no atomic operations.');
    const site = c.site('atomic');
    const parts = [s.pointer, ...(s.expected === undefined ? [] : [s.expected]), s.value];
    const args = parts.map((part) => emitExpression(part, c)).join(', ');
    const call = `${atomicText(s.op, element.scalar, space, c)}(${args}, ${site}u)`;
    if (s.local === undefined) c.line(`_ = ${call};`);
    else assign(s.local, call, c);
  },
  // Only the end of a dispatch orders memory between workgroups, and every wait is one.
  fence: () => undefined,
  fenceProxy: () => undefined,
  sync: (s) => {
    if (s.coop.kind !== 'tile' || s.coop.size !== 1) uncut(s);
  },
  wait: uncut,
  waitAll: uncut,
  collective: (s, c) => assign(s.local, soloCollective(s, c), c),
  if: (s, c) => {
    const condition = emitExpression(s.condition, c);
    const then = (): void => emitBody(s.then, c);
    const otherwise = (): void => emitBody(s.else, c);
    if (s.else.length === 0) c.block(`if (${condition}) {`, then);
    else if (s.then.length === 0) c.block(`if (!${condition}) {`, otherwise);
    else c.choose(condition, then, otherwise);
  },
  loop: emitLoop,
  break: (_s, c) => (c.jumps === undefined ? jumpless('break') : c.jumps.breakLoop(c.writer)),
  continue: (_s, c) => c.line('continue;'),
  block: (s, c) => {
    const { jumps } = c;
    if (jumps === undefined) return jumpless('block');
    jumps.construct('block', s.label, c.writer, () => {
      c.block('switch 0u { default: {', () => emitBody(s.body, c), '} }');
    });
  },
  leave: (s, c) => (c.jumps === undefined ? jumpless('leave') : c.jumps.leave(c.writer, s.label)),
  return: (_s, c) => {
    if (c.facts.partialReturns) c.line(`nts_gone${c.facts.threadsEach > 1 ? '[nts_k]' : ''} = true;`);
    c.line('return;');
  },
  assert: (s, c) => {
    if (s.contract) return;
    const condition = emitExpression(s.condition, c);
    c.line(`nts_fault(${c.site('assert', s.span, s.message)}u, select(nts_assert_failed, 0u, ${condition}));`);
  },
  print: emitPrint,
  approximate: () => undefined,
  clock: (s, c) => {
    c.used.clock = true;
    assign(s.local, 'nts_clock()', c);
  },
  call: (s) => {
    throw new NcclError('NCCL_INTERNAL_ERROR', `The call of ${s.name} was not expanded.`);
  },
};
