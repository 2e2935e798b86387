import type { MemoryOrder, MemoryScope } from '@nccl-ts/core';

/** One line of a thread. */
export type LitmusStep =
  | { readonly kind: 'read'; readonly register: string; readonly at: string; readonly access: LitmusAccess | undefined }
  | {
      readonly kind: 'write';
      readonly at: string;
      readonly value: LitmusValue;
      readonly access: LitmusAccess | undefined;
    }
  | { readonly kind: 'fence'; readonly access: LitmusAccess };

export interface LitmusAccess {
  readonly order: MemoryOrder;
  readonly scope: MemoryScope;
}

/** A number, or the name of a register. */
export type LitmusValue = bigint | string;

export interface LitmusThread {
  readonly name: string;
  readonly rank: number;
  readonly steps: readonly (LitmusStep & { readonly line: number; readonly text: string })[];
}

export interface LitmusProgram {
  readonly threads: readonly LitmusThread[];
  /** The outcome that the test asks about, such as `exists a=1 b=0`. */
  readonly condition: Readonly<Record<string, string>> | undefined;
  readonly conditionText: string;
}

const orders: readonly MemoryOrder[] = ['relaxed', 'acquire', 'release', 'acq_rel', 'seq_cst'];
const scopes: readonly MemoryScope[] = ['thread', 'block', 'device', 'system'];

/**
 * Reads a litmus test. A line `thread NAME on rank N` begins a thread. Its lines are
 * `x = 1 release system`, `a = x acquire system` or `fence seq_cst system`. At the end,
 * `exists a=1 b=0` asks about an outcome. The locations are x, y and z; other names are registers.
 *
 * @throws SyntaxError with the line.
 */
export function parseLitmus(text: string): LitmusProgram {
  const threads: { name: string; rank: number; steps: (LitmusStep & { line: number; text: string })[] }[] = [];
  let asked: Record<string, string> | undefined;
  let askedText = '';
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.replace(/#.*/, '').trim();
    if (line === '') continue;
    const [first = '', ...rest] = line.split(/\s+/);
    if (first === 'thread') {
      const rank = /on rank (\d+)$/.exec(line)?.[1];
      threads.push({ name: rest[0] ?? `T${threads.length}`, rank: Number(rank ?? threads.length), steps: [] });
      continue;
    }
    if (first === 'exists') {
      asked = Object.fromEntries(rest.map((one) => condition(one, index)));
      askedText = rest.join(' ');
      continue;
    }
    const thread = threads.at(-1);
    if (thread === undefined) throw problem(index, 'a line "thread NAME on rank N" must come first');
    thread.steps.push({ ...stepOf(first, rest, index), line: index + 1, text: line });
  }
  if (threads.length === 0) throw problem(0, 'there is no thread');
  return { threads, condition: asked, conditionText: askedText };
}

function stepOf(first: string, rest: readonly string[], index: number): LitmusStep {
  if (first === 'fence') {
    const access = accessOf(rest, index);
    if (access === undefined) throw problem(index, 'a fence needs an order');
    return { kind: 'fence', access };
  }
  const [equals, right = '', ...words] = rest;
  if (equals !== '=') throw problem(index, 'expected NAME = VALUE [order] [scope], or fence ORDER [scope]');
  const access = accessOf(words, index);
  if (isLocation(first)) {
    return { kind: 'write', at: first, value: /^\d+$/.test(right) ? BigInt(right) : right, access };
  }
  if (!isLocation(right)) throw problem(index, `"${right}" is not a location: the locations are x, y and z`);
  return { kind: 'read', register: first, at: right, access };
}

function isLocation(name: string): boolean {
  return name === 'x' || name === 'y' || name === 'z';
}

/** Returns `undefined` for a plain access. */
function accessOf(words: readonly string[], index: number): LitmusAccess | undefined {
  const [order, scope = 'system', ...more] = words;
  if (order === undefined || order === 'weak') return undefined;
  const found = orders.find((one) => one === order);
  const reach = scopes.find((one) => one === scope);
  if (found === undefined) throw problem(index, `"${order}" is not an order: ${orders.join(', ')}`);
  if (reach === undefined || more.length > 0) throw problem(index, `"${scope}" is not a scope: ${scopes.join(', ')}`);
  return { order: found, scope: reach };
}

function condition(text: string, index: number): readonly [string, string] {
  const [name, value] = text.split('=');
  if (name === undefined || value === undefined) throw problem(index, 'exists takes NAME=VALUE');
  return [name, value];
}

function problem(index: number, why: string): SyntaxError {
  return Object.assign(new SyntaxError(`line ${index + 1}: ${why}`), { loc: { line: index + 1 } });
}
