import { neededOf, type Expression, type LocalId, type Needed } from '@nccl-ts/ir';

import { emitOne } from '../emit-shared/emit-expression.ts';
import { branchScope, type EmitScope } from '../emit-shared/scope.ts';

/** Adds statements that set `needed` to a description of the values for which `condition` waits. */
export function emitNeeded(condition: Expression, loaded: ReadonlySet<LocalId>, scope: EmitScope): void {
  emit(neededOf(condition, loaded), scope);
}

function emit(needed: Needed, scope: EmitScope): void {
  switch (needed.kind) {
    case 'and': {
      const left = emitOne(needed.left, scope);
      const first = branchScope(scope);
      emit(needed.first, first);
      const second = branchScope(scope);
      emit(needed.second, second);
      scope.code.push(`if (!${left}) {`, ...first.code, '} else {', ...second.code, '}');
      return;
    }
    case 'or': {
      emit(needed.first, scope);
      const second = branchScope(scope);
      second.code.push('const first = needed;');
      emit(needed.second, second);
      scope.code.push('{', ...second.code, "needed = first + ' or ' + needed;", '}');
      return;
    }
    case 'value': {
      const parts = [
        ...(needed.before === '' ? [] : [`'${needed.before}'`]),
        `String(${emitOne(needed.value, scope)})`,
        ...(needed.after === '' ? [] : [`'${needed.after}'`]),
      ];
      scope.code.push(`needed = ${parts.join(' + ')};`);
      return;
    }
    case 'true':
      scope.code.push("needed = 'true';");
  }
}
