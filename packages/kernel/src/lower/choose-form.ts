import type { Accept } from '../author/accept.ts';
import type { DeviceFn, OverloadForm } from '../author/device-fn.ts';
import { callReports } from '../diagnose/call-reports.ts';
import type { Lowering } from './lowering.ts';
import { isCustomCoop } from './coop.ts';
import { describe, type CallOperands, type Operand } from './operand.ts';

/**
 * Returns the first form whose parameters accept the kinds of the arguments, or `undefined` after a
 * report.
 */
export function chooseForm(
  l: Lowering,
  name: string,
  forms: readonly OverloadForm[],
  call: CallOperands,
): DeviceFn<unknown> | undefined {
  const chosen = forms.find((form) => takes(form, call));
  if (chosen !== undefined) return chosen.fn;
  const operands = call.args.map(({ operand }) => operand);
  // An error reported before may be the reason why no form fits.
  if (operands.some(({ kind }) => kind === 'poison')) return undefined;
  const usages = forms.map(({ params }) => `${name}(${Object.keys(params).join(', ')})`);
  l.report(callReports.noForm(call.span, name, operands.map(describe), usages));
  return undefined;
}

function takes({ params }: OverloadForm, call: CallOperands): boolean {
  const accepted = Object.entries(params);
  if (call.args.length > accepted.length) return false;
  return accepted.every(([param, accept], index) => {
    const operand = call.args[index]?.operand;
    if (operand === undefined || operand.kind === 'absent') return param.endsWith('?');
    return isOfKind(operand, accept);
  });
}

/** True if a parameter accepts the kind of an argument. The callee checks the value. */
function isOfKind(operand: Operand, accept: Accept): boolean {
  switch (accept.kind) {
    case 'type':
    case 'word':
    case 'function':
      return operand.kind === accept.kind;
    case 'coop':
      return operand.kind === 'coop' || isCustomCoop(operand);
    case 'options':
      return operand.kind === 'record' && operand.struct === undefined;
    case 'handle':
      return operand.kind === 'value' && operand.handle?.handle === accept.handle;
    case 'struct':
      return operand.kind === 'record' && operand.struct?.struct === accept.struct;
    case 'pointer':
    case 'anyPointer':
    case 'pointerTo':
      return operand.kind === 'value' && operand.value.type.kind === 'pointer';
    case 'scalar':
    case 'vector':
    case 'constant':
    case 'anyInteger':
    case 'element':
    case 'anyValue':
      return isNumber(operand);
  }
}

function isNumber(operand: Operand): boolean {
  if (operand.kind === 'literal' || operand.kind === 'choice') return true;
  if (operand.kind !== 'value') return false;
  const { kind } = operand.value.type;
  return kind === 'scalar' || kind === 'vector';
}
