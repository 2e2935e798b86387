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

/** The text of a launch in which an argument has another form. */
export function changeLaunch(
  launch: LaunchText,
  { parameter, kind }: LaunchChange,
  facts: readonly ParameterFacts[],
): string {
  const { text, args, setup } = launch;
  if (args === undefined || setup === undefined) return text;
  const memory: string[] = [];
  const fresh = (base: string): string => {
    const isTaken = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(text);
    let name = `${base}${parameter}`;
    for (let i = 2; isTaken(name); i++) name = `${base}${parameter}_${i}`;
    return name;
  };
  const buffer = (): string => {
    const name = fresh('data');
    memory.push(`const ${name} = alloc('${name}', f32, 1024, (i) => rank + i);`);
    return name;
  };
  const argument = (): string => {
    switch (kind) {
      case 'buffer':
        return buffer();
      case 'scalar':
        return '0';
      case 'bytes':
        return `new Uint8Array([${Array.from({ length: facts[parameter]?.bytes ?? 8 }, () => 0).join(', ')}])`;
      case 'peers': {
        const of = buffersOf(launch)[0] ?? buffer();
        const name = fresh('peers');
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
  const edits: Edit[] =
    own === undefined
      ? [{ start: last, end: last, insert: added + argument() }]
      : [{ start: own.start, end: own.end, insert: argument() }];
  const body = childOf(setup, 'body');
  const returned = childrenOf(body, 'body').find(({ type }) => type === 'ReturnStatement');
  if (returned !== undefined && memory.length > 0) {
    const lines = memory.map((line) => `${line}\n    `).join('');
    edits.push({ start: returned.start, end: returned.start, insert: lines });
  }
  edits.push(...namesFor(setup, memory.join(' '), text));
  if (own !== undefined) edits.push(...unusedMemory(body, own, text));
  return applied(text, edits);
}

/** Takes the names that new memory needs from the parameter of `setup`. */
function namesFor(setup: SyntaxNode, memory: string, text: string): readonly Edit[] {
  const needed = ['rank', 'ranks', 'alloc', 'peer'].filter((name) => new RegExp(`\\b${name}\\b`).test(memory));
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

/** Removes the line of a buffer that only the old argument used. */
function unusedMemory(body: SyntaxNode | undefined, old: SyntaxNode, text: string): readonly Edit[] {
  const name = nameOf(old);
  if (name === undefined) return [];
  const uses = allNodes(body ?? old).filter((node) => nameOf(node) === name);
  const statement = childrenOf(body, 'body').find((one) =>
    childrenOf(one, 'declarations').some((declared) => nameOf(childOf(declared, 'id')) === name),
  );
  // One use is the declaration, and the other the old argument.
  if (statement === undefined || uses.length > 2) return [];
  const start = text.lastIndexOf('\n', statement.start);
  return start === -1 ? [] : [{ start, end: statement.end, insert: '' }];
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
