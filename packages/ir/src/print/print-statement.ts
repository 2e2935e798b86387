import type { Expression } from '../expression.ts';
import type { AtomicAccess, Body, Statement, VectorPart } from '../statement.ts';
import { dispatchStatement, type StatementTable } from '../visit/dispatch.ts';
import { printCoop, printExpression, printList, printStatics } from './print-expression.ts';
import { printName, printSpan } from './print-words.ts';

/** Receives the lines of a body. */
export interface StatementPrinting {
  readonly spans: boolean;
  /** `statement`: the one that begins on this line. */
  readonly line: (text: string, statement?: Statement) => void;
  readonly indented: (print: () => void) => void;
}

/** Prints every statement of `body` on its own line, with inner bodies indented. */
export function printBody(body: Body, to: StatementPrinting): void {
  for (const statement of body) dispatchStatement(table, statement, to);
}

const expression = (e: Expression, to: StatementPrinting): string => printExpression(e, { spans: to.spans, args: [] });

const access = (given: AtomicAccess | undefined): string =>
  given === undefined
    ? ''
    : ` ${given.order}.${given.scope}${given.volatile === true ? ' volatile' : ''}${given.unscoped === true ? ' unscoped' : ''}${part(given.part)}`;

const part = (given: VectorPart | undefined): string =>
  given === undefined ? '' : ` part ${given.index} of ${given.of}`;

const target = (local: number | undefined): string => (local === undefined ? '' : `%${local} = `);

const spanned = (text: string, statement: Statement, to: StatementPrinting): string =>
  to.spans ? `${text} @${printSpan(statement.span)}` : text;

function plain(text: string, statement: Statement, to: StatementPrinting): void {
  to.line(spanned(text, statement, to), statement);
}

/** Prints a head with bodies. Each part after the first is the text between two bodies. */
function nested(
  head: string,
  statement: Statement,
  parts: readonly { readonly before: string; readonly body: Body }[],
  tail: string,
  to: StatementPrinting,
): void {
  parts.forEach(({ before, body }, index) => {
    if (index === 0) to.line(`${spanned(head, statement, to)} {`, statement);
    else to.line(`} ${before} {`);
    to.indented(() => printBody(body, to));
  });
  to.line(tail === '' ? '}' : `} ${tail}`);
}

const table: StatementTable<StatementPrinting, void> = {
  assign: (s, to) => plain(`%${s.local} = ${expression(s.value, to)}`, s, to),
  load: (s, to) =>
    plain(
      `%${s.local} = load ${s.isNonCoherent === true ? 'nc ' : ''}${expression(s.pointer, to)}${access(s.access)}`,
      s,
      to,
    ),
  store: (s, to) => {
    const operands = `${expression(s.pointer, to)}, ${expression(s.value, to)}`;
    plain(`store ${s.broadcast === true ? 'broadcast ' : ''}${operands}${access(s.access)}`, s, to);
  },
  atomic: (s, to) => {
    const operands = `${expression(s.pointer, to)}, ${expression(s.value, to)}`;
    const expected = s.expected === undefined ? '' : `, expected ${expression(s.expected, to)}`;
    plain(`${target(s.local)}atomic ${s.op} ${operands}${expected}${access(s.access)}`, s, to);
  },
  fence: (s, to) => plain(`fence${access(s.access)}`, s, to),
  fenceProxy: (s, to) =>
    s.proxy === 'alias'
      ? plain('fenceProxy alias', s, to)
      : plain(`fenceProxy fabric ${s.producer} ${s.consumer}${access(s.access)}`, s, to),
  sync: (s, to) => {
    const { barrier } = s;
    const name = barrier === undefined ? '' : ` barrier ${expression(barrier.name, to)}`;
    const threads = barrier?.threads === undefined ? '' : ` threads ${expression(barrier.threads, to)}`;
    const aligned = barrier?.isAligned === true ? ' aligned' : '';
    const vote = s.vote === undefined ? '' : ` vote ${expression(s.vote.value, to)}`;
    const coop = printCoop(s.coop, { spans: to.spans, args: [] });
    plain(`${target(s.vote?.local)}sync ${coop}${name}${threads}${aligned}${vote}`, s, to);
  },
  wait: (s, to) => nested('wait', s, [{ before: '', body: s.body }], `until ${expression(s.condition, to)}`, to),
  waitAll: (s, to) => {
    const coop = printCoop(s.coop, { spans: to.spans, args: [] });
    const head = `waitAll ${coop} %${s.index} < ${expression(s.count, to)}`;
    nested(head, s, [{ before: '', body: s.body }], `until ${expression(s.condition, to)}`, to);
  },
  collective: (s, to) => {
    const value = s.value === undefined ? '' : ` value ${expression(s.value, to)}`;
    const lane = s.lane === undefined ? '' : ` lane ${expression(s.lane, to)}`;
    const coop = printCoop(s.coop, { spans: to.spans, args: [] });
    plain(`%${s.local} = collective ${s.op} ${coop}${value}${lane}`, s, to);
  },
  if: (s, to) => {
    const otherwise = s.else.length === 0 ? [] : [{ before: 'else', body: s.else }];
    nested(`if ${expression(s.condition, to)}`, s, [{ before: '', body: s.then }, ...otherwise], '', to);
  },
  loop: (s, to) => {
    const update = s.update.length === 0 ? [] : [{ before: 'update', body: s.update }];
    const head = s.condition === undefined ? 'loop' : `loop while ${expression(s.condition, to)}`;
    nested(head, s, [{ before: '', body: s.body }, ...update], '', to);
  },
  break: (s, to) => plain('break', s, to),
  continue: (s, to) => plain('continue', s, to),
  block: (s, to) => nested(`block ${s.label}`, s, [{ before: '', body: s.body }], '', to),
  leave: (s, to) => plain(`leave ${s.label}`, s, to),
  return: (s, to) => plain('return', s, to),
  assert: (s, to) => {
    const values = (s.values ?? []).map((value) => `, ${expression(value, to)}`).join('');
    const head = `${s.contract ? 'require' : 'assert'} ${expression(s.condition, to)}`;
    plain(`${head}, ${JSON.stringify(s.message)}${values}`, s, to);
  },
  print: (s, to) => {
    const args = s.args.map((arg) => (typeof arg === 'string' ? JSON.stringify(arg) : expression(arg, to)));
    plain(`print(${args.join(', ')})`, s, to);
  },
  approximate: (s, to) => plain(`approximate ${s.isOpaque === true ? 'opaque ' : ''}${JSON.stringify(s.how)}`, s, to),
  clock: (s, to) => plain(`%${s.local} = clock`, s, to),
  call: (s, to) => {
    const printing = { spans: to.spans, args: [] };
    const args = `${printStatics(s.statics, printing)}(${printList(s.args, printing)})`;
    const session = s.session === undefined ? '' : ` session ${s.session}`;
    const head = `${target(s.local)}call ${printName(s.name)}${args}${session}`;
    if (s.body === undefined) plain(head, s, to);
    else nested(head, s, [{ before: '', body: s.body }], '', to);
  },
};
