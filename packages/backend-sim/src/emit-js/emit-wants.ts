import type { ScalarKind } from '@nccl-ts/core';
import type { LoadStatement, WantedWord } from '@nccl-ts/ir';
import { emitOne } from './emit-expression.ts';
import { statementScope, type Scope } from './scope.ts';

/** Adds statements that tell the watch, where it has `asked`, what a wait wants of each of its words, in the order of its loads. */
export function emitWants(scope: Scope, words: readonly WantedWord[] | undefined): void {
  const wanted = (words ?? []).flatMap(({ load, guards, conditions, isKept }) => {
    const inner: Scope = { ...statementScope(scope, guards), code: [] };
    const held = guards.map((guard) => emitOne(guard, inner));
    const wants = `cta.watch.wants(${acceptsText(scope, load, conditions)}, ${isKept});`;
    return held.length === 0 ? [wants] : ['{', ...inner.code, `if (${held.join(' && ')}) ${wants}`, '}'];
  });
  if (wanted.length > 0) scope.code.push('if (asked) {', ...wanted, '}');
}

/** By type of a word: what it holds, of its `bits`. */
const valueTexts: Readonly<Partial<Record<ScalarKind, string>>> = {
  u32: 'Number(bits)',
  i32: 'Number(BigInt.asIntN(32, bits))',
  u64: 'bits',
  i64: 'BigInt.asIntN(64, bits)',
};

/** A function of the bits of a word: whether that lets the wait pass; `'any'` where all do. */
function acceptsText(scope: Scope, { local, pointer }: LoadStatement, conditions: WantedWord['conditions']): string {
  const element = pointer.type.kind === 'pointer' ? pointer.type.element : undefined;
  const value = element?.kind === 'scalar' ? valueTexts[element.scalar] : undefined;
  if (conditions === undefined || value === undefined) return 'undefined';
  const inner: Scope = {
    ...statementScope(scope, conditions),
    code: [],
    local: (id) => (id === local ? ['given'] : scope.local(id)),
  };
  const held = conditions.map((condition) => emitOne(condition, inner));
  if (held.every((one) => one === 'true')) return `'any'`;
  return `(bits) => { const given = ${value}; ${inner.code.join(' ')} return ${held.join(' && ')}; }`;
}
