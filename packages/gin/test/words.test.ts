import { devComm } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32, u64 } from '@nccl-ts/kernel';
import { describe, expect, it } from 'vitest';
import { callsOf, messages, printed } from './support/printed.ts';

const use = { gin };
const params = { comm: devComm, n: u32, least: u64 };

describe('signals and counters', () => {
  it('are compared by their low bits, with wrap-around, and then acquired', () => {
    const of = kernel({ name: 'k', use, params }, ({ gin, coopWarp }, { comm, n, least }) => {
      gin.context(comm, n).waitSignal(coopWarp(), 3, least, { bits: 8 });
    });
    expect(printed(of)).toMatchInlineSnapshot(`
      "{
        call gin.waitSignal<coop = coop tile(32)>($0, $1, 0:u32, 3:u32, $2, 8:u32) {
          require ($1 < $0.ginContextCount:u32), "GIN context {}, but the device communicator has {}: ask for more by createDevComm({ ginContextCount })", $1, $0.ginContextCount:u32
          require ((3:u32 < $0.worldGinBarrier.signal0:u32) || ((3:u32 >= $0.ginListSignalStart:u32) && (3:u32 < u32($0.ginSignalCount:i32)))), "GIN signal {}, but the device communicator has {}: createDevComm({ ginSignalCount: {} })", 3:u32, $0.worldGinBarrier.signal0:u32, (addr(3:u32) + 1:addr)
          %0 = addr(3:u32)
          %1 = window(u64, $0.ginStateWindow:Window, $0.lsaRank:i32, (((addr($1) * ((addr($0.ginSignalCount:i32) + addr($0.ginCounterCount:i32)) + (2:addr * addr($0.nRanks:i32)))) + %0) * 8:addr))
          waitAll tile(32) %2 < 1:u32 {
            %3 = load %1 acquire.system
            %4 = ((~0n:u64) >> (64n:u64 - u64(8:u32)))
          } until (((%3 - $2) & %4) <= (%4 >> 1n:u64))
          call gin.acquire(%1)
          sync tile(32)
        }
      }
      "
    `);
  });

  it('are not acquired if the order is relaxed', () => {
    const of = kernel({ name: 'k', use, params }, ({ gin, coopWarp }, { comm, least }) => {
      const net = gin.context(comm, 0);
      net.waitSignal(coopWarp(), 0, least, { order: 'relaxed' });
      net.waitSignal(coopWarp(), 0, least, { order: 'release' });
      net.waitCounter(coopWarp(), 0, least, { order: 'relaxed' });
    });
    expect(printed(of)).not.toContain('gin.acquire');
    expect(printed(of)).not.toContain('acquire.system');
  });

  it('have 64 and 56 bits by default', () => {
    const of = kernel({ name: 'k', use, params }, ({ gin, coopWarp }, { comm, least }) => {
      const net = gin.context(comm, 0);
      net.waitSignal(coopWarp(), 0, least);
      net.waitCounter(coopWarp(), 0, least);
    });
    const shifts = [...printed(of).matchAll(/>> \(64n:u64 - u64\((\d+):u32\)/g)].map(([, bits]) => bits);
    expect(shifts).toEqual(['64', '56']);
  });
});

describe('a barrier', () => {
  it('signals each other member, signals itself to cover puts, and flushes to cover gets', () => {
    const of = kernel({ name: 'k', use, params }, ({ gin, coopCta }, { comm }) => {
      const bar = gin.barrierSession(coopCta(), gin.context(comm, 0), 'world', 0);
      bar.sync(coopCta(), 'acq_rel', 'none');
      bar.sync(coopCta(), 'acq_rel', 'put');
      bar.sync(coopCta(), 'acq_rel', 'get');
      bar.sync(coopCta(), 'acq_rel', 'putGet');
      bar.sync(coopCta(), 'acq_rel');
    });
    const strengths = callsOf('gin.signal', of).map((call) => /strength = "(\w+)"/.exec(call)?.[1]);
    // Each sync has two forms, of which the network chooses one.
    expect(strengths).toEqual(Array.from({ length: 10 }, () => 'legacy'));
    // The signals are acquired if the fence includes puts.
    expect(callsOf('gin.acquire', of)).toHaveLength(6);
    expect(callsOf('gin.flush', of)).toHaveLength(6);
    const steps = [...printed(of).matchAll(/waitAll cta %\d+ < \(1:u32 \* %(\d+)\)/g)].map(([, local]) => {
      const counted = new RegExp(`%${local} = (.*)`).exec(printed(of))?.[1];
      return counted?.includes('- 1') === true ? 'others' : 'all';
    });
    expect(steps).toEqual(['others', 'all', 'others', 'all', 'all']);
  });

  it('checks its arguments', () => {
    const wrong = kernel({ name: 'k', use, params }, ({ gin, coopCta }, { comm, n }) => {
      const net = gin.context(comm, 0);
      gin.barrierSession(coopCta(), comm as never, 'world', 0);
      gin.barrierSession(coopCta(), net, 'lsa' as never, 0);
      gin.barrierSession(coopCta(), net, 'world', 0).sync(coopCta(), 'full' as never);
      gin.barrierSession(coopCta(), net, 'world', 0, { allContexts: (n > 3) as never });
    });
    expect(messages(wrong)).toMatchInlineSnapshot(`
      [
        "K1104 gin.barrierSession: 'net' must be a Gin",
        "K1105 gin.barrierSession: 'tag' cannot be 'lsa'",
        "K1105 gin.barrierSession.sync: 'order' cannot be 'full'",
        "K1113 gin.barrierSession: 'allContexts' must be a compile-time constant",
      ]
    `);
  });
});
