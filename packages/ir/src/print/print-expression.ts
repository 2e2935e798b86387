import type { Expression, Coop, Static } from '../expression.ts';
import { dispatchExpression, type ExpressionTable } from '../visit/dispatch.ts';
import { printLiteral, printName, printSpan, printType } from './print-words.ts';
import { binarySymbols, compareSymbols, logicalSymbols, pointerOffsetSymbol, unarySymbols } from './symbols.ts';

/** The context of printing an expression. */
export interface ExpressionPrinting {
  readonly spans: boolean;
  /** The arguments of the intrinsic whose expansion is being printed. They are printed as names. */
  readonly args: readonly Expression[];
}

/** Prints an expression as one line of text that the parser can read. */
export function printExpression(expression: Expression, printing: ExpressionPrinting): string {
  const position = printing.args.indexOf(expression);
  if (position !== -1) return `arg(${position})`;
  const text = dispatchExpression(table, expression, printing);
  return printing.spans && expression.span !== undefined ? `${text}^${printSpan(expression.span)}` : text;
}

export function printCoop(coop: Coop, printing: ExpressionPrinting): string {
  switch (coop.kind) {
    case 'cta':
      return 'cta';
    case 'tile':
      return `tile(${coop.size})`;
    case 'lanes':
      return call('lanes', [coop.mask], printing);
    case 'warpSpan':
      return call('warpSpan', [coop.first, coop.count, coop.id], printing);
  }
}

/** Prints statics as `<T = type f32, order = "acquire">`, or as an empty text if there are none. */
export function printStatics(statics: readonly Static[], printing: ExpressionPrinting): string {
  if (statics.length === 0) return '';
  return `<${statics.map((entry) => `${printName(entry.name)} = ${printStatic(entry, printing)}`).join(', ')}>`;
}

/** Prints the expressions, separated by commas. */
export function printList(expressions: readonly Expression[], printing: ExpressionPrinting): string {
  return expressions.map((expression) => printExpression(expression, printing)).join(', ');
}

function printStatic(entry: Static, printing: ExpressionPrinting): string {
  switch (entry.kind) {
    case 'type':
      return `type ${printType(entry.type)}`;
    case 'word':
      return JSON.stringify(entry.word);
    case 'number':
      return printLiteral(entry.number);
    case 'coop':
      return `coop ${printCoop(entry.coop, printing)}`;
    case 'custom':
      return 'custom';
  }
}

function call(name: string, args: readonly Expression[], printing: ExpressionPrinting): string {
  return `${name}(${printList(args, printing)})`;
}

function infix(left: Expression, symbol: string, right: Expression, printing: ExpressionPrinting): string {
  return `(${printExpression(left, printing)} ${symbol} ${printExpression(right, printing)})`;
}

const table: ExpressionTable<ExpressionPrinting, string> = {
  constant: (e) => {
    const literal = printLiteral(e.value);
    return typeof e.value === 'boolean' && e.type.scalar === 'bool' ? literal : `${literal}:${e.type.scalar}`;
  },
  local: (e) => `%${e.local}`,
  param: (e) => `$${e.param}`,
  array: (e) => `#${e.array}`,
  builtin: (e) => e.builtin,
  field: (e, to) => `${printExpression(e.base, to)}.${printName(e.field)}:${printType(e.type)}`,
  unary: (e, to) => {
    const symbol = unarySymbols[e.op];
    const operand = printExpression(e.operand, to);
    return symbol.length === 1 ? `(${symbol}${operand})` : `${symbol}(${operand})`;
  },
  binary: (e, to) => {
    const symbol = binarySymbols[e.op];
    return symbol === e.op ? call(symbol, [e.left, e.right], to) : infix(e.left, symbol, e.right, to);
  },
  compare: (e, to) => infix(e.left, compareSymbols[e.op], e.right, to),
  logical: (e, to) => infix(e.left, logicalSymbols[e.op], e.right, to),
  select: (e, to) => call('select', [e.condition, e.then, e.else], to),
  convert: (e, to) => call(printType(e.type), [e.operand], to),
  bitcast: (e, to) => `bitcast(${printType(e.type)}, ${printExpression(e.operand, to)})`,
  math: (e, to) => call(`math.${e.function}`, e.args, to),
  vector: (e, to) => `${printType(e.type)}[${printList(e.elements, to)}]`,
  lane: (e, to) => call('lane', [e.vector, e.index], to),
  withLane: (e, to) => call('withLane', [e.vector, e.index, e.value], to),
  windowPointer: (e, to) => `window(${printType(e.type.element)}, ${printList([e.window, e.peer, e.offset], to)})`,
  addressPointer: (e, to) => `address(${printType(e.type.element)}, ${printExpression(e.address, to)})`,
  multicastPointer: (e, to) =>
    `multicast(${printType(e.type.element)}, ${printList([e.window, e.group, e.offset], to)})`,
  unicastPointer: (e, to) => call('unicast', [e.pointer, e.member], to),
  multicastSize: (e, to) => call('multicastSize', [e.pointer], to),
  clusterPointer: (e, to) => call('cluster', [e.pointer, e.rank], to),
  pointerOffset: (e, to) => infix(e.pointer, pointerOffsetSymbol, e.index, to),
  pointerCast: (e, to) => `cast(${printType(e.type.element)}, ${printExpression(e.pointer, to)})`,
  intrinsic: (e, to) => {
    const head = `@${printName(e.name)}${printStatics(e.statics, to)}`;
    const expansion = printExpression(e.expansion, { spans: to.spans, args: e.args });
    return `${call(head, e.args, to)} { ${expansion} }`;
  },
};
