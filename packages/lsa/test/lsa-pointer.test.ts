import { devComm, team, window } from '@nccl-ts/devcomm';
import { printModule } from '@nccl-ts/ir';
import { analyseKernel, bool, f32, i32, kernel, u32, u64, vec, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, it } from 'vitest';

const params = { win: window, comm: devComm, n: u32, peer: i32, offset: u64 };

/** The statements of a kernel, as the printer writes them. */
function printed(of: Pick<Kernel, 'compile'>): string {
  const text = printModule(of.compile());
  return text.slice(text.indexOf('{\n'));
}

function messages(of: Pick<Kernel, 'name' | 'use' | 'params' | 'body'>): readonly string[] {
  const result = analyseKernel(of);
  return result.ok ? [] : result.diagnostics.map(({ code, message }) => `${code} ${message}`);
}

describe('pointers into a window', () => {
  it('exist for an LSA rank, a world rank, and the calling rank', () => {
    const of = kernel({ name: 'k', use: { lsa }, params }, ({ lsa, f32, u32, vec }, { win, n, peer, offset }) => {
      lsa.pointer(win, f32, offset, peer)[n] = 1;
      lsa.peerPointer(win, vec(f32, 4), 16, peer)[0] = 2;
      lsa.localPointer(win, u32, 128).store(1, n, 'release');
    });
    expect(printed(of)).toMatchInlineSnapshot(`
      "{
        store (@lsa.pointer<type = type f32>($0, addr($4), $3) { window(f32, arg(0), arg(2), arg(1)) } +> $2), 1:f32
        store @lsa.peerPointer<type = type vec(f32, 4)>($0, 16:addr, $3) { window(vec(f32, 4), arg(0), (arg(0).lsaRank:i32 + (arg(2) - arg(0).worldRank:i32)), arg(1)) }, vec(f32, 4)[2:f32]
        store (@lsa.localPointer<type = type u32>($0, 128:addr) { window(u32, arg(0), arg(0).lsaRank:i32, arg(1)) } +> 1:i32), $2 release.system
      }
      "
    `);
  });

  it('exist for a member of a team', () => {
    const of = kernel({ name: 'k', use: { lsa }, params: { ...params, team } }, ({ lsa, u32 }, { win, team, peer }) => {
      lsa.teamPointer(win, u32, 8, team, peer)[0] = 1;
    });
    expect(printed(of)).toMatchInlineSnapshot(`
      "{
        store @lsa.teamPointer<type = type u32>($0, 8:addr, $5, $6, $7, $3) { window(u32, arg(0), (arg(0).lsaRank:i32 + ((arg(5) - arg(3)) * arg(4))), arg(1)) }, 1:u32
      }
      "
    `);
  });

  it('stay calls by name in the IR, so that a backend may emit its own code', () => {
    const of = kernel({ name: 'k', use: { lsa }, params }, ({ lsa, f32 }, { win, peer }) => {
      lsa.pointer(win, f32, 0, peer)[0] = lsa.localPointer(win, f32, 0).load(0);
    });
    expect(printed(of)).toContain('@lsa.pointer<type = type f32>');
    expect(printed(of)).toContain('@lsa.localPointer<type = type f32>');
  });

  it('check their arguments', () => {
    const wrong = kernel(
      { name: 'k', use: { lsa, B: bool }, params },
      ({ lsa, f32, B, coopCta }, { win, comm, n, offset }) => {
        lsa.pointer(comm as never, f32, offset, 0);
        lsa.pointer(win, n as never, offset, 0);
        lsa.pointer(win, f32, f32(1), 0);
        lsa.pointer(win, f32, offset, offset);
        lsa.pointer(win, B, offset, 0);
        lsa.localPointer(win, f32, -1);
        lsa.barrierSession(coopCta(), comm, 0).sync(coopCta(), 'aquire' as never);
      },
    );
    expect(messages(wrong)).toEqual([
      "K1104 lsa.pointer: 'win' must be a Window",
      "K1104 lsa.pointer: 'type' must be a type such as f32",
      'K2003 f32 is not converted to addr implicitly',
      'K2003 u64 is not converted to i32 implicitly',
      'K2024 memory cannot hold bool',
      'K2005 -1 does not fit addr',
      "K1105 lsa.barrierSession.sync: 'order' cannot be 'aquire'",
    ]);
  });

  it('have the right TypeScript types', () => {
    kernel({ name: 'k', use: { lsa }, params }, ({ lsa, f32, coopCta }, { win, comm, peer }) => {
      // @ts-expect-error a DevComm is no Window
      lsa.pointer(comm, f32, 0, peer);
      // @ts-expect-error the peer is missing
      lsa.pointer(win, f32, 0);
      // @ts-expect-error there is no such order
      lsa.barrierSession(coopCta(), comm, 0).sync(coopCta(), 'full');
      // @ts-expect-error unknown option
      lsa.barrierSession(coopCta(), comm, 0, { multicast: true });
      // @ts-expect-error there is no such function
      void lsa.multimemPointer;
    });
    expect(f32.scalar).toBe('f32');
    expect(vec(f32, 4).width).toBe(4);
  });
});
