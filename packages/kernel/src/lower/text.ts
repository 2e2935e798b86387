import type { AnyNode } from 'acorn';
import type { Repair, Source, Span } from '@nccl-ts/ir';
import type { BodyFunction } from '../author/device-fn.ts';
import { captureSource } from '../capture/capture-source.ts';
import { childrenOf } from '../capture/node-children.ts';
import { parseFunction, type ParsedFunction } from '../capture/parse-function.ts';
import { resolve } from '../capture/resolve.ts';
import { captureReports } from '../diagnose/capture-reports.ts';
import { replaced } from '../diagnose/repairs.ts';
import { builtinNames, mathNames } from './builtin-names.ts';
import type { Lowering, Text } from './lowering.ts';

/**
 * Captures the text of `body`, once for each module; reports problems and returns `undefined`.
 * `call` is the first call of a device function.
 */
export function captureText(l: Lowering, name: string, body: BodyFunction, call?: Span): Text | undefined {
  if (l.texts.has(body)) return l.texts.get(body);
  const text = capture(l, name, body, call);
  l.texts.set(body, text);
  return text;
}

/** The syntax of a text, which does not depend on the function that has the text. */
type Syntax = Pick<Text, 'parsed' | 'resolution'>;

/**
 * A cache of parsed device functions. Many kernels inline the same ones, and their text does not
 * change.
 */
const known = new WeakMap<BodyFunction, { readonly captured: Source } & Syntax>();

/** The texts that were parsed last. A function that makes kernels repeats its texts in each. */
const syntaxes = new Map<string, Syntax>();
/** The number of texts that are kept. Few programs have more. */
const KEPT = 512;

function keepSyntax(text: string, syntax: Syntax): void {
  if (syntaxes.size >= KEPT) syntaxes.clear();
  syntaxes.set(text, syntax);
}

/** Returns the text of a device function, or `undefined` if it cannot be read. Reports nothing. */
export function knownText(name: string, body: BodyFunction): Syntax | undefined {
  const before = known.get(body);
  if (before !== undefined) return before;
  const captured = captureSource(name, body);
  const syntax = syntaxOf(captured.text);
  if (syntax !== undefined) known.set(body, { captured, ...syntax });
  return syntax;
}

function syntaxOf(text: string): Syntax | undefined {
  const before = syntaxes.get(text);
  if (before !== undefined) return before;
  const parsed = parseFunction(text, { source: 0 }, []);
  if (parsed === undefined || parsed.node.async || parsed.node.generator) return undefined;
  const syntax = { parsed, resolution: resolve(parsed.node) };
  keepSyntax(text, syntax);
  return syntax;
}

function capture(l: Lowering, name: string, body: BodyFunction, call: Span | undefined): Text | undefined {
  const source = l.sources.length;
  const before = known.get(body);
  if (before?.captured.name === name) {
    l.sources.push(before.captured);
    return { parsed: before.parsed, resolution: before.resolution, source };
  }
  const origin = call === undefined ? { source } : { source, inlinedAt: call };
  const captured = captureSource(name, body);
  l.sources.push(captured);
  const same = syntaxes.get(captured.text);
  if (same !== undefined) {
    if (call !== undefined) known.set(body, { captured, ...same });
    return { parsed: same.parsed, resolution: same.resolution, source };
  }
  const parsed = parseFunction(captured.text, origin, l.diagnostics);
  if (parsed === undefined) return undefined;
  const to = (mark: string): Span => ({
    ...origin,
    start: 0,
    end: Math.max(1, captured.text.indexOf(mark) + mark.length),
  });
  if (parsed.node.async)
    l.report(
      captureReports.asyncBody(
        to('async'),
        asyncWords(parsed, captured.text).map((range) => ({ ...origin, ...range })),
      ),
    );
  else if (parsed.node.generator) l.report(captureReports.generatorBody(to('*')));
  if (parsed.node.async || parsed.node.generator) return undefined;
  const resolution = resolve(parsed.node);
  keepSyntax(captured.text, { parsed, resolution });
  // A kernel is compiled once.
  if (call !== undefined) known.set(body, { captured, parsed, resolution });
  return { parsed, resolution, source };
}

/** The words that make a function async, each with the blanks after it. */
function asyncWords(
  { node, shift }: ParsedFunction,
  text: string,
): readonly { readonly start: number; readonly end: number }[] {
  const [word = ''] = /^async\s*/.exec(text) ?? [];
  const words = [{ start: 0, end: word.length }];
  const visit = (inner: AnyNode): void => {
    if (inner.type === 'AwaitExpression') words.push({ start: inner.start - shift, end: inner.argument.start - shift });
    for (const child of childrenOf(inner)) visit(child);
  };
  visit(node.body);
  return words;
}

/** The parameters of a captured function and the text before them. */
export function headOf(
  { node, shift }: ParsedFunction,
  text: string,
): { readonly start: number; readonly end: number } {
  const last = node.params.at(-1)?.end ?? node.start;
  const close = text.indexOf(')', last - shift) + 1;
  return { start: 0, end: close > 0 && close <= node.body.start - shift ? close : Math.max(1, last - shift) };
}

/**
 * The span at which parameter number `index` of a captured function destructures member `name`, if
 * any.
 */
export function takenName({ parsed, source }: Text, index: number, name: string): Span | undefined {
  const pattern = parsed.node.params[index];
  if (pattern?.type !== 'ObjectPattern') return undefined;
  for (const property of pattern.properties) {
    if (property.type !== 'Property' || property.key.type !== 'Identifier' || property.key.name !== name) continue;
    return { source, start: property.key.start - parsed.shift, end: property.key.end - parsed.shift };
  }
  return undefined;
}

/** Reports a name that is not declared. */
export function reportFree(
  l: Lowering,
  node: { readonly name: string; readonly start: number; readonly end: number },
  isCalled: boolean,
): void {
  const span = l.span(node);
  const { name } = node;
  const global = Object.hasOwn(hostGlobals, name) ? hostGlobals[name] : undefined;
  if (name === 'await') l.report(captureReports.awaitExpression(span));
  else if (name === 'yield') l.report(captureReports.generatorBody(span));
  else if (name.startsWith('cov_')) l.report(captureReports.instrumented(span, name));
  else if (global !== undefined) {
    const word = deviceWord(l, span, name);
    l.report(captureReports.hostGlobal(span, name, word === undefined ? global : wordHint(word), word?.repair));
  } else if (builtinNames.includes(name)) l.report(captureReports.builtinNotTaken(span, name, taking(l, name)));
  else l.report(captureReports.freeIdentifier(span, name, isCalled));
}

/** Adds `name` to the names that the function destructures from its first parameter. */
function taking(l: Lowering, name: string): Repair | undefined {
  const first = l.frame.text.parsed.params[0];
  if (first?.type !== 'ObjectPattern') return undefined;
  const span = l.span(first);
  const title = `Take ${name} from the first parameter.`;
  const property = first.properties[0];
  if (property === undefined) return replaced(span, `{ ${name} }`, title);
  const { start } = l.span(property);
  return replaced({ ...span, start, end: start }, `${name}, `, title);
}

/** The word of kernels for a member of a global of the host, such as `min` for `Math.min`. */
interface DeviceWord {
  readonly word: string;
  readonly host: string;
  readonly repair: Repair;
}

/** `Math.min` is `min`, `Math.sqrt` is `math.sqrt`, `console.log` is `print`. */
function deviceWord(l: Lowering, span: Span, name: string): DeviceWord | undefined {
  const [dotted, member = ''] = /^\s*\.\s*(\w+)/.exec(l.sources[span.source]?.text.slice(span.end) ?? '') ?? [];
  if (dotted === undefined) return undefined;
  const whole = { ...span, end: span.end + dotted.length };
  const named = (word: string) => ({
    word,
    host: `${name}.${member}`,
    repair: replaced(whole, word, `Use ${word}.`),
  });
  if (name === 'console') return named('print');
  if (name !== 'Math') return undefined;
  if (builtinNames.includes(member)) return named(member);
  return mathNames.includes(member) ? named(`math.${member}`) : undefined;
}

/** Division is where authors of JavaScript reach for a rounding that integers do not need. */
function wordHint({ word, host }: DeviceWord): string {
  if (word === 'print') return 'use print(...) from the first parameter (simulator)';
  const [root = word] = word.split('.');
  const write = `write ${word}(...) in place of ${host}(...), with ${root} from the first parameter`;
  return ['math.floor', 'math.trunc'].includes(word)
    ? `the division of integers drops the fraction already, as in C++: leave ${host} out; of floats, ${write}`
    : write;
}

const hostGlobals: Readonly<Record<string, string>> = {
  Math: 'use math.sqrt(x), min(a, b), abs(x), ... from the first parameter',
  console: 'use print(...) from the first parameter (simulator)',
  Number: 'cast with the type: f32(x), i32(x)',
  BigInt: 'cast with the type: u64(x), i64(x)',
  Boolean: 'cast with bool(x)',
  Array: 'use localArray(f32, 4) or sharedArray(f32, 4)',
  Float32Array: 'use localArray(f32, 4) or a window',
  Date: 'use clock() from the first parameter',
  globalThis: 'pass it through `use`',
  window: 'declare a parameter: params: { win: windowParam }',
  process: 'pass it through `use`',
  require: 'pass it through `use`',
};
