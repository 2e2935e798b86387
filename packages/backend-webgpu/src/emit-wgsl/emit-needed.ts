import { neededOf, type Expression, type LocalId, type Needed } from '@nccl-ts/ir';
import type { WgslExplanation } from '../wgsl-source.ts';
import type { WgslEmitContext } from './context.ts';
import { bitWords } from './emit-collective.ts';
import { emitExpression } from './emit-expression.ts';

type NeedText = WgslExplanation['needs'][number];

/**
 * Emits the awaited values of `condition`: the values as bits, and the words around them into
 * `needs`.
 */
export function emitNeeded(
  condition: Expression,
  loaded: ReadonlySet<LocalId>,
  c: WgslEmitContext,
  needs: NeedText[],
): void {
  emit(neededOf(condition, loaded), c, needs);
}

function emit(needed: Needed, c: WgslEmitContext, needs: NeedText[]): void {
  switch (needed.kind) {
    case 'and':
      c.choose(
        `!${emitExpression(needed.left, c)}`,
        () => emit(needed.first, c, needs),
        () => emit(needed.second, c, needs),
      );
      return;
    case 'or':
      emit(needed.first, c, needs);
      emit(needed.second, c, needs);
      return;
    case 'value': {
      const { before, value, after } = needed;
      note({ before, type: value.type, after }, bitWords(value.type, emitExpression(value, c), c), c, needs);
      return;
    }
    case 'true':
      note({ before: 'true', type: undefined, after: '' }, [], c, needs);
  }
}

function note(need: NeedText, words: readonly string[], c: WgslEmitContext, needs: NeedText[]): void {
  const number = needs.push(need) - 1;
  c.line(`nts_note_need(${number}u, ${words[0] ?? '0u'}, ${words[1] ?? '0u'});`);
}
