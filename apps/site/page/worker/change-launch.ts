import type { ParameterFacts } from '@nccl-ts/harness';
import type { LaunchChange } from '../protocol.ts';
import type { SyntaxNode } from './blank-types.ts';
import {
  allNodes,
  buffersOf,
  childOf,
  childrenOf,
  elementTypes,
  nameOf,
  readLaunch,
  type LaunchText,
} from './launch-text.ts';

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly insert: string;
}

/** The text of a launch after a change. */
export function changeLaunch(launch: LaunchText, change: LaunchChange, facts: readonly ParameterFacts[]): string {
  if ('add' in change) return withMemory(launch);
  if ('remove' in change) return withoutMemory(launch, change.remove);
  return withForm(launch, change, facts);
}

/** The text with one more buffer, to which arguments may point. */
function withMemory({ text, setup }: LaunchText): string {
  if (setup === undefined) return text;
  const line = bufferLine(freshName('memory', text));
  const edits = [...linesBeforeReturn(setup, [line]), ...namesFor(setup, line, text)];
  return applied(text, edits);
}

/** The text without a buffer that nothing uses. */
function withoutMemory({ text, setup }: LaunchText, name: string): string {
  const body = childOf(setup, 'body');
  if (body === undefined || usesOf(body, name) > 1) return text;
  return applied(text, declarationOf(body, name, text));
}

/** The text in which an argument has another form. */
function withForm(
  launch: LaunchText,
  change: Extract<LaunchChange, { readonly parameter: number }>,
  facts: readonly ParameterFacts[],
): string {
  const { text, args, setup } = launch;
  const { parameter } = change;
  if (args === undefined || setup === undefined) return text;
  const memory: string[] = [];
  const buffer = (): string => {
    const name = freshName(`data${parameter}`, text);
    memory.push(bufferLine(name));
    return name;
  };
  const argument = (): string => {
    if ('same' in change) return change.same;
    switch (change.kind) {
      case 'buffer':
        return buffer();
      case 'scalar':
        return '0';
      case 'bytes':
        return `new Uint8Array([${Array.from({ length: facts[parameter]?.bytes ?? 8 }, () => 0).join(', ')}])`;
      case 'peers': {
        const of = buffersOf(launch)[0] ?? buffer();
        const name = freshName(`peers${parameter}`, text);
        memory.push(`const ${name} = alloc('${name}', ptr, ranks.map((r) => peer(${of}, r)));`);
        return name;
      }
    }
  };
  const elements = childrenOf(args, 'elements');
  const own = elements[parameter];
  // Arguments before it may be missing too.
  const zeros = Array.from({ length: Math.max(0, parameter - elements.length) }, () => '0, ').join('');
  const added = `${elements.length === 0 ? '' : ', '}${zeros}`;
  const last = elements.at(-1)?.end ?? args.start + 1;
  const made = argument();
  const edits: Edit[] =
    own === undefined
      ? [{ start: last, end: last, insert: added + made }]
      : [{ start: own.start, end: own.end, insert: made }];
  edits.push(...linesBeforeReturn(setup, memory), ...namesFor(setup, memory.join(' '), text));
  // A buffer that only the old argument used is gone, unless the new argument points to it.
  const body = childOf(setup, 'body');
  const name = nameOf(own);
  const isPointedTo = name !== undefined && new RegExp(`\\b${name}\\b`).test([made, ...memory].join(' '));
  if (body !== undefined && name !== undefined && !isPointedTo && usesOf(body, name) === 2) {
    edits.push(...declarationOf(body, name, text));
  }
  return applied(text, edits);
}

function bufferLine(name: string): string {
  return `const ${name} = alloc('${name}', f32, 1024, (i) => rank + i);`;
}

/** A name that the text does not have. */
function freshName(base: string, text: string): string {
  const isTaken = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(text);
  let name = base;
  for (let i = 2; isTaken(name); i++) name = `${base}_${i}`;
  return name;
}

function linesBeforeReturn(setup: SyntaxNode, lines: readonly string[]): readonly Edit[] {
  const returned = childrenOf(childOf(setup, 'body'), 'body').find(({ type }) => type === 'ReturnStatement');
  if (returned === undefined || lines.length === 0) return [];
  return [{ start: returned.start, end: returned.start, insert: lines.map((line) => `${line}\n    `).join('') }];
}

/** The uses of a name, its declaration counted. */
export function usesOf(body: SyntaxNode, name: string): number {
  return allNodes(body).filter((node) => nameOf(node) === name).length;
}

/** Removes the line that declares a buffer. */
function declarationOf(body: SyntaxNode, name: string, text: string): readonly Edit[] {
  const statement = childrenOf(body, 'body').find((one) =>
    childrenOf(one, 'declarations').some((declared) => nameOf(childOf(declared, 'id')) === name),
  );
  const start = statement === undefined ? -1 : text.lastIndexOf('\n', statement.start);
  return statement === undefined || start === -1 ? [] : [{ start, end: statement.end, insert: '' }];
}

/** The names that the parameter of `setup` has. */
const givenNames = ['rank', 'ranks', 'nRanks', 'alloc', 'peer', 'peers', 'sum', 'multicast'];

/** Takes the names from the parameter of `setup` that its body uses. */
export function withSetupNames(text: string): string {
  const { setup, constants } = readLaunch(text);
  const body = childOf(setup, 'body');
  if (setup === undefined || body === undefined) return text;
  const nodes = allNodes(body);
  // Names of members are no uses, and a function's own parameters are others.
  const members = new Set(
    nodes.flatMap((node) => (node['computed'] === true ? [] : [childOf(node, 'property'), childOf(node, 'key')])),
  );
  const parameters = new Set(nodes.flatMap((node) => childrenOf(node, 'params').flatMap((one) => nameOf(one) ?? [])));
  const used = new Set(nodes.flatMap((node) => (members.has(node) ? [] : (nameOf(node) ?? []))));
  const missing = givenNames.filter((name) => used.has(name) && !constants.has(name) && !parameters.has(name));
  return applied(text, namesFor(setup, missing.join(' '), text));
}

/** Takes the names that new memory needs from the parameter of `setup`. */
function namesFor(setup: SyntaxNode, memory: string, text: string): readonly Edit[] {
  const needed = givenNames.filter((name) => new RegExp(`\\b${name}\\b`).test(memory));
  if (needed.length === 0) return [];
  const [given] = childrenOf(setup, 'params');
  if (given === undefined) {
    const at = text.indexOf('(', setup.start) + 1;
    return [{ start: at, end: at, insert: `{ ${needed.join(', ')} }` }];
  }
  const pattern =
    given.type === 'ObjectPattern'
      ? given
      : allNodes(setup).find(
          (node) => node.type === 'VariableDeclarator' && nameOf(childOf(node, 'init')) === nameOf(given),
        );
  const object = pattern?.type === 'VariableDeclarator' ? childOf(pattern, 'id') : pattern;
  const properties = childrenOf(object, 'properties');
  const known = properties.flatMap((one) => nameOf(childOf(one, 'key')) ?? []);
  const missing = needed.filter((name) => !known.includes(name));
  const last = properties.at(-1);
  if (object === undefined || missing.length === 0) return [];
  if (last === undefined) return [{ start: object.start, end: object.end, insert: `{ ${missing.join(', ')} }` }];
  return [{ start: last.end, end: last.end, insert: `, ${missing.join(', ')}` }];
}

/** Imports the element types that the text names. */
export function withImports(text: string): string {
  const { tree } = readLaunch(text);
  const nodes = allNodes(tree);
  const imports = childrenOf(tree, 'body').find(
    (node) => node.type === 'ImportDeclaration' && childOf(node, 'source')?.['value'] === '@nccl-ts/harness',
  );
  const specifiers = childrenOf(imports, 'specifiers');
  const known = new Set(specifiers.flatMap((one) => nameOf(childOf(one, 'local')) ?? []));
  const used = new Set(nodes.flatMap((node) => nameOf(node) ?? []));
  const missing = elementTypes.filter((name) => used.has(name) && !known.has(name));
  const last = specifiers.at(-1);
  if (last === undefined || missing.length === 0) return text;
  return applied(text, [{ start: last.end, end: last.end, insert: `, ${missing.join(', ')}` }]);
}

function applied(text: string, edits: readonly Edit[]): string {
  let result = text;
  for (const { start, end, insert } of edits.toSorted((a, b) => b.start - a.start)) {
    result = result.slice(0, start) + insert + result.slice(end);
  }
  return result;
}
