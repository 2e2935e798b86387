import { describe, expect, it } from 'vitest';
import { lower, wrong } from './support/lower.ts';

/** The text without what a group requires of its callers. */
function withoutRequires(text: string): string {
  return text.replaceAll(/^require .*\n/gmu, '');
}

describe('groups', () => {
  it.each([
    ['coopThread()', undefined, '0:u32', '1:u32'],
    ['coopWarp()', 'tile(32)', 'laneId', '32:u32'],
    ['coopTile(8)', 'tile(8)', '(laneId & 7:u32)', '8:u32'],
    ['coopLanes(n)', 'lanes(n)', 'popcount((n & ((1:u32 << laneId) - 1:u32)))', 'popcount(n)'],
    ['coopWarpSpan(n, 2, 3)', 'warpSpan(n, 2:u32, 3:u32)', '(threadLinear - (n * 32:u32))', '(2:u32 * 32:u32)'],
    ['coopCta()', 'cta', 'threadLinear', 'blockThreads'],
    ['coopAny(coopTile(4))', 'tile(4)', '(laneId & 3:u32)', '4:u32'],
  ])('%s synchronizes, and has a rank and a size', (coop, meets, rank, size) => {
    const out = lower(`const coop = ${coop}; coop.sync(); q[0] = coop.threadRank(); q[1] = coop.size();`);
    const sync = meets === undefined ? '' : `sync ${meets}\n`;
    expect(withoutRequires(out)).toBe(`\n${sync}store q, ${rank}\nstore (q +> 1:i32), ${size}\n`);
  });

  it('of the lanes that run together read the active mask only once', () => {
    expect(lower('const coop = coopCoalesced(); coop.sync(); q[0] = coop.size();')).toMatchInlineSnapshot(`
      "
      local %0 activeMask: u32
      %0 = collective activeMask tile(32)
      require (((%0 >> laneId) & 1:u32) != 0:u32), "a lane that is not in the mask of its group calls this: let only those lanes come here, or name all that do"
      sync lanes(%0)
      store q, popcount(%0)
      "
    `);
  });

  it.each([
    ['coopThread()', '(1:u32 << (laneId & 31:u32))', true, true],
    ['coopTile(8)', '(255:u32 << (laneId & 24:u32))', false, true],
    ['coopWarp()', '4294967295:u32', false, true],
    ['coopLanes(n)', 'n', false, true],
    ['coopWarpSpan(n, 2, 3)', '4294967295:u32', false, false],
    ['coopCta()', '4294967295:u32', false, false],
  ])('%s has lanes in a warp, and a kind that is known when the kernel is compiled', (coop, mask, isThread, within) => {
    expect(
      lower(
        `const coop = ${coop}; q[0] = coopGetLaneMask(coop); if (coopIsThread(coop)) q[1] = 1; if (coopWithinWarp(coop)) q[2] = 1;`,
      ),
    ).toBe(
      `\nstore q, ${mask}\n${isThread ? 'store (q +> 1:i32), 1:u32\n' : ''}${within ? 'store (q +> 2:i32), 1:u32\n' : ''}`,
    );
  });

  it.each([
    ['coopTile(8)', 'tile(8)'],
    ['coopLanes(n)', 'lanes(n)'],
    ['coopWarpSpan(0, 2, 1)', 'tile(32)'],
    ['coopCta()', 'tile(32)'],
    ['{ threadRank: () => laneId, size: () => 32, sync: () => {} }', 'tile(32)'],
  ])('the part of %s in the calling warp is known at compile time', (coop, part) => {
    expect(withoutRequires(lower(`coopCoalesced(${coop}).sync();`))).toBe(`\nsync ${part}\n`);
  });

  it('can report their kind', () => {
    expect(wrong('q[0] = coopGetLaneMask(n);')).toEqual(['K3106 u32 is not a thread group [n]']);
    expect(wrong('coopCoalesced(n).sync();')).toEqual(['K3106 u32 is not a thread group [n]']);
    const own = '{ threadRank: () => laneId, size: () => 32, sync: () => {} }';
    expect(wrong(`if (coopIsThread(${own})) q[0] = 1;`)).toEqual([
      `K3107 coopIsThread needs a group whose kind is known at compile time [${own}]`,
    ]);
    expect(wrong('q[0] = coopWarp().bcast(n, 0, flag);')).toEqual([
      "K1104 bcast: 'entrySync' must be true or false [flag]",
    ]);
    expect(lower('q[0] = coopWarp().bcast(n, 0, false);')).toBe(lower('q[0] = coopWarp().bcast(n, 0);'));
  });

  it('broadcast and vote', () => {
    expect(
      lower(
        'const coop = coopTile(16); p[0] = coop.bcast(x, n) + coop.bcast(y); if (coop.any(n > 1) && coop.all(m)) q[0] = 1;',
      ),
    ).toMatchInlineSnapshot(`
      "
      local %0 bcast: f32
      local %1 bcast: f32
      local %2 any: bool
      local %3 all: bool
      local %4 chosen: bool
      %0 = collective bcast tile(16) value x lane n
      %1 = collective bcast tile(16) value y lane 0:u32
      store p, (%0 + %1)
      %2 = collective any tile(16) value (n > 1:u32)
      if %2 {
        %3 = collective all tile(16) value (m != 0:u32)
        %4 = %3
      } else {
        %4 = false
      }
      if %4 {
        store q, 1:u32
      }
      "
    `);
  });

  it('keep the values that they were made with', () => {
    expect(lower('let a = n; const coop = coopLanes(a); a = 5; coop.sync();')).toMatchInlineSnapshot(`
      "
      local %0 a: u32
      local %1 mask: u32
      %0 = n
      %1 = %0
      %0 = 5:u32
      require (((%1 >> laneId) & 1:u32) != 0:u32), "a lane that is not in the mask of its group calls this: let only those lanes come here, or name all that do"
      sync lanes(%1)
      "
    `);
  });

  it('that an author defines are objects with three functions', () => {
    expect(
      lower(
        'const two = { threadRank: () => laneId & 1, size: () => 2, sync: () => coopWarp().sync() }; const f = (coop) => { coop.sync(); return coop.threadRank() * coop.size(); }; q[0] = f(coopAny(two)) + f(coopCta());',
      ),
    ).toMatchInlineSnapshot(`
      "
      sync tile(32)
      sync cta
      store q, (((laneId & 1:u32) * 2:u32) + (threadLinear * blockThreads))
      "
    `);
    expect(wrong('coopAny({ threadRank: () => 0, size: () => 1 }).sync();')).toEqual([
      'K3106 an object is not a thread group [{ threadRank: () => 0, size: () => 1 }]',
    ]);
  });

  it('check their arguments', () => {
    expect(wrong('coopTile(3);')).toEqual(['K3104 a tile must have 1, 2, 4, 8, 16 or 32 threads, not 3 [3]']);
    expect(wrong('coopTile(n);')).toEqual(['K1113 the size of a tile must be a compile-time constant [n]']);
    expect(wrong('coopWarpSpan(0, 1, 16);')).toEqual(['K3105 a warp span must have an id from 0 to 15, not 16 [16]']);
    expect(wrong('coopLanes(x);')).toEqual(['K2003 f32 is not converted to u32 implicitly [x]']);
    expect(wrong('coopCta().meet();')).toEqual(["K1101 a thread group has no member 'meet' [meet]"]);
    expect(wrong('coopCta().bcast(p);')).toEqual(["K1104 bcast: 'value' must be a number [p]"]);
  });
});

describe('warp functions', () => {
  it('become collective operations of the warp', () => {
    expect(
      lower(
        'p[0] = shfl(x, n); q[0] = shflUp(n, 1) + shflDown(n, i) + shflXor(m, 16); q[1] = ballot(n > 1); if (any(flag) || all(m)) q[2] = laneId + warpSize; p.cast(vec(f32, 4))[0] = shfl(v, 0);',
      ),
    ).toMatchInlineSnapshot(`
      "
      local %0 shfl: f32
      local %1 shflUp: u32
      local %2 delta: u32
      local %3 shflDown: u32
      local %4 shflXor: u32
      local %5 ballot: u32
      local %6 any: bool
      local %7 all: bool
      local %8 chosen: bool
      local %9 shfl: vec(f32, 4)
      %0 = collective shfl tile(32) value x lane n
      store p, %0
      %1 = collective shflUp tile(32) value n lane 1:u32
      %2 = u32(i)
      %3 = collective shflDown tile(32) value n lane %2
      %4 = collective shflXor tile(32) value m lane 16:u32
      store q, ((%1 + %3) + %4)
      %5 = collective ballot tile(32) value (n > 1:u32)
      store (q +> 1:i32), %5
      %6 = collective any tile(32) value flag
      if %6 {
        %8 = true
      } else {
        %7 = collective all tile(32) value (m != 0:u32)
        %8 = %7
      }
      if %8 {
        store (q +> 2:i32), (laneId + warpSize)
      }
      %9 = collective shfl tile(32) value v lane 0:u32
      store cast(vec(f32, 4), p), %9
      "
    `);
  });
});
