import type { Edit } from '../edits.ts';

/** A call of a barrier of the ranks at another place of a kernel. */
export interface CopiedCall {
  /** Such as `insert barrier(peers, rank, 2 * epoch)`. */
  readonly does: string;
  /** The line of the source before which it stands, from 1. */
  readonly line: number;
  readonly edits: readonly Edit[];
}

interface Body {
  readonly start: number;
  readonly end: number;
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
      line: source.slice(0, at).split('\n').length,
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

interface CallInSource extends Body {
  readonly text: string;
  readonly name: string;
  readonly args: readonly string[];
}

/** The device functions whose body has a loop that waits, directly or by what they call. */
function waitingFunctions(source: string): readonly string[] {
  const functions = [...source.matchAll(/__device__[^;{()]*?(\w+)\s*\(/gu)].flatMap(([, name = '']) => {
    const body = bodyOf(source, name);
    return body === undefined ? [] : [{ name, text: source.slice(body.start, body.end) }];
  });
  const waiting = new Set(functions.filter(({ text }) => /\b(?:while|do)\b/u.test(text)).map(({ name }) => name));
  for (const { name, text } of functions) if ([...waiting].some((one) => calls(text, one))) waiting.add(name);
  return functions
    .filter(({ name, text }) => waiting.has(name) && /__sync(?:threads|warp)/u.test(text))
    .map(({ name }) => name);
}

function calls(text: string, name: string): boolean {
  return new RegExp(`\\b${name}\\s*\\(`, 'u').test(text);
}

/** The body of a function of this name, inside its braces. */
function bodyOf(source: string, name: string): Body | undefined {
  for (const { index } of source.matchAll(new RegExp(`\\b${name}\\s*\\(`, 'gu'))) {
    const close = closing(source, source.indexOf('(', index));
    const open = close === undefined ? -1 : source.indexOf('{', close);
    if (close === undefined || open === -1 || !/^[\s\w():,]*$/u.test(source.slice(close + 1, open))) continue;
    const end = closing(source, open);
    if (end !== undefined) return { start: open + 1, end };
  }
  return undefined;
}

/** The offset of the bracket that closes the one at `from`. */
function closing(source: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < source.length; at++) {
    const one = source.charAt(at);
    if ('({['.includes(one)) depth++;
    if (')}]'.includes(one) && --depth === 0) return at;
  }
  return undefined;
}

function callsOf(source: string, { start, end }: Body, name: string): readonly CallInSource[] {
  return [...source.slice(start, end).matchAll(new RegExp(`(?<=^[ \\t]*)${name}\\s*\\(`, 'gmu'))].flatMap(
    ({ index }) => {
      const first = start + index;
      const close = closing(source, source.indexOf('(', first));
      if (close === undefined || source.charAt(close + 1) !== ';') return [];
      const args = argumentsOf(source.slice(source.indexOf('(', first) + 1, close));
      return [{ start: first, end: close + 2, text: source.slice(first, close + 2), name, args }];
    },
  );
}

function argumentsOf(text: string): readonly string[] {
  const args: string[] = [];
  let [depth, from] = [0, 0];
  for (let at = 0; at <= text.length; at++) {
    const one = text.charAt(at);
    if ('({['.includes(one) && one !== '') depth++;
    if (')}]'.includes(one) && one !== '') depth--;
    if (at < text.length && (one !== ',' || depth > 0)) continue;
    args.push(text.slice(from, at).trim());
    from = at + 1;
  }
  return args;
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

function withArgument({ name, args }: CallInSource, at: number, value: string): string {
  return `${name}(${args.map((arg, i) => (i === at ? value : arg)).join(', ')});`;
}

function lineStart(source: string, offset: number): number {
  return source.lastIndexOf('\n', offset) + 1;
}
