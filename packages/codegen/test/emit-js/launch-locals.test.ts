import { parseModule } from '@nccl-ts/ir';
import { expect, it } from 'vitest';
import { emitJs } from '../../src/index.ts';
import { asValidated } from '../support/machine.ts';

const module = `kernel looks
param $0 table: u64
local %0 at: ptr(u32)
local %1 seen: u32
{
  %0 = address(u32, $0)
  wait {
    %1 = load %0 acquire.system
  } until (%1 == 1:u32)
  store (%0 +> 1:i32), 7:u32
}
`;

it('looks an address up once for each CTA, and not whenever a thread continues', () => {
  const { text } = emitJs(
    asValidated(parseModule(module)),
    { blockDim: { x: 4, y: 1, z: 1 }, fields: {} },
    { mode: 'thread' },
  );
  const functions = text.split(/^function /m).filter((one) => one.includes('addressInHeap('));
  expect(functions.map((one) => one.slice(0, one.indexOf('(')))).toEqual(['prepare']);
});
