import { lineAt } from '@nccl-ts/ir';
import type { Edit } from '../edits.ts';
import { bodyOf, callsOf, waitingFunctions, withArgument, type CallInSource } from './source-calls.ts';

/** A call of a barrier of the ranks at another place of a kernel. */
export interface CopiedCall {
  /** Such as `insert barrier(peers, rank, 2 * epoch)`. */
  readonly does: string;
  /** The line of the source before which it stands, from 1. */
  readonly line: number;
  readonly edits: readonly Edit[];
}

/**
 * Calls that a kernel of a CUDA source makes to functions that wait, copied to its end and to its
 * beginning. A barrier that is met twice with one epoch does not wait the second time, so there are
 * copies with other epochs too.
 */
export function copiedCalls(source: string, entry: string): readonly CopiedCall[] {
  const kernel = bodyOf(source, entry);
  if (kernel === undefined) return [];
  const found = waitingFunctions(source).flatMap((name) => callsOf(source, kernel, name));
  const known = new Set<string>();
  return found.flatMap((call) => {
    const indent = /[ \t]*$/u.exec(source.slice(0, call.start))?.[0] ?? '';
    const here = (at: number, text: string, others: readonly Edit[] = []): CopiedCall => ({
      does: `insert ${text.replace(/;$/u, '')}`,
      line: lineAt(source, at).line,
      edits: [...others, { span: { start: at, end: at }, with: `${indent}${text}\n` }],
    });
    const end = lineStart(source, kernel.end);
    const begin = source.indexOf('\n', kernel.start) + 1;
    const copies = [
      ...laterEpochs(call).map((text) => here(end, text)),
      here(end, call.text),
      ...doubledEpochs(call).map(({ first, second }) =>
        here(end, second, [{ span: { start: call.start, end: call.end }, with: first }]),
      ),
      here(begin, call.text),
    ];
    return copies.filter(({ does, line }) => {
      const key = `${does} ${line}`;
      return known.has(key) ? false : known.add(key);
    });
  });
}

/** The call with one of its arguments greater by one: `2 * epoch - 1` becomes `2 * epoch`. */
function laterEpochs(call: CallInSource): readonly string[] {
  return call.args.flatMap((arg, i) => {
    const later = /^(.*\S)\s*-\s*1$/u.exec(arg)?.[1];
    return later === undefined ? [] : [withArgument(call, i, later)];
  });
}

/** Both calls, with two epochs for each launch instead of one. */
function doubledEpochs(call: CallInSource): readonly { readonly first: string; readonly second: string }[] {
  return call.args.flatMap((arg, i) =>
    /^\w*(?:epoch|round|launch|color|iteration|gen|seq|target)\w*$/iu.test(arg)
      ? [{ first: withArgument(call, i, `2 * ${arg} - 1`), second: withArgument(call, i, `2 * ${arg}`) }]
      : [],
  );
}

function lineStart(source: string, offset: number): number {
  return source.lastIndexOf('\n', offset) + 1;
}
