import { parseModule, type Module } from '@nccl-ts/ir';

const declarations = `
param $0 comm: DevComm
param $1 win: Window
param $2 data: ptr(f32)
param $3 words: ptr(u32)
param $4 count: u32
array #0 scratch: shared f32[64]
array #1 mine: local u32[4]
local %0 i: u32
local %1 j: u32
local %2 a: f32
local %3 b: f32
local %4 flag: bool
local %5 big: u64
local %6 v: vec(f32, 4)
local %7 n: i32
local %8 at: addr
`;

/** A module with the declarations above and `body`. */
export function kernel(body: string): Module {
  return parseModule(`kernel test ${declarations} { ${body} }`);
}
