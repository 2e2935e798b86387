import { lineAt } from '@nccl-ts/ir';
import type { CopiedCall } from './copied-calls.ts';
import { bodyOf, callsOf, waitingFunctions, withArgument, type Body, type CallInSource } from './source-calls.ts';

/** The number of places for which `callsBetween` copies calls. */
const NEAREST = 3;

/**
 * Calls of the same functions between two statements of the kernel, with the epoch before or after
 * that of a call. The places are the nearest to these lines of the source, from 1.
 */
export function callsBetween(source: string, entry: string, near: readonly number[]): readonly CopiedCall[] {
  const kernel = bodyOf(source, entry);
  if (kernel === undefined) return [];
  const calls = waitingFunctions(source).flatMap((name) => callsOf(source, kernel, name));
  const taken = new Set(calls.map(({ text }) => text));
  const texts = new Set(calls.flatMap((call) => nextEpochs(call)).filter((text) => !taken.has(text)));
  const far = (at: number): number => {
    const line = lineAt(source, at).line;
    return Math.min(...near.map((one) => (line <= one ? one - line : 2 * (line - one))));
  };
  const places = statementsOf(source, kernel)
    .toSorted((a, b) => far(a) - far(b))
    .slice(0, NEAREST);
  return places.flatMap((at) => {
    const indent = /^[ \t]*/u.exec(source.slice(at))?.[0] ?? '';
    return [...texts].map((text) => ({
      does: `insert ${text.replace(/;$/u, '')}`,
      line: lineAt(source, at).line,
      edits: [{ span: { start: at, end: at }, with: `${indent}${text}\n` }],
    }));
  });
}

/** The offsets of the lines of a body at which a statement of its own begins. */
function statementsOf(source: string, { start, end }: Body): readonly number[] {
  const found: number[] = [];
  let depth = 0;
  let isNew = true;
  for (let at = start; at < end; at++) {
    const one = source.charAt(at);
    if (one === '\n' && depth === 0 && isNew) found.push(at + 1);
    if ('({['.includes(one)) depth++;
    if (')}]'.includes(one)) depth--;
    if (!/\s/u.test(one)) isNew = depth === 0 && (one === ';' || one === '}');
  }
  return found.filter((at) => !/^\s*(?:\n|\}|#|\/\/|else\b)/u.test(source.slice(at)));
}

/** The call with the epoch before or after its own: `2 * epoch + 2` becomes `2 * epoch + 1`. */
function nextEpochs(call: CallInSource): readonly string[] {
  return call.args.flatMap((arg, i) => {
    const [, base = '', sign = '', digits] = /^(.*\S)\s*([+-])\s*(\d+)$/u.exec(arg) ?? [];
    if (digits === undefined) return [];
    const own = sign === '+' ? Number(digits) : -Number(digits);
    return [own - 1, own + 1].map((value) => {
      const offset = value === 0 ? '' : value > 0 ? ` + ${value}` : ` - ${-value}`;
      return withArgument(call, i, `${base}${offset}`);
    });
  });
}
