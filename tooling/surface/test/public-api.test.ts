import { expect, test } from 'vitest';

import { namesInReport } from '../src/public-api.ts';

const namesIn = (text: string): readonly string[] => [
  ...namesInReport('sample.api.md', `## API Report\n\n\`\`\`ts\n\n${text}\n\n\`\`\`\n`),
];

test.each([
  ['a function, overloads and all', 'export function f(): void;\nexport function f(x: 1): void;', ['f']],
  [
    'an interface with its members',
    'export interface A extends B {\n readonly a: number;\n b?(x: number): void;\n (): void;\n}',
    ['A', 'A.a', 'A.b'],
  ],
  [
    'a class with what is public of it',
    'export class C implements D {\n constructor(x: 1);\n static open(): C;\n get a(): number;\n b(): void;\n}',
    ['C', 'C.constructor', 'C.open', 'C.a', 'C.b'],
  ],
  [
    'a constant with the members of its type',
    "export const F: {\n readonly A: 0;\n readonly 'a.b': {\n readonly c: 1;\n };\n};",
    ['F', 'F.A', 'F.a.b', 'F.a.b.c'],
  ],
  ['the words of a union', "export type T = 'none' | 'full' | 1;", ['T', "T='none'", "T='full'"]],
  ['a type that is one word', "export type T = 'none';", ['T', "T='none'"]],
  ['what is exported again', 'export { A }', ['A']],
  ['nothing that is only used', 'interface A {\n a: 1;\n}\nimport type { B } from "b";', []],
])('the names of an API report are read: %s', (_what, text, names) => {
  expect(namesIn(text)).toEqual(names);
});

test('a report that does not parse is an error', () => {
  expect(() => namesIn('export function ;')).toThrow('sample.api.md: ');
});
