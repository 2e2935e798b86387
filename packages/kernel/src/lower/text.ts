import type { BodyFunction } from '../device-fn.ts';
import { captureSource } from '../capture/capture-source.ts';
import { parseFunction } from '../capture/parse-function.ts';
import { resolve } from '../capture/resolve.ts';
import { captureReports } from '../diagnose/capture-reports.ts';
import { builtinNames } from './builtin-names.ts';
import type { Lowering, Text } from './lowering.ts';

/** Captures the text of `body`, once for each module; reports what is wrong with it and answers `undefined`. */
export function captureText(l: Lowering, name: string, body: BodyFunction): Text | undefined {
  if (l.texts.has(body)) return l.texts.get(body);
  const text = capture(l, name, body);
  l.texts.set(body, text);
  return text;
}

function capture(l: Lowering, name: string, body: BodyFunction): Text | undefined {
  const source = l.sources.length;
  const captured = captureSource(name, body);
  l.sources.push(captured);
  const parsed = parseFunction(captured.text, source, l.diagnostics);
  if (parsed === undefined) return undefined;
  const at = { source, start: 0, end: Math.max(0, parsed.node.body.start - parsed.shift) };
  if (parsed.node.async) l.report(captureReports.asyncBody(at));
  if (parsed.node.generator) l.report(captureReports.generatorBody(at));
  if (parsed.node.async || parsed.node.generator) return undefined;
  const resolution = resolve(parsed.node);
  return { parsed, resolution, source };
}

/** What to say of a name that nothing declares. */
export function reportFree(
  l: Lowering,
  node: { readonly name: string; readonly start: number; readonly end: number },
): void {
  const span = l.span(node);
  const { name } = node;
  const global = Object.hasOwn(hostGlobals, name) ? hostGlobals[name] : undefined;
  if (/^cov_/.test(name)) l.report(captureReports.instrumented(span, name));
  else if (global !== undefined) l.report(captureReports.hostGlobal(span, name, global));
  else if (builtinNames.includes(name)) l.report(captureReports.builtinNotTaken(span, name));
  else l.report(captureReports.freeIdentifier(span, name));
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
  globalThis: 'pass what is needed through `use`',
  window: 'declare a parameter: params: { win: window }',
  process: 'pass what is needed through `use`',
  require: 'pass what is needed through `use`',
};
