import {
  constant,
  local,
  pointerType,
  scalarType,
  param,
  validate,
  type Body,
  type Expression,
  type Local,
  type Module,
  type Span,
  type Statement,
  type Type,
} from '@nccl-ts/ir';
import type { FlowBlock, FlowEnd, FlowGraph, FreshNames } from '../../src/flow/flow-graph.ts';

/** Spans are numbered, so that tests can distinguish statements by them. */
export function spanAt(start: number): Span {
  return { source: 0, start, end: start + 1 };
}

const span = spanAt(0);
export const bool = scalarType('bool');
export const u32 = scalarType('u32');
export const u64 = scalarType('u64');

/** The locals of a module under construction, and the blocks of a graph. */
export class FlowBuilder implements FreshNames {
  readonly locals: Local[] = [];
  readonly blocks: FlowBlock[] = [];
  #labels = 0;

  local(name: string, type: Type, at: Span = span): number {
    return this.locals.push({ name, type, span: at }) - 1;
  }

  label(): number {
    return this.#labels++;
  }

  variable(name: string, type: Type): Extract<Expression, { readonly kind: 'local' }> {
    return local(this.local(name, type), type);
  }

  add(body: Body, end: FlowEnd): number {
    return this.blocks.push({ body, end }) - 1;
  }

  get graph(): FlowGraph {
    return { blocks: this.blocks };
  }

  module(body: Body): Module {
    return {
      name: 'flow',
      params: [
        { name: 'p', type: pointerType(u32, 'global') },
        { name: 'q', type: pointerType(u32, 'global') },
      ],
      locals: this.locals,
      arrays: [],
      body,
      sources: [{ name: 'flow', text: ' '.repeat(100) }],
    };
  }

  /** Throws if the IR rejects `body`. */
  checked(body: Body): Module {
    const module = this.module(body);
    const validation = validate(module, {
      backend: 'test',
      scalars: ['bool', 'u8', 'u16', 'u32', 'u64', 'i32', 'i64', 'f32', 'f64', 'addr'],
      maxBlockThreads: 1024,
      maxSharedBytes: 1 << 16,
      divergentWaits: true,
      subgroups: true,
      print: true,
      multimem: false,
      addressPointers: true,
      primitives: [],
    });
    if (!validation.ok) throw new Error(validation.diagnostics.map(({ message }) => message).join('\n'));
    return module;
  }
}

export const p = param(0, pointerType(u32, 'global'));
export const q = param(1, pointerType(u32, 'global'));

export const jump = (to: number): FlowEnd => ({ kind: 'jump', to, span });
export const branch = (condition: Expression, then: number, otherwise: number): FlowEnd => ({
  kind: 'branch',
  condition,
  then,
  else: otherwise,
  span,
});
export const choose = (index: Expression, ...targets: number[]): FlowEnd => ({ kind: 'switch', index, targets, span });
export const ends: FlowEnd = { kind: 'return', span };

export const number = (value: number): Expression => constant('u32', value);
export const says = (text: string): Statement => ({ kind: 'print', args: [text], span });
export const sets = (to: Expression, value: Expression): Statement => {
  if (to.kind !== 'local') throw new Error('only a local is set');
  return { kind: 'assign', local: to.local, value, span };
};
export const loads = (to: Expression, pointer: Expression = p, order?: 'relaxed' | 'acquire'): Statement => {
  if (to.kind !== 'local') throw new Error('only a local is loaded to');
  const access = order === undefined ? {} : { access: { order, scope: 'system' as const } };
  return { kind: 'load', local: to.local, pointer, span, ...access };
};
export const clocks = (to: Expression): Statement => {
  if (to.kind !== 'local') throw new Error('only a local takes the clock');
  return { kind: 'clock', local: to.local, span };
};
/** Returns unpredictable values, which can neither be folded nor be in a wait. */
export const draws = (to: Expression): Statement => {
  if (to.kind !== 'local') throw new Error('only a local is drawn to');
  const group = { kind: 'lanes', mask: constant('u32', 1) } as const;
  const op = to.type === bool ? 'any' : 'ballot';
  return { kind: 'collective', op, coop: group, local: to.local, value: constant('bool', true), span };
};
