import { field, type Span } from '@nccl-ts/ir';
import { paramIrType } from './param.ts';
import type { HandleParam } from '../author/param-type.ts';
import { listed } from '../diagnose/diagnostic.ts';
import { callReports } from '../diagnose/call-reports.ts';
import { inserted } from '../diagnose/repairs.ts';
import { waitReports } from '../diagnose/wait-reports.ts';
import { methodOperand, paramOperand } from './call-device-fn.ts';
import { coopMember, coopMembers, customCoopMember, isCustomCoop } from './coop.ts';
import type { Lowering } from './lowering.ts';
import { pointerMember, pointerOf, reportUnknownPointerMember } from './memory.ts';
import { describe, poison, type Operand, type ValueOperand } from './operand.ts';
import { readCell } from './variable.ts';

/** Lowers `operand.name`. */
export function memberOf(l: Lowering, operand: Operand, name: string, span: Span): Operand {
  switch (operand.kind) {
    case 'poison':
      return poison;
    case 'record': {
      const box = operand.cells?.get(name);
      if (box !== undefined) return readCell(box.cell) ?? poison;
      const member =
        operand.members.get(name) ?? (isCustomCoop(operand) ? customCoopMember(l, operand, name) : undefined);
      if (member !== undefined) return member;
      if (isCustomCoop(operand) && coopMembers.includes(name)) return l.report(waitReports.customGroup(span, name));
      const method = operand.struct && methodOperand(l, operand.struct, operand, name, span);
      if (method !== undefined) return method;
      const known = [
        ...operand.members.keys(),
        ...(operand.cells?.keys() ?? []),
        ...Object.keys(operand.struct?.methods ?? {}),
      ];
      const advice = operand.name.startsWith('the first parameter of ')
        ? `if it is imported, pass it through \`use\`: kernel({ use: { ${name} }, ... }, ...); built in are ${listed(known)}`
        : undefined;
      return l.report(callReports.unknownMember(span, describe(operand), name, known, advice));
    }
    case 'function': {
      const advice = `a function has no members; call it for its result: ${operand.name}().${name}`;
      const dot = l.sources[span.source]?.text.lastIndexOf('.', span.start) ?? -1;
      const call = dot < 0 ? undefined : inserted({ ...span, start: dot }, '()', `Call ${operand.name}.`);
      return l.report(callReports.unknownMember(span, describe(operand), name, [], advice, call));
    }
    case 'coop':
      return (
        coopMember(l, operand.coop, name) ??
        l.report(callReports.unknownMember(span, 'a thread group', name, coopMembers))
      );
    case 'session':
      return (
        operand.members.get(name) ??
        l.report(callReports.unknownMember(span, `session '${operand.name}'`, name, [...operand.members.keys()]))
      );
    case 'value': {
      const pointer = pointerOf(operand);
      if (pointer !== undefined) return pointerMember(l, pointer, name) ?? reportUnknownPointerMember(l, span, name);
      if (operand.handle !== undefined) return handleMember(l, operand, operand.handle, name, span);
      return l.report(callReports.unknownMember(span, `a value of type ${describe(operand)}`, name, []));
    }
    default:
      return l.report(callReports.unknownMember(span, describe(operand), name, []));
  }
}

function handleMember(l: Lowering, operand: ValueOperand, handle: HandleParam, name: string, span: Span): Operand {
  const type = Object.hasOwn(handle.fields, name) ? handle.fields[name] : undefined;
  if (type !== undefined) {
    return paramOperand(type, name, (path, leaf) => field(operand.value, path, paramIrType(leaf), span));
  }
  return (
    methodOperand(l, handle, operand, name, span) ??
    l.report(
      callReports.unknownMember(span, `a ${handle.handle}`, name, [
        ...Object.keys(handle.fields),
        ...Object.keys(handle.methods),
      ]),
    )
  );
}
