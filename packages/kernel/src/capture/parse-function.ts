import type { AnyNode, ArrowFunctionExpression, FunctionExpression, Pattern } from 'acorn';
import type { Diagnostic, Span } from '@nccl-ts/ir';
import { captureReports } from '../diagnose/capture-reports.ts';
import { parseText } from '../syntax/parse-text.ts';
import { TextError } from '../syntax/token-cursor.ts';

/**
 * A captured function: its syntax tree, with positions shifted to offsets into the function's own
 * text.
 */
export interface ParsedFunction {
  readonly params: readonly Pattern[];
  readonly body: ArrowFunctionExpression['body'];
  readonly node: ArrowFunctionExpression | FunctionExpression;
  /** The value to subtract from a node's position to get the offset into the text. */
  readonly shift: number;
}

/** A method's text (`name(a) {}`) is not an expression, so it is parsed inside an object. */
const wrappers: readonly { readonly before: string; readonly after: string; readonly method: boolean }[] = [
  { before: '(', after: ')', method: false },
  { before: '({', after: '})', method: true },
];

/**
 * The limit for nested syntax. No author nests as deeply, and every walk over the tree can still
 * recurse.
 */
const MAX_DEPTH = 200;

/**
 * Parses the text of a function. Reports problems in spans of `origin`, and returns `undefined` if
 * the text cannot be compiled.
 */
export function parseFunction(
  text: string,
  origin: Pick<Span, 'source' | 'inlinedAt'>,
  diagnostics: Diagnostic[],
): ParsedFunction | undefined {
  let failure: { message: string; offset: number } | undefined;
  for (const { before, after, method } of wrappers) {
    try {
      const root = parseText(before + text + after);
      const deep = tooDeep(root);
      if (deep !== undefined) {
        const start = Math.max(0, Math.min(deep - before.length, text.length - 1));
        diagnostics.push(captureReports.tooDeep({ ...origin, start, end: start + 1 }));
        return undefined;
      }
      const node = functionIn(root, method);
      if (node === undefined) {
        diagnostics.push(captureReports.notAFunction({ ...origin, start: 0, end: text.length }));
        return undefined;
      }
      return { params: node.params, body: node.body, node, shift: before.length };
    } catch (cause) {
      // The engine has no stack left for the text.
      if (cause instanceof RangeError) {
        diagnostics.push(captureReports.tooDeep({ ...origin, start: 0, end: Math.min(1, text.length) }));
        return undefined;
      }
      if (!(cause instanceof TextError)) throw cause;
      // A broken text fails to parse in both forms. The error of the form that got further
      // describes the problem.
      const offset = cause.offset - before.length;
      if (failure === undefined || offset > failure.offset) failure = { message: cause.message, offset };
    }
  }
  if (/^\s*(async\s+)?function\s*\w*\s*\(\)\s*\{\s*\[native code\]\s*\}$/.test(text)) {
    diagnostics.push(captureReports.nativeFunction({ ...origin, start: 0, end: text.length }));
    return undefined;
  }
  const start = Math.max(0, Math.min(failure?.offset ?? 0, text.length));
  diagnostics.push(
    captureReports.syntax({ ...origin, start, end: Math.min(start + 1, text.length) }, failure?.message ?? 'unknown'),
  );
  return undefined;
}

function functionIn(root: AnyNode, method: boolean): ArrowFunctionExpression | FunctionExpression | undefined {
  if (!method) {
    return root.type === 'ArrowFunctionExpression' || root.type === 'FunctionExpression' ? root : undefined;
  }
  if (root.type !== 'ObjectExpression') return undefined;
  const property = root.properties[0];
  if (property?.type !== 'Property' || root.properties.length !== 1) return undefined;
  return property.value.type === 'FunctionExpression' ? property.value : undefined;
}

/** The offset at which a tree exceeds the limit of nesting, or `undefined` if it does not. */
function tooDeep(root: AnyNode): number | undefined {
  if (!isDeep(root, 0)) return undefined;
  const pending: { value: unknown; depth: number; start: number }[] = [{ value: root, depth: 0, start: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, depth } = next;
    if (typeof value !== 'object' || value === null || value instanceof RegExp) continue;
    const start = 'start' in value && typeof value.start === 'number' ? value.start : next.start;
    if (depth > MAX_DEPTH * 2) return start;
    for (const child of Object.values(value)) pending.push({ value: child, depth: depth + 1, start });
  }
  return undefined;
}

/** True if a tree exceeds the limit of nesting. It recurses only up to the limit. */
function isDeep(value: object, depth: number): boolean {
  if (value instanceof RegExp) return false;
  if (depth > MAX_DEPTH * 2) return true;
  const children: readonly unknown[] = Object.values(value);
  for (const child of children) {
    if (typeof child === 'object' && child !== null && isDeep(child, depth + 1)) return true;
  }
  return false;
}
