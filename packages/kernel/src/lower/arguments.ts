import type { Span, ValueType } from '@nccl-ts/ir';
import { callReports } from '../diagnose/call-reports.ts';
import { usageOf } from '../diagnose/usage.ts';
import type { Lowering } from './lowering.ts';
import { absent, describe, type Argument, type CallOperands, type Operand } from './operand.ts';

/** Checks the number of arguments; reports a wrong number and returns `false`. */
export function checkCount(
  l: Lowering,
  name: string,
  call: CallOperands,
  least: number,
  most: number = least,
): boolean {
  const given = call.args.length;
  if (given >= least && given <= most) return true;
  const allowed =
    least === most ? counted(least) : most === Infinity ? `at least ${counted(least)}` : `${least} to ${counted(most)}`;
  l.report(callReports.argumentCount(call.span, name, given, allowed, usageOf(name)));
  return false;
}

/** `1 argument`, `2 arguments`. */
function counted(count: number): string {
  return count === 1 ? '1 argument' : `${count} arguments`;
}

/** Returns argument number `index`, or `absent` with the span of the call if there is none. */
export function argument(call: CallOperands, index: number): Argument {
  return call.args[index] ?? { operand: absent, span: call.span };
}

/**
 * Returns the argument if it is one of `words`, or `otherwise` if it is not given. Reports any
 * other value and returns `undefined`.
 */
export function wordArgument<W extends string>(
  l: Lowering,
  name: string,
  param: string,
  { operand, span }: Argument,
  words: readonly W[],
  otherwise?: W,
): W | undefined {
  if (operand.kind === 'poison') return undefined;
  if (operand.kind === 'absent' && otherwise !== undefined) return otherwise;
  if (operand.kind !== 'word') {
    l.report(
      callReports.argumentKind(
        span,
        name,
        param,
        `one of ${words.map((word) => `'${word}'`).join(', ')}`,
        describe(operand),
      ),
    );
    return undefined;
  }
  const word = words.find((known) => known === operand.word);
  if (word === undefined) l.report(callReports.unknownWord(span, name, param, operand.word, words));
  return word;
}

export function typeArgument(l: Lowering, name: string, { operand, span }: Argument): ValueType | undefined {
  if (operand.kind === 'type') return operand.type;
  if (operand.kind !== 'poison')
    l.report(callReports.argumentKind(span, name, 'type', 'a type such as f32', describe(operand)));
  return undefined;
}

/** Returns a compile-time integer. Reports any other value and returns `undefined`. */
export function constantInteger(l: Lowering, what: string, operand: Operand, span: Span): number | undefined {
  if (operand.kind === 'poison') return undefined;
  const known =
    operand.kind === 'literal'
      ? operand.literal
      : operand.kind === 'value' && operand.value.kind === 'constant'
        ? operand.value.value
        : undefined;
  if (known === undefined) {
    l.report(callReports.needsConstant(span, what));
    return undefined;
  }
  const number = Number(known);
  if (!Number.isInteger(number)) {
    l.report(callReports.wholeNumber(span, what, String(number)));
    return undefined;
  }
  return number;
}
