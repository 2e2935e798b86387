import { cft } from '@nccl-ts/cft';
import { devComm, window } from '@nccl-ts/devcomm';
import { printModule } from '@nccl-ts/ir';
import { kernel, type Kernel } from '@nccl-ts/kernel';
import { describe, expect, it } from 'vitest';

/** Returns the calls of a primitive, without the numbers of locals. */
function callsOf(name: string, of: Pick<Kernel, 'compile'>): readonly string[] {
  const text = printModule(of.compile());
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith(`call ${name}`))
    .map((line) => line.replaceAll(/%\d+/g, '%'));
}

const params = { comm: devComm, win: window };

describe('a session of the fabric', () => {
  it('initiates each operation with one call that passes its endpoint and its counter', () => {
    const of = kernel(
      { name: 'operations', use: { cft }, params },
      ({ cft, coopCta, sharedArray, u32, u64 }, { comm, win }) => {
        const part = sharedArray(u32, 8);
        const fabric = cft.session(coopCta(), sharedArray(u64, 2));
        const le = cft.leInfo(win, 0, 0, cft.team(comm), comm);
        const id = le.leId;
        const at = le.leOffset;
        fabric.put(coopCta(), id, at, part, 32);
        fabric.putCpMask(coopCta(), id, at, part, 32, 3);
        fabric.putCounted(coopCta(), id, at, 256, part, 32);
        fabric.putMultimem(coopCta(), id, at, part, 32);
        fabric.putMultimemCpMask(coopCta(), id, at, part, 32, 5);
        fabric.putMultimemCounted(coopCta(), id, at, 512, part, 32);
        fabric.get(coopCta(), id, at, part, 32);
      },
    );
    expect(callsOf('cft.post', of)).toMatchInlineSnapshot(`
      [
        "call cft.post<kind = "put", endpoint = "unicast", counting = "plain">(%, %, %, 0n:u64, #0, 32:u32, 65535:u32)",
        "call cft.post<kind = "put", endpoint = "unicast", counting = "plain">(%, %, %, 0n:u64, #0, 32:u32, 3:u32)",
        "call cft.post<kind = "put", endpoint = "unicast", counting = "counted">(%, %, %, 256n:u64, #0, 32:u32, 65535:u32)",
        "call cft.post<kind = "put", endpoint = "multicast", counting = "plain">(%, %, %, 0n:u64, #0, 32:u32, 65535:u32)",
        "call cft.post<kind = "put", endpoint = "multicast", counting = "plain">(%, %, %, 0n:u64, #0, 32:u32, 5:u32)",
        "call cft.post<kind = "put", endpoint = "multicast", counting = "counted">(%, %, %, 512n:u64, #0, 32:u32, 65535:u32)",
        "call cft.post<kind = "get", endpoint = "unicast", counting = "plain">(%, %, %, 0n:u64, #0, 32:u32, 65535:u32)",
      ]
    `);
  });

  it('synchronizes before an operation, and one thread submits and ends a phase', () => {
    const of = kernel({ name: 'phases', use: { cft }, params }, ({ cft, coopWarp, sharedArray, u64 }, _params) => {
      const fabric = cft.session(coopWarp(), sharedArray(u64, 2));
      fabric.submit(coopWarp());
      fabric.flushSmem(coopWarp());
      fabric.flush(coopWarp());
    });
    const text = printModule(of.compile());
    expect(text.slice(text.indexOf('{\n'))).toMatchInlineSnapshot(`
      "{
        call cft.session<coop = coop tile(32)>(#0) session 0 {
          %1 = cast(u64, #0)
          require ((u32(#0) & 15:u32) == 0:u32), "the state of a session of the fabric must begin at a multiple of 16 bytes"
          if (laneId == 0:u32) {
            call cft.begin(%1)
            store %1, 0n:u64
            store (%1 +> 1:i32), 0n:u64
          }
          sync tile(32)
          %0 = 0n:u64
        }
        call cft.session.submit<coop = coop tile(32)>() session 0 {
          if (laneId == 0:u32) {
            call cft.submit(%1)
          }
        }
        call cft.session.flushSmem<coop = coop tile(32)>() session 0 {
          if (laneId == 0:u32) {
            wait {
              %2 = load (%1 +> 1:i32) relaxed.block
            } until (%2 == 0n:u64)
            call cft.settleReads(%1)
          }
          sync tile(32)
        }
        call cft.session.flush<coop = coop tile(32)>() session 0 {
          if (laneId == 0:u32) {
            call cft.arrive(%1)
          }
          wait {
            %3 = load %1 acquire.block
          } until (%3 > %0)
          %0 = (%0 + 1n:u64)
        }
        call cft.session.~() session 0 {
          sync tile(32)
          if (laneId == 0:u32) {
            call cft.end(%1)
          }
        }
      }
      "
    `);
  });
});
