import {
  devComm,
  resourceBuffer,
  resourceBufferOffset,
  resourceLocalPointer,
  resourceLsaPointer,
  resourcePeerPointer,
  symPtr,
  team,
  teamWorld,
  type SymPtr,
} from '@nccl-ts/devcomm';
import { printModule } from '@nccl-ts/ir';
import { analyseKernel, bf16, deviceFn, f32, i32, kernel, u32, vec, type HostOf, type Kernel } from '@nccl-ts/kernel';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { SymPtrArg } from '@nccl-ts/devcomm';

/** Returns the statements of a kernel as the printer writes them, and its parameters. */
function printed(of: Pick<Kernel, 'compile'>): string {
  return printModule(of.compile())
    .split('\n')
    .filter((line) => !line.startsWith('kernel') && !line.startsWith('local'))
    .join('\n');
}

describe('a symmetric pointer', () => {
  it('consists of a window and an offset, and has pointers to its own, an LSA and a world rank', () => {
    const of = kernel({ name: 'k', params: { s: symPtr(f32), peer: u32 } }, ({ i32 }, { s, peer }) => {
      s.localPtr()[1] = 1;
      s.lsaPtr(i32(peer))[2] = s.T(2);
      s.peerPtr(i32(peer))[3] = 3;
    });
    expect(printed(of)).toMatchInlineSnapshot(`
      "param $0 s.window: Window
      param $1 s.offset: addr
      param $2 peer: u32
      {
        store (window(f32, $0, $0.lsaRank:i32, $1) +> 1:i32), 1:f32
        %0 = i32($2)
        store (window(f32, $0, %0, $1) +> 2:i32), 2:f32
        %1 = i32($2)
        store (window(f32, $0, ($0.lsaRank:i32 + (%1 - $0.worldRank:i32)), $1) +> 3:i32), 3:f32
      }
      "
    `);
  });

  it('points to elements of its type', () => {
    const of = kernel({ name: 'k', params: { s: symPtr(vec(bf16, 8)) } }, (_context, { s }) => {
      s.localPtr()[0] = s.T(1);
    });
    expect(printed(of)).toContain('store window(vec(bf16, 8), $0, $0.lsaRank:i32, $1), vec(bf16, 8)[1:bf16]');
  });

  it('is passed through device functions that are generic in its type', () => {
    const fill = deviceFn({ name: 'fill' }, (_context, to: SymPtr, value: number) => {
      to.localPtr()[0] = to.T(value);
    });
    const of = kernel(
      { name: 'k', use: { fill }, params: { a: symPtr(f32), b: symPtr(bf16), n: u32 } },
      ({ fill }, { a, b, n }) => {
        fill(a, n);
        fill(b, n);
      },
    );
    expect(printed(of)).toContain('f32($4)');
    expect(printed(of)).toContain('bf16($4)');
  });

  it('is passed by the host as a window and an offset', () => {
    const of = kernel({ name: 'k', params: { s: symPtr(f32) } }, () => undefined);
    expectTypeOf<HostOf<typeof of>['s']>().toEqualTypeOf<SymPtrArg>();
    expect(of.compile().params.map(({ name }) => name)).toEqual(['s.window', 's.offset']);
  });

  it('moves by elements in both directions, and changes their type', () => {
    const of = kernel(
      { name: 'k', params: { s: symPtr(vec(bf16, 4)), n: u32, d: i32, team } },
      ({ u32, sizeOf }, { s, n, d, team }) => {
        s.add(n).localPtr()[0] = s.T(1);
        s.add(-3).add(d).localPtr()[0] = s.T(2);
        const words = s.add(2).cast(u32);
        words.add(1).teamPtr(team, 1)[0] = sizeOf(words.T);
      },
    );
    expect(printed(of)).toMatchInlineSnapshot(`
      "param $0 s.window: Window
      param $1 s.offset: addr
      param $2 n: u32
      param $3 d: i32
      param $4 team.nRanks: i32
      param $5 team.rank: i32
      param $6 team.stride: i32
      {
        %0 = select(($2 < 0:u32), ($1 - (addr(neg($2)) * 8:addr)), ($1 + (addr($2) * 8:addr)))
        store window(vec(bf16, 4), $0, $0.lsaRank:i32, %0), vec(bf16, 4)[1:bf16]
        %1 = ($1 - (3:addr * 8:addr))
        %2 = select(($3 < 0:i32), (%1 - (addr(neg($3)) * 8:addr)), (%1 + (addr($3) * 8:addr)))
        store window(vec(bf16, 4), $0, $0.lsaRank:i32, %2), vec(bf16, 4)[2:bf16]
        %3 = ($1 + (2:addr * 8:addr))
        %4 = (%3 + (1:addr * 4:addr))
        store window(u32, $0, ($0.lsaRank:i32 + ((1:i32 - $5) * $6)), %4), 4:u32
      }
      "
    `);
  });

  it('has no other members', () => {
    const result = analyseKernel(
      kernel({ name: 'k', params: { s: symPtr(f32) } }, (_context, { s }) => {
        // @ts-expect-error there is no such member
        void s.remote;
      }),
    );
    expect(result.ok ? [] : result.diagnostics.map(({ message, hint }) => [message, hint])).toEqual([
      [
        "a SymPtr has no member 'remote'",
        'it has window, offset, T, localPtr, lsaPtr, peerPtr, teamPtr, multimemPtr, lsaMultimemPtr, add, cast',
      ],
    ]);
  });
});

describe('resource pointers', () => {
  it('count handles in units of 128 bytes, exactly', () => {
    const of = kernel(
      { name: 'k', use: { resourceLocalPointer, resourceLsaPointer }, params: { comm: devComm, handle: u32 } },
      ({ u32, f32, resourceLocalPointer, resourceLsaPointer }, { comm, handle }) => {
        resourceLocalPointer(comm, u32, handle)[4] = 1;
        resourceLsaPointer(comm, f32, handle, comm.lsaSize - 1)[5] = 2;
      },
    );
    expect(printed(of)).toMatchInlineSnapshot(`
      "param $0 comm: DevComm
      param $1 handle: u32
      {
        store (window(u32, $0.resourceWindow:Window, $0.lsaRank:i32, (addr($1) * 128:addr)) +> 4:i32), 1:u32
        %0 = ($0.lsaSize:i32 - 1:i32)
        store (window(f32, $0.resourceWindow:Window, %0, (addr($1) * 128:addr)) +> 5:i32), 2:f32
      }
      "
    `);
  });

  it('reach members of a team, and with the world team reach world ranks', () => {
    const of = kernel(
      {
        name: 'k',
        use: { resourcePeerPointer, teamWorld },
        params: { comm: devComm, handle: u32, t: team, peer: i32 },
      },
      ({ u32, resourcePeerPointer, teamWorld }, { comm, handle, t, peer }) => {
        resourcePeerPointer(comm, u32, handle, t, peer)[1] = 1;
        resourcePeerPointer(comm, u32, handle, teamWorld(comm), peer)[1] = 1;
      },
    );
    expect(printed(of)).toMatchInlineSnapshot(`
      "param $0 comm: DevComm
      param $1 handle: u32
      param $2 t.nRanks: i32
      param $3 t.rank: i32
      param $4 t.stride: i32
      param $5 peer: i32
      {
        %0 = @teamRankToLsa($0, $2, $3, $4, $5) { (arg(0).lsaRank:i32 + ((arg(4) - arg(2)) * arg(3))) }
        store (window(u32, $0.resourceWindow:Window, %0, (addr($1) * 128:addr)) +> 1:i32), 1:u32
        %1 = @teamRankToLsa($0, $0.nRanks:i32, $0.rank:i32, 1:i32, $5) { (arg(0).lsaRank:i32 + ((arg(4) - arg(2)) * arg(3))) }
        store (window(u32, $0.resourceWindow:Window, %1, (addr($1) * 128:addr)) +> 1:i32), 1:u32
      }
      "
    `);
  });

  it('come from a symmetric pointer as well', () => {
    const of = kernel(
      { name: 'k', use: { resourceBuffer, resourceBufferOffset }, params: { comm: devComm, handle: u32 } },
      ({ bf16, resourceBuffer, resourceBufferOffset }, { comm, handle }) => {
        const buffer = resourceBuffer(comm, bf16, handle);
        buffer.lsaPtr(2)[3] = 1;
        buffer.localPtr()[0] = buffer.T(7);
        if (resourceBufferOffset(handle) === buffer.offset) buffer.localPtr()[1] = 1;
      },
    );
    expect(printed(of)).toMatchInlineSnapshot(`
      "param $0 comm: DevComm
      param $1 handle: u32
      {
        %0 = (addr($1) * 128:addr)
        store (window(bf16, $0.resourceWindow:Window, 2:i32, %0) +> 3:i32), 1:bf16
        store window(bf16, $0.resourceWindow:Window, $0.resourceWindow:Window.lsaRank:i32, %0), 7:bf16
        if ((addr($1) * 128:addr) == %0) {
          store (window(bf16, $0.resourceWindow:Window, $0.resourceWindow:Window.lsaRank:i32, %0) +> 1:i32), 1:bf16
        }
      }
      "
    `);
  });
});
