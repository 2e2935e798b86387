import { cft } from '@nccl-ts/cft';
import { devComm, window } from '@nccl-ts/devcomm';
import { printModule } from '@nccl-ts/ir';
import { kernel } from '@nccl-ts/kernel';
import { describe, expect, inject, it } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const params = { comm: devComm, win: window };

describe('reductions of the fabric', () => {
  it('initiates each with one call that names the operation and the type of the elements', () => {
    const of = kernel(
      { name: 'reductions', use: { cft }, params },
      ({ cft, coopWarp, sharedArray, i32, u32, u64 }, { comm, win }) => {
        const part = sharedArray(u32, 8);
        const fabric = cft.session(coopWarp(), sharedArray(u64, 2));
        const le = cft.leInfo(win, 0, 0, cft.team(comm), comm);
        const id = le.leId;
        const at = le.leOffset;
        fabric.red(coopWarp(), id, at, 'sum', part, 32);
        fabric.redCounted(coopWarp(), id, at, 256, 'min', part.cast(i32), 32);
        fabric.redMultimem(coopWarp(), id, at, 'and', part.cast(u64), 32);
        fabric.redMultimemCounted(coopWarp(), id, at, 512, 'xor', part, 32);
        fabric.pullRed(coopWarp(), id, at, 'max', part, 32);
      },
    );
    const calls = printModule(of.compile())
      .split('\n')
      .map((line) => line.trim().replaceAll(/%\d+/g, '%'))
      .filter((line) => line.startsWith('call cft.postRed'));
    expect(calls).toMatchInlineSnapshot(`
      [
        "call cft.postRed<kind = "red", endpoint = "unicast", counting = "plain", op = "sum", element = "u32">(%, %, %, 0n:u64, #0, 32:u32)",
        "call cft.postRed<kind = "red", endpoint = "unicast", counting = "counted", op = "min", element = "i32">(%, %, %, 256n:u64, %, 32:u32)",
        "call cft.postRed<kind = "red", endpoint = "multicast", counting = "plain", op = "and", element = "u64">(%, %, %, 0n:u64, %, 32:u32)",
        "call cft.postRed<kind = "red", endpoint = "multicast", counting = "counted", op = "xor", element = "u32">(%, %, %, 512n:u64, #0, 32:u32)",
        "call cft.postRed<kind = "pullRed", endpoint = "multicast", counting = "plain", op = "max", element = "u32">(%, %, %, 0n:u64, #0, 32:u32)",
      ]
    `);
  });

  it.for(slow)('refuses elements that are no integers of 32 or 64 bits, and names those that are', () => {
    const of = kernel(
      { name: 'floats', use: { cft }, params },
      ({ cft, coopCta, sharedArray, f32, u64 }, { comm, win }) => {
        const part = sharedArray(f32, 8);
        const fabric = cft.session(coopCta(), sharedArray(u64, 2));
        const le = cft.leInfo(win, 0, 0, cft.team(comm), comm);
        fabric.red(coopCta(), le.leId, le.leOffset, 'sum', part, 32);
      },
    );
    expect(() => of.compile()).toThrow(
      /reductions of the fabric combine integers of 32 and 64 bits.*u32, i32, u64, i64/s,
    );
  });
});
