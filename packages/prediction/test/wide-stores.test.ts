import { parseModule, printModule } from '@nccl-ts/ir';
import { expect, test } from 'vitest';
import { wideStores } from '../src/what-if/wide-stores.ts';

const kernelOf = (body: string): string => `kernel stores
param $0 to: ptr(u32)
local %0 i: u32
local %1 v: u32
{
  loop {
${body}
    break
  }
}
`;

const stores = (text: string): readonly string[] =>
  printModule(wideStores(parseModule(kernelOf(text))).module)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('store'));

const four = `    store ($0 +> %0), 1:u32
    store ($0 +> (%0 + 1:u32)), 2:u32
    %1 = 7:u32
    store ($0 +> (%0 + 2:u32)), 3:u32
    store ($0 +> (%0 + 3:u32)), %1`;

test('four neighbouring stores of a thread are one of 16 bytes', () => {
  expect(stores(four)).toEqual(['store cast(vec(u32, 4), ($0 +> %0)), vec(u32, 4)[1:u32, 2:u32, 3:u32, %1]']);
  expect(wideStores(parseModule(kernelOf(four))).merged).toMatchObject([{ stores: 4 }]);
});

test.each([
  ['of three', four.split('\n').slice(0, 4).join('\n'), 3],
  ['of other places', four.replace('+ 3:u32', '+ 4:u32'), 4],
  ['with an order', four.replace('2:u32\n', '2:u32 relaxed.system\n'), 4],
  ['whose address an assignment changes', four.replace('%1 = 7:u32', '%0 = 7:u32'), 4],
])('stores %s stay as they are', (_, text, count) => {
  const module = parseModule(kernelOf(text));
  expect(wideStores(module).module).toBe(module);
  expect(stores(text)).toHaveLength(count);
});
