import { entryFacts, readPtxModule, type EntryFacts, type ParameterFacts } from '@nccl-ts/harness';
import { matchingEntries } from '@nccl-ts/ptx';
import type { LaunchChange, LaunchField, LaunchForm, LaunchKind, LaunchParameter } from '../protocol.ts';
import type { SyntaxNode } from './blank-types.ts';
import { sourceOf } from './check-ptx.ts';
import { changeLaunch, usesOf, withImports, withSetupNames } from './change-launch.ts';
import {
  buffersOf,
  childOf,
  childrenOf,
  elementTypes,
  nameOf,
  propertyOf,
  readLaunch,
  type LaunchText,
} from './launch-text.ts';

/** The fields of a launch, after a change if there is one. */
export function launchForm(ptx: string, given: string, cuda?: string, change?: LaunchChange): LaunchForm {
  const entries = factsOf(ptx, cuda);
  const titles = entries.map(({ title }) => title);
  if (given.trim() === '') return noForm('Paste PTX: its launch is described here.', titles);
  try {
    const facts = entryOf(readLaunch(given), entries);
    const changed = change === undefined ? given : changeLaunch(readLaunch(given), change, facts?.parameters ?? []);
    const text = withSetupNames(withImports(changed));
    const launch = readLaunch(text);
    return {
      ...(text === given ? {} : { text }),
      entries: titles,
      buffers: buffersOf(launch),
      fields: headFields(launch),
      ...(launch.args === undefined ? { note: computed } : {}),
      parameters: parametersOf(launch, facts?.parameters ?? []),
      memory: otherMemory(launch),
    };
  } catch (error) {
    return noForm(error instanceof Error ? error.message : String(error), titles);
  }
}

function noForm(problem: string, entries: readonly string[]): LaunchForm {
  return { problem, entries, buffers: [], fields: [], parameters: [], memory: [] };
}

const computed = 'The arguments are computed, so they have no fields. Edit them in the text.';

function factsOf(ptx: string, cuda: string | undefined): readonly EntryFacts[] {
  try {
    const module = readPtxModule(ptx, 'kernel.ptx');
    return matchingEntries(module, /^/).map((entry) => entryFacts(module, entry, sourceOf(ptx, cuda)));
  } catch {
    // The check reports errors of the PTX text. The launch has its fields without it.
    return [];
  }
}

function entryOf({ definition }: LaunchText, entries: readonly EntryFacts[]): EntryFacts | undefined {
  const entry = propertyOf(definition, 'entry')?.['value'];
  const exact = entries.find(({ name, title }) => name === entry || title === entry);
  return exact ?? entries.find(({ name }) => typeof entry === 'string' && name.includes(entry)) ?? entries[0];
}

/** The fields before the parameters, with the default of each. */
const heads: readonly (readonly [label: string, property: string, byDefault: string])[] = [
  ['Ranks', 'ranks', '2, 3 and 4'],
  ['CTAs of each rank', 'grid', '1'],
  ['Threads of each CTA', 'block', '32'],
  ['Launches', 'launches', '2'],
];

function headFields(launch: LaunchText): readonly LaunchField[] {
  const { text, definition, constants } = launch;
  // Numbers with a name, such as the count of elements, and what a reader makes of them.
  const counts = [...constants].flatMap(([name, value]) =>
    isNumber(value) && value.start < definition.start ? [whole(name, value, text)] : [],
  );
  const entry = propertyOf(definition, 'entry');
  const isText = entry?.type === 'Literal' && typeof entry['value'] === 'string';
  return [
    ...(isText ? [inside('Entry', entry, text)] : []),
    ...heads.map(([label, name, byDefault]): LaunchField => {
      const value = propertyOf(definition, name);
      if (value !== undefined) return optional(label, value, text, byDefault);
      const at = definition.start + 1;
      return { label, value: '', start: at, end: at, around: [`\n  ${name}: `, ','], placeholder: byDefault };
    }),
    ...counts,
    ...resultFields(launch),
  ];
}

/** The comparison after the last launch, without which no result is judged. */
function resultFields(launch: LaunchText): readonly LaunchField[] {
  const { returned, text } = launch;
  const last = childrenOf(returned, 'properties').at(-1);
  if (returned === undefined || last === undefined) return [];
  const label = 'Expected result';
  const placeholder = `nothing is compared; ${buffersOf(launch).at(-1) ?? 'out'}.equals((i) => i)`;
  const expected = propertyOf(returned, 'expect');
  const body = expected?.type === 'ArrowFunctionExpression' ? childOf(expected, 'body') : expected;
  const at = last.end;
  if (body !== undefined) return [optional(label, body, text, placeholder)];
  return [{ label, value: '', start: at, end: at, around: [',\n      expect: () => ', ''], empty: UNSET, placeholder }];
}

/** The text for a value that is left to its default. */
const UNSET = 'undefined';

/** A field that may be empty. */
function optional(label: string, node: SyntaxNode, text: string, placeholder: string): LaunchField {
  const field = whole(label, node, text);
  return { ...field, value: field.value === UNSET ? '' : field.value, empty: UNSET, placeholder };
}

/** True for an expression of numbers and names. */
function isNumber(node: SyntaxNode): boolean {
  switch (node.type) {
    case 'Literal':
      return typeof node['value'] === 'number';
    case 'Identifier':
      return true;
    case 'UnaryExpression':
      return [childOf(node, 'argument')].every((one) => one !== undefined && isNumber(one));
    case 'BinaryExpression':
      return [childOf(node, 'left'), childOf(node, 'right')].every((one) => one !== undefined && isNumber(one));
    default:
      return false;
  }
}

function parametersOf(launch: LaunchText, facts: readonly ParameterFacts[]): readonly LaunchParameter[] {
  if (launch.args === undefined) return [];
  const args = childrenOf(launch.args, 'elements');
  return Array.from({ length: Math.max(args.length, facts.length) }, (_, i) => ({
    ...(facts[i]?.declared === undefined ? {} : { name: facts[i].declared.name }),
    about: aboutOf(facts[i]),
    ...memoryOf(launch, args[i]),
    ...parameterOf(launch, args[i]),
  }));
}

function memoryOf(launch: LaunchText, argument: SyntaxNode | undefined): Pick<LaunchParameter, 'memory'> {
  const name = nameOf(argument);
  return name !== undefined && buffersOf(launch).includes(name) ? { memory: name } : {};
}

function aboutOf(facts: ParameterFacts | undefined): string {
  if (facts === undefined) return 'not in the PTX text';
  const [word] = facts.words;
  if (facts.declared !== undefined) return `${facts.declared.type}, ${facts.bytes} bytes`;
  const what = facts.isStruct ? 'a struct' : word === undefined ? 'not read' : `read as ${articled[word.guess]}`;
  return `${facts.bytes} bytes, ${what}`;
}

const articled = { pointer: 'a pointer', integer: 'an integer', float: 'a float' } as const;

type Shown = { readonly kind: LaunchKind; readonly fields: readonly LaunchField[] };

function parameterOf(launch: LaunchText, argument: SyntaxNode | undefined): Shown {
  if (argument === undefined) return { kind: 'missing', fields: [] };
  const { text, constants } = launch;
  if (isAsked(argument)) return { kind: 'ask', fields: [valueField('Value', argument, text)] };
  const name = nameOf(argument);
  const value = (name === undefined ? undefined : constants.get(name)) ?? argument;
  if (value.type === 'CallExpression' && nameOf(childOf(value, 'callee')) === 'alloc') return bufferOf(launch, value);
  if (value.type === 'NewExpression' && nameOf(childOf(value, 'callee')) === 'Uint8Array') {
    const [list] = childrenOf(value, 'arguments');
    if (list?.type === 'ArrayExpression') return { kind: 'bytes', fields: [inside('Bytes', list, text)] };
  }
  const members = childrenOf(childrenOf(value, 'arguments')[0], 'properties');
  if (value.type === 'CallExpression' && members.length > 0 && members.every(isPlain)) {
    const fields = members.flatMap((one) => {
      const [key, given] = [childOf(one, 'key'), childOf(one, 'value')];
      return given === undefined ? [] : [valueField(nameOf(key) ?? '', given, text)];
    });
    return { kind: 'struct', fields };
  }
  if (value.type === 'CallExpression' || value.type === 'ObjectExpression') {
    return { kind: 'other', fields: [whole('Expression', value, text)] };
  }
  return { kind: 'scalar', fields: [whole('Value', value, text)] };
}

/** True for `todo('an integer')`, which stands for a value that only the author knows. */
function isAsked(node: SyntaxNode): boolean {
  return node.type === 'CallExpression' && nameOf(childOf(node, 'callee')) === 'todo';
}

/** A field of a value, which is empty as long as the text asks for it. */
function valueField(label: string, node: SyntaxNode, text: string): LaunchField {
  if (!isAsked(node)) return whole(label, node, text);
  const [what, ...candidates] = childrenOf(node, 'arguments');
  const ask = what?.type === 'Literal' ? String(what['value']) : 'a value';
  const named = candidates.map(({ start, end }) => text.slice(start, end));
  return {
    label,
    value: '',
    start: node.start,
    end: node.end,
    ask,
    candidates: [...new Set([...named, ...(/int|long|size/.test(ask) ? ['rank', 'nRanks'] : [])])],
    empty: text.slice(node.start, node.end),
  };
}

/** A member that is written with its name and its value. */
function isPlain(member: SyntaxNode): boolean {
  return member.type === 'Property' && member['shorthand'] !== true && nameOf(childOf(member, 'key')) !== undefined;
}

/** The buffers that are no arguments themselves. */
function otherMemory(launch: LaunchText): LaunchForm['memory'] {
  const own = new Set(childrenOf(launch.args, 'elements').map(nameOf));
  const body = childOf(launch.setup, 'body');
  return [...launch.constants]
    .filter(([name, init]) => !own.has(name) && nameOf(childOf(init, 'callee')) === 'alloc')
    .map(([name, init]) => ({
      name,
      isUsed: body === undefined || usesOf(body, name) > 1,
      fields: bufferOf(launch, init).fields,
    }));
}

/** Memory of this rank, or a table of pointers to the memory of all ranks. */
function bufferOf(launch: LaunchText, call: SyntaxNode): Shown {
  const { text } = launch;
  const [name, type, count, values] = childrenOf(call, 'arguments');
  const isNamed = name?.type === 'Literal';
  if (!isNamed || type === undefined) return { kind: 'other', fields: [whole('Expression', call, text)] };
  const label = inside('Name', name, text);
  const of = nameOf(type) === 'ptr' ? peerBuffer(count) : undefined;
  if (of !== undefined) {
    return { kind: 'peers', fields: [label, { ...whole('Pointers to', of, text), options: buffersOf(launch) }] };
  }
  // `alloc(name, bytes)` and `alloc(name, type, values)` have fewer arguments.
  if (count === undefined) return { kind: 'buffer', fields: [label, whole('Size in bytes', type, text)] };
  const types = nameOf(type) === undefined ? {} : { options: elementTypes };
  const typed = { ...whole('Type', type, text), ...types };
  if (count.type === 'CallExpression' || count.type === 'ArrayExpression') {
    return { kind: 'buffer', fields: [label, typed, whole('Values', count, text)] };
  }
  const filled: LaunchField =
    values === undefined
      ? { label: 'Values', value: '', start: count.end, end: count.end, around: [', ', ''], placeholder: 'all zero' }
      : whole('Values', values, text);
  return { kind: 'buffer', fields: [label, typed, whole('Elements', count, text), filled] };
}

/** The buffer `data` of `ranks.map((r) => peer(data, r))`, or of `peers(data)`. */
function peerBuffer(values: SyntaxNode | undefined): SyntaxNode | undefined {
  if (nameOf(childOf(values, 'callee')) === 'peers') {
    const [of] = childrenOf(values, 'arguments');
    return nameOf(of) === undefined ? undefined : of;
  }
  const [each] = childrenOf(values, 'arguments');
  const call = childOf(each, 'body');
  if (nameOf(childOf(call, 'callee')) !== 'peer') return undefined;
  const [buffer] = childrenOf(call, 'arguments');
  return nameOf(buffer) === undefined ? undefined : buffer;
}

function whole(label: string, { start, end }: SyntaxNode, text: string): LaunchField {
  return { label, value: text.slice(start, end), start, end };
}

/** The text between quotes or brackets. */
function inside(label: string, { start, end }: SyntaxNode, text: string): LaunchField {
  return { label, value: text.slice(start + 1, end - 1), start: start + 1, end: end - 1 };
}
