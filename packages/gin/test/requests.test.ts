import { devComm, symPtr, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, i32, u16, u64, vec, f32 } from '@nccl-ts/kernel';
import { describe, expect, it } from 'vitest';
import { callsOf, messages, printed } from './support/printed.ts';

const params = { comm: devComm, win: window, other: window, peer: i32, bytes: u64, from: symPtr(u16), to: symPtr(u16) };
const use = { gin, teamWorld };

describe('a request', () => {
  it("is posted by one thread of its group, after it releases the group's writes", () => {
    const of = kernel({ name: 'k', use, params }, ({ gin, teamWorld, coopCta }, { comm, win, other, peer, bytes }) => {
      const options = { coop: coopCta(), localAction: gin.weakCounterInc(2) };
      gin.context(comm, 1).put(teamWorld(comm), peer, win, 8, other, 16, bytes, gin.strongSignalAdd(3, 5), options);
    });
    expect(printed(of)).toMatchInlineSnapshot(`
      "{
        %0 = addr($4)
        call gin.put<strength = "strong", modify = "add", at = "id", coop = coop cta>($0, 1:u32, 0:u32, $0.nRanks:i32, $0.rank:i32, 1:i32, $3, $1, 8:addr, $2, 16:addr, %0, 3:u32, 5n:u64, 2:u32) {
          require (1:u32 < $0.ginContextCount:u32), "GIN context {}, but the device communicator has {}: ask for more by createDevComm({ ginContextCount })", 1:u32, $0.ginContextCount:u32
          require ((3:u32 < $0.worldGinBarrier.signal0:u32) || ((3:u32 >= $0.ginListSignalStart:u32) && (3:u32 < u32($0.ginSignalCount:i32)))), "GIN signal {}, but the device communicator has {}: createDevComm({ ginSignalCount: {} })", 3:u32, $0.worldGinBarrier.signal0:u32, (addr(3:u32) + 1:addr)
          %1 = i32(2:u32)
          sync cta
          if (threadLinear == 0:u32) {
            require (1:u32 < $0.ginContextCount:u32), "GIN context {}, but the device communicator has {}: ask for more by createDevComm({ ginContextCount })", 1:u32, $0.ginContextCount:u32
            require (($3 >= 0:i32) && ($3 < $0.nRanks:i32)), "peer {} of a GIN request: the ranks of its team are 0 to {}; for the next rank of a ring, take (rank + 1) % size; otherwise, test the peer before the request", $3, ($0.nRanks:i32 - 1:i32)
            %2 = @teamRankToWorld($0, $0.nRanks:i32, $0.rank:i32, 1:i32, $3) { (arg(0).rank:i32 + ((arg(4) - arg(2)) * arg(3))) }
            require (($0.ginContextStride:i32 != $0.lsaSize:i32) || ((%2 % $0.lsaSize:i32) == $0.lsaRank:i32)), "peer {} of a GIN request is world rank {}, on another rail: only LSA rank {} of each domain is reached; createDevComm({ ginConnectionType: 'full' }) reaches all", $3, %2, $0.lsaRank:i32
            require ((%2 % $0.ginContextStride:i32) == ($0.rank:i32 % $0.ginContextStride:i32)), "peer {} of a GIN request is world rank {}, and the connection reaches every rank number {} from rank {} on; createDevComm({ ginConnectionType: 'full' }) reaches all", $3, %2, $0.ginContextStride:i32, ($0.rank:i32 % $0.ginContextStride:i32)
            if ($0.ginContextStride:i32 < 0:i32) {
              call gin.checkListed($0, $3, %2)
            }
            fence release.device
            call gin.post<kind = "put", at = "id", modify = "add", strength = "strong">($0, 1:u32, 0:u32, %2, $2, 16:addr, $1, 8:addr, %0, 0n:u64, 3:u32, $0.resourceWindow:Window, 0:addr, 5n:u64, %1, 0:u32)
          }
          sync cta
        }
      }
      "
    `);
  });

  it('counts its arguments without the context, which stands before the dot', () => {
    const of = kernel({ name: 'k', use, params }, ({ gin, coopCta }, { comm }) => {
      // @ts-expect-error a wait has no fifth argument
      gin.context(comm, 1).waitSignal(coopCta(), 0, 1, 64, 'relaxed');
    });
    expect(messages(of)).toEqual(['K1103 gin.waitSignal takes 3 to 4 arguments, given 5']);
  });

  it("names the peer's word, the addend and the strength", () => {
    const of = kernel({ name: 'k', use, params }, ({ gin, teamWorld }, { comm, win, peer }) => {
      const net = gin.context(comm, 0);
      const world = teamWorld(comm);
      net.signal(world, peer, gin.strongSignalInc(1));
      net.signal(world, peer, gin.strongSignalAdd(1, 7));
      net.signal(world, peer, gin.weakSignalInc(1));
      net.signal(world, peer, gin.weakSignalAdd(1, 7));
      net.signal(world, peer, gin.signalInc(1));
      net.signal(world, peer, gin.signalAdd(1, 7));
      net.signal(world, peer, gin.strongVASignalInc(win, 24));
      net.signal(world, peer, gin.strongVASignalAdd(win, 24, 7));
      net.signal(world, peer, gin.weakVASignalInc(win, 24));
      net.signal(world, peer, gin.weakVASignalAdd(win, 24, 7));
      net.signal(world, peer, gin.vaSignalInc(win, 24));
      net.signal(world, peer, gin.vaSignalAdd(win, 24, 7));
    });
    const changes = callsOf('gin.post', of).map((call) => {
      const [words = '', values = ''] = call.split('>(');
      // The signal, the window, the offset and the amount.
      return [/at.*/.exec(words)?.[0], ...values.split(', ').slice(10, 14)].join(' | ');
    });
    expect(changes).toMatchInlineSnapshot(`
      [
        "at = "id", modify = "inc", strength = "strong" | 1:u32 | $0.resourceWindow:Window | 0:addr | 1n:u64",
        "at = "id", modify = "add", strength = "strong" | 1:u32 | $0.resourceWindow:Window | 0:addr | 7n:u64",
        "at = "id", modify = "inc", strength = "weak" | 1:u32 | $0.resourceWindow:Window | 0:addr | 1n:u64",
        "at = "id", modify = "add", strength = "weak" | 1:u32 | $0.resourceWindow:Window | 0:addr | 7n:u64",
        "at = "id", modify = "inc", strength = "legacy" | 1:u32 | $0.resourceWindow:Window | 0:addr | 1n:u64",
        "at = "id", modify = "add", strength = "legacy" | 1:u32 | $0.resourceWindow:Window | 0:addr | 7n:u64",
        "at = "va", modify = "inc", strength = "strong" | 0:u32 | $1 | 24:addr | 1n:u64",
        "at = "va", modify = "add", strength = "strong" | 0:u32 | $1 | 24:addr | 7n:u64",
        "at = "va", modify = "inc", strength = "weak" | 0:u32 | $1 | 24:addr | 1n:u64",
        "at = "va", modify = "add", strength = "weak" | 0:u32 | $1 | 24:addr | 7n:u64",
        "at = "va", modify = "inc", strength = "legacy" | 0:u32 | $1 | 24:addr | 1n:u64",
        "at = "va", modify = "add", strength = "legacy" | 0:u32 | $1 | 24:addr | 7n:u64",
      ]
    `);
  });

  it('has no action and no counter by default', () => {
    const of = kernel({ name: 'k', use, params }, ({ gin, teamWorld }, { comm, win, other, peer }) => {
      const net = gin.context(comm, 0);
      net.put(teamWorld(comm), peer, win, 0, other, 0, 4);
      net.put(teamWorld(comm), peer, win, 0, other, 0, 4, undefined, { aggregateRequests: true });
      net.get(teamWorld(comm), peer, win, 0, other, 0, 4);
    });
    const posts = callsOf('gin.post', of);
    expect(posts.map((call) => /<.*>/.exec(call)?.[0])).toMatchInlineSnapshot(`
      [
        "<kind = "put", at = "none", modify = "inc", strength = "weak">",
        "<kind = "put", at = "none", modify = "inc", strength = "weak">",
        "<kind = "get", at = "none", modify = "inc", strength = "weak">",
      ]
    `);
    // The counter, and whether the request may be held back.
    expect(posts.map((call) => call.split(', ').slice(-2).join(', '))).toMatchInlineSnapshot(`
      [
        "-1:i32, 0:u32)",
        "-1:i32, 1:u32)",
        "-1:i32, 0:u32)",
      ]
    `);
  });

  it('counts elements between symmetric pointers', () => {
    const of = kernel({ name: 'k', use, params }, ({ gin, teamWorld }, { comm, peer, from, to }) => {
      gin.context(comm, 0).putElements(teamWorld(comm), peer, to, from, 11);
    });
    expect(callsOf('gin.put', of)).toMatchInlineSnapshot(`
      [
        "call gin.put($0, 0:u32, 0:u32, $0.nRanks:i32, $0.rank:i32, 1:i32, $3, $7, $8, $5, $6, %0) {",
      ]
    `);
  });

  it('is the same for every kind of memory, and with a descriptor', () => {
    const plain = kernel({ name: 'k', use, params }, ({ gin, teamWorld }, { comm, win, other, peer }) => {
      gin.context(comm, 0).put(teamWorld(comm), peer, win, 0, other, 0, 4, gin.weakSignalInc(0));
    });
    const told = kernel(
      { name: 'k', use, params },
      ({ gin, teamWorld, sharedArray, u64 }, { comm, win, other, peer }) => {
        const net = gin.context(comm, 0);
        const descriptor = sharedArray(u64, 8);
        net.put(teamWorld(comm), peer, win, 0, other, 0, 4, gin.weakSignalInc(0), { segment: 'mixed' });
        net.put(teamWorld(comm), peer, win, 0, other, 0, 4, gin.weakSignalInc(0), { segment: 'hostNuma' });
        net.put(teamWorld(comm), peer, win, 0, other, 0, 4, gin.weakSignalInc(0), { descriptor });
        net.put(teamWorld(comm), peer, win, 0, other, 0, 4, gin.weakSignalInc(0), { maySkipCreditCheck: true });
      },
    );
    const posts = (of: typeof plain): readonly string[] =>
      callsOf('gin.post', of).map((call) => call.replaceAll(/%\d+/g, '%'));
    const [expected] = posts(plain);
    expect(posts(told)).toEqual([expected, expected, expected, expected]);
    // They are still calls with all options, which a backend can express in its own way.
    expect(callsOf('gin.put', told).map((call) => /<.*>/.exec(call)?.[0])).toMatchInlineSnapshot(`
      [
        "<strength = "weak", modify = "inc", at = "id", segment = "mixed">",
        "<strength = "weak", modify = "inc", at = "id", segment = "hostNuma">",
        "<strength = "weak", modify = "inc", at = "id">",
        "<strength = "weak", modify = "inc", at = "id", maySkipCreditCheck = true>",
      ]
    `);
  });

  it('checks its arguments', () => {
    const wrong = kernel(
      { name: 'k', use: { ...use, F4: vec(f32, 4) }, params },
      ({ gin, teamWorld, F4, f32 }, { comm, win, other, peer }) => {
        const net = gin.context(comm, 0);
        const world = teamWorld(comm);
        net.put(world, peer, comm as never, 0, other, 0, 4);
        net.put(world, f32(1), win, 0, other, 0, 4);
        net.put(world, peer, win, 0, other, 0, -4);
        net.put(world, peer, win, 0, other, 0, 4, gin.weakSignalInc(0), { segment: 'flash' as never });
        net.putValue(world, peer, win, 0, F4(1));
        net.waitSignal(world as never, 0, 1);
      },
    );
    expect(messages(wrong)).toMatchInlineSnapshot(`
      [
        "K1104 gin.put: 'dst' must be a Window",
        "K2003 f32 is not converted to i32 implicitly",
        "K2005 -4 does not fit addr",
        "K1105 gin.put: 'segment' cannot be 'flash'",
        "K2015 bitcast reinterprets bytes, but vec(f32, 4) and u64 differ in size",
        "K3106 a Team is not a thread group",
      ]
    `);
  });

  it('has TypeScript types', () => {
    kernel({ name: 'k', use, params }, ({ gin, teamWorld, coopCta }, { comm, win, other, peer }) => {
      const net = gin.context(comm, 0);
      // @ts-expect-error a DevComm is no Window
      net.put(teamWorld(comm), peer, comm, 0, other, 0, 4);
      // @ts-expect-error a counter is no remote action
      net.put(teamWorld(comm), peer, win, 0, other, 0, 4, gin.weakCounterInc(0));
      // @ts-expect-error a get has no action
      net.get(teamWorld(comm), peer, win, 0, other, 0, 4, gin.weakSignalInc(0));
      // @ts-expect-error there is no such sharing
      gin.context(comm, 0, 'warp');
      // @ts-expect-error there is no such fence
      gin.barrierSession(coopCta(), net, 'world', 0).sync(coopCta(), 'acq_rel', 'all');
    });
    expect(gin.name).toBe('gin');
  });
});
