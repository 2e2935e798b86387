import type { ScalarKind } from '@nccl-ts/core';
import { readLocals, type LoadStatement, type WantedWord } from '@nccl-ts/ir';
import { emitOne } from '../emit-shared/emit-expression.ts';
import { statementScope, type EmitScope } from '../emit-shared/scope.ts';

/**
 * Adds statements that report the wait's condition on each of its words to the watch, if it has
 * `asked`, in the order of its loads.
 */
export function emitWants(scope: EmitScope, words: readonly WantedWord[] | undefined): void {
  // If a wait waits for nothing, it does not matter which words it reads.
  const isWait = words?.some(({ conditions }) => conditions?.length !== 0) === true;
  const guarding = new Set((words ?? []).flatMap(({ guards }) => guards.flatMap((guard) => [...readLocals(guard)])));
  const wanted = (words ?? []).flatMap(({ load, guards, conditions, isUsedAfter }) => {
    const inner: EmitScope = { ...statementScope(scope, guards), code: [] };
    const held = guards.map((guard) => emitOne(guard, inner));
    const isFree = conditions?.length === 0 && !(isWait && guarding.has(load.local));
    const wants = `cta.watch.wants(${isFree ? "'any'" : acceptsText(scope, load, conditions)}, ${isUsedAfter});`;
    return held.length === 0 ? [wants] : ['{', ...inner.code, `if (${held.join(' && ')}) ${wants}`, '}'];
  });
  if (wanted.length > 0) scope.code.push('if (asked) {', ...wanted, '}');
}

/** By type of a word: the text of its value, from its `bits`. */
const valueTexts: Readonly<Partial<Record<ScalarKind, string>>> = {
  u32: 'Number(bits)',
  i32: 'Number(BigInt.asIntN(32, bits))',
  u64: 'bits',
  i64: 'BigInt.asIntN(64, bits)',
};

/** Returns a function of a word's bits that is true if they let the wait pass. */
function acceptsText(
  scope: EmitScope,
  { local, pointer }: LoadStatement,
  conditions: WantedWord['conditions'],
): string {
  const element = pointer.type.kind === 'pointer' ? pointer.type.element : undefined;
  const value = element?.kind === 'scalar' ? valueTexts[element.scalar] : undefined;
  if (conditions === undefined || value === undefined) return 'undefined';
  const inner: EmitScope = {
    ...statementScope(scope, conditions),
    code: [],
    local: (id) => (id === local ? ['given'] : scope.local(id)),
  };
  const held = conditions.map((condition) => emitOne(condition, inner));
  return `(bits) => { const given = ${value}; ${inner.code.join(' ')} return ${held.length === 0 ? 'true' : held.join(' && ')}; }`;
}
