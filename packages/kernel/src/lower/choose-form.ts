import type { Accept } from '../author/accept.ts';
import type { OverloadForm } from '../author/device-fn.ts';
import { callReports } from '../diagnose/call-reports.ts';
import type { Lowering } from './lowering.ts';
import { isCustomCoop } from './coop.ts';
import { absent, describe, literalOperand, type Argument, type CallOperands, type Operand } from './operand.ts';

/**
 * Returns the first form whose parameters accept the kinds of the arguments, or `undefined` after a
 * report.
 */
export function chooseForm(
  l: Lowering,
  name: string,
  forms: readonly OverloadForm[],
  call: CallOperands,
): OverloadForm | undefined {
  const chosen = forms.find((form) => takes(form, call));
  if (chosen !== undefined) return chosen;
  // An object stands for all arguments of the other form, so their number tells which was meant.
  const isChoiceOfStyle = forms.some(({ named }) => named !== undefined);
  const meant = forms.find((form) => form.named === undefined && takesCount(form, call.args.length));
  if (isChoiceOfStyle && meant !== undefined) return meant;
  const operands = call.args.map(({ operand }) => operand);
  // An error reported before may be the reason why no form fits.
  if (operands.some(({ kind }) => kind === 'poison')) return undefined;
  const usages = forms.map(({ params }) => `${name}(${Object.keys(params).join(', ')})`);
  l.report(callReports.noForm(call.span, name, operands.map(describe), usages));
  return undefined;
}

function takesCount({ params }: OverloadForm, count: number): boolean {
  const names = Object.keys(params);
  return count <= names.length && count >= names.filter((name) => !name.endsWith('?')).length;
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

/**
 * The call of `form.fn` with the arguments in their order, if the call gives them as an object's
 * members. `undefined` after a report.
 */
export function inOrder(l: Lowering, name: string, form: OverloadForm, call: CallOperands): CallOperands | undefined {
  const { fn, named: defaults } = form;
  const last = call.args.at(-1);
  if (defaults === undefined || fn.role.kind !== 'intrinsic' || last?.operand.kind !== 'record') return call;
  const { members, memberSpans } = last.operand;
  const before = call.args.slice(0, -1);
  const params = Object.keys(fn.role.signature.params).slice(before.length);
  const names = params.map((param) => param.replace(/\?$/, ''));
  const unknown = [...members.keys()].filter((member) => !names.includes(member));
  for (const member of unknown) {
    l.report(callReports.unknownOption(memberSpans?.get(member)?.name ?? last.span, name, member, names));
  }
  const missing = params.filter(
    (param) => !param.endsWith('?') && !Object.hasOwn(defaults, param) && !members.has(param),
  );
  for (const member of missing) l.report(callReports.missingMember(last.span, name, member));
  if (unknown.length + missing.length > 0) return undefined;
  const args = names.map((member): Argument => {
    const given = members.get(member);
    const value = Object.hasOwn(defaults, member) ? defaults[member] : undefined;
    if (given === undefined && value !== undefined) return { operand: literalOperand(value), span: last.span };
    return { operand: given ?? absent, span: memberSpans?.get(member)?.value ?? last.span };
  });
  return { ...call, args: [...before, ...args] };
}
